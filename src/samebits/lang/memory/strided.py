"""Arrays of any strides, given to a call by contiguous copies that are written back.

Compiled code knows contiguous arrays alone, and is as fast with them as if there were no others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from samebits.errors import ArgumentError, folding
from samebits.lang.memory.overlaps import repeats
from samebits.lang.memory.structs import Struct
from samebits.lang.values.storage import describe
from samebits.types import Type

_MOST_WORK = 1 << 16
"""Steps of NumPy's search for a byte that two arrays share, beyond which one is assumed."""


class Strided:
    """An array that a call is given by a copy where it is not contiguous."""

    __slots__ = ("array",)

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.array = array


@folding
def strided(array: np.ndarray[Any, Any]) -> Strided:
    """`array` as an argument of a kernel, whatever its strides: `kernel(sb.strided(image[:, 0]))`.

    Where the array is not C-contiguous, its elements are copied before the call, and copied back
    after it, also after a trap, unless the parameter is read-only. Takes time for each element,
    whether the kernel uses it or not. Raises ArgumentError for anything but an ndarray; the call
    raises it where elements of an array that is written are those of another argument too, or of
    the same array twice.
    """
    given: Any = array
    if not isinstance(given, np.ndarray):
        raise ArgumentError(
            f"strided() takes an ndarray; got {describe(given)}", fix="pass the array itself"
        )
    return Strided(array)


def bare(values: Sequence[Any]) -> list[Any]:
    """The arguments as arrays that are contiguous: copies where they must be."""
    return [_contiguous(v.array) if type(v) is Strided else v for v in values]


def originals(values: Iterable[Any]) -> list[Any]:
    """The arguments as the arrays that were given."""
    return [v.array if type(v) is Strided else v for v in values]


def around(
    run: Callable[..., Any], values: Sequence[Any], types: Sequence[Type], names: Sequence[str]
) -> Any:
    """The result of `run` with contiguous arrays, after which what it wrote is copied back."""
    given, copies = originals(values), bare(values)
    for k, (array, copy) in enumerate(zip(given, copies, strict=True)):
        if copy is not array:
            _check(given, types, names, k)
    try:
        return run(*copies)
    finally:
        for array, copy, t in zip(given, copies, types, strict=True):
            if copy is not array and _writes(t) and array.flags.writeable:
                np.copyto(array.view(np.ndarray), copy.view(np.ndarray))


def _contiguous(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if array.flags.c_contiguous:
        return array
    copy = array.copy(order="C")
    copy.flags.writeable = array.flags.writeable
    return copy


def _writes(t: Type) -> bool:
    return not getattr(t, "readonly", False)


def _check(given: Sequence[Any], types: Sequence[Type], names: Sequence[str], k: int) -> None:
    array, fix = given[k], f"pass {names[k]}.copy(), and keep what is written"
    if _writes(types[k]) and repeats(array):
        raise ArgumentError(
            f"parameter '{names[k]}': elements of the array are the same memory", fix=fix
        )
    for j, (value, t) in enumerate(zip(given, types, strict=True)):
        other = value.memory if isinstance(value, Struct) else value
        if j == k or not isinstance(other, np.ndarray) or not (_writes(t) or _writes(types[k])):
            continue
        if _shares(array, other):
            raise ArgumentError(
                f"parameter '{names[k]}': its elements share memory with parameter '{names[j]}'",
                note="the call gets a copy of a strided array, in which others' changes are not "
                "seen",
                fix=fix,
            )


def _shares(a: Any, b: Any) -> bool:
    shares: Any = np.shares_memory  # whose stubs know two of the limits alone
    try:
        return bool(shares(a, b, max_work=_MOST_WORK))
    except np.exceptions.TooHardError:
        return True
