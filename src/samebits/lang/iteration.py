"""Iteration in CPython: `range`, `enumerate`, `zip` and `reversed` as kernels have them.

Each has a number of iterations and what iteration k is given, so that the shortest ends a `zip`
before anything is asked of the others. Numbers are checked ints.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from samebits.errors import ArgumentError, Trap
from samebits.lang.values.weak import Int, checked

STEP_IS_ZERO = "the step of range() is 0"
LENGTH_CHANGED = "the length changed in a loop over it"


class Steps:
    """`count` iterations, and the item of iteration k, counted from 0. `ends` are called behind the
    last, and trap where more or fewer should have been."""

    __slots__ = ("count", "ends", "item")

    def __init__(
        self, count: int, item: Callable[[int], Any], ends: Sequence[Callable[[], None]] = ()
    ) -> None:
        self.count = count
        self.item = item
        self.ends = ends

    def __iter__(self) -> Iterator[Any]:
        steps = map(self.item, builtins.range(self.count))
        return self._to_the_end(steps) if self.ends else steps

    def _to_the_end(self, steps: Iterator[Any]) -> Iterator[Any]:
        yield from steps
        for end in self.ends:
            end()


class Elements(Steps):
    """Elements that can be had in any order."""

    __slots__ = ()


class Range(Steps):
    """The numbers of a range."""

    __slots__ = ("numbers",)

    def __init__(self, numbers: builtins.range) -> None:
        self.numbers = numbers
        super().__init__(_length(numbers), lambda k: Int(numbers[k]))

    def __iter__(self) -> Iterator[Int]:
        return map(Int, self.numbers)


def _length(numbers: builtins.range) -> int:
    """The length, which `len` refuses beyond 2^63."""
    return max(0, -((numbers.start - numbers.stop) // numbers.step))


def _whole(what: str, bound: Any) -> int:
    try:
        return operator.index(bound)
    except TypeError:
        name = type(bound).__name__
        raise ArgumentError(
            f"{what} takes integers, but this is {name}", fix="write `//`, or int(x)"
        ) from None


def range(*bounds: Any) -> Range:
    """Python's range. Raises Trap "overflow" where int64 holds no such number, Trap "assert" where
    the step is 0."""
    numbers = [int(checked(_whole("range()", bound))) for bound in bounds]
    if len(numbers) == 3 and numbers[2] == 0:
        raise Trap("assert", detail=STEP_IS_ZERO)
    return Range(builtins.range(*numbers))


def enumerate(items: Any, start: Any = 0) -> Steps:
    """Python's enumerate. A number that int64 does not hold raises Trap "overflow" in its turn."""
    inner, first = steps_of(items), checked(_whole("the start of enumerate()", start))
    return Steps(inner.count, lambda k: (first + Int(k), inner.item(k)), inner.ends)


def zip(*items: Any, strict: bool = False) -> Steps:
    """Python's zip, to the end of the shortest. Raises ArgumentError if it is to be `strict`."""
    if strict:
        raise ArgumentError("zip() ends with the shortest", fix="assert the lengths before")
    parts = [steps_of(part) for part in items]
    count = min(part.count for part in parts)
    ends = [end for part in parts for end in part.ends]
    return Steps(count, lambda k: tuple([part.item(k) for part in parts]), ends)


def reversed(items: Any) -> Steps:
    """Python's reversed, of an array or a range."""
    if isinstance(items, Range):
        return Range(items.numbers[::-1])
    inner = steps_of(items)
    if not isinstance(inner, Elements):
        raise ArgumentError("reversed() takes an array or a range()", fix="reverse what is inside")
    return Steps(inner.count, lambda k: inner.item(inner.count - 1 - k), inner.ends)


def of_struct(struct: Any, at: Callable[[Any], Any] | None = None) -> Steps:
    """The items of a struct that has a length, in its own order.

    Item k is at cursor k; where there is `__after__`, at the cursor after the last item's, which
    is -1 before the first. `at` is what gives the item at a cursor, where that is not the struct's
    own method. A length that has changed raises Trap "assert", at the next item or at the end.
    """
    count, cursor = struct.__len__(), Int(-1)
    after = getattr(struct, "__after__", None)
    get = at or getattr(struct, "__at__", None) or struct.__getitem__

    def check() -> None:
        if struct.__len__() != count:
            raise Trap("assert", detail=LENGTH_CHANGED)

    def item(k: int) -> Any:
        nonlocal cursor
        check()
        cursor = Int(k) if after is None else Int(after(cursor))
        return get(cursor)

    return (Steps if after is not None else Elements)(max(0, int(count)), item, [check])


def steps_of(items: Any) -> Steps:
    """What a loop over `items` runs over: an array's elements or rows, a struct's items, or Steps
    themselves."""
    if isinstance(items, Steps):
        return items
    if hasattr(items, "__sb_methods__"):
        return of_struct(items)
    return Elements(len(items), items.__getitem__)
