"""Parallel ranges as kernels write them, and what they do in CPython.

In CPython the iterations run one after the other, which gives the answer that all executions give.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any, cast

from samebits.errors import ArgumentError, Span, Trap, folding
from samebits.lang.annotations import UnsafeAnnotation
from samebits.lang.iteration import Elements
from samebits.lang.memory.arrays import ManagedArray
from samebits.lang.values.weak import FromEnd, Int, checked


@folding
def prange(*bounds: Any, batch: int | None = None) -> Iterator[Int]:
    """`for i in sb.prange(n)` or `sb.prange(start, stop)`: a range whose iterations may run
    at the same time.

    The iterations do not depend on each other: an array that the body writes is only touched at the
    iteration's own index, and names from outside are only read. So the result is that of `range`,
    whatever the number of workers. `batch` is the number of iterations that a worker takes at
    once, a positive constant; by default it is chosen. Raises ArgumentError for anything else,
    Trap "overflow" for a number that int64 does not hold.
    """
    if not 1 <= len(bounds) <= 2:
        raise ArgumentError(
            f"prange() takes a length, or a start and a stop; got {len(bounds)} numbers",
            fix="write sb.prange(n) or sb.prange(start, stop)",
        )
    if batch is not None and (_whole(batch) is None or int(batch) < 1):
        raise ArgumentError(
            f"the batch of prange() is a positive constant, not {batch!r}",
            fix="leave it out, or write a literal such as batch=64",
        )
    found = [_whole(bound) for bound in bounds]
    for number, bound in zip(found, bounds, strict=True):
        if number is None:
            raise ArgumentError(
                f"prange() takes integers, not {bound!r:.60}",
                fix="write sb.prange(int(n)), or the length of an array",
            )
    return map(Int, range(*(int(checked(n)) for n in found if n is not None)))


def _whole(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


class UnsafeParallel:
    """`sb.unsafe_parallel(a)` is array `a`, without the rule that an iteration of a parallel range
    touches only its own elements; `sb.unsafe_parallel[sb.Array[T]]` is a job's field without it,
    which type checkers want as `Annotated[sb.Array[T], sb.unsafe_parallel]`.

    `sb.unsafe_parallel(a)[k] = x` may race: that no other iteration touches the same element is for
    the caller to know (`kernel.check_races(...)` tests it). Indices are still checked against the
    array's length.
    """

    def __call__(self, array: Any) -> Any:
        return array

    def __getitem__(self, annotation: Any) -> UnsafeAnnotation:
        return UnsafeAnnotation(annotation)

    def __repr__(self) -> str:
        return "unsafe_parallel"


unsafe_parallel = UnsafeParallel()


def own_index(array: ManagedArray, at: Any, first: Any, count: Any, name: str) -> Any:
    """The index `at` of `array`, for a managed run: raises Trap "index" where it is outside the
    array and Trap "own" where it is outside the iterations `first` to `first + count`."""
    array.check(at)
    indices = cast("tuple[Any, ...]", at) if isinstance(at, tuple) else (at,)
    index, low = indices[0], int(first)
    index = index.of(len(array)) if type(index) is FromEnd else int(index)
    if not low <= index < low + int(count):
        raise Trap("own", detail=name).outside(index, low, low + int(count))
    return cast("Any", at)


def own_elements(array: ManagedArray, first: Any, count: Any, name: str, span: Span) -> Elements:
    """The elements of `array` for a loop over it in a managed run: each as by `own_index`, and
    its trap at `span`."""
    elements = Elements(len(array), array.__getitem__)

    def element(k: int) -> Any:
        try:
            return array[own_index(array, k, first, count, name)]
        except Trap as trap:
            raise trap.at(span) from None

    elements.item = element
    return elements
