"""Scalars and vectors in bytes: how a value is read from a buffer and written back.

Owns the canonical NaN in memory, and which values a place of some type takes.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from samebits.errors import ArgumentError
from samebits.lang.values.classes import COMPOSITE_CLASSES
from samebits.lang.values.conversions import kind_of
from samebits.lang.values.enums import fix_of_enum, plain_number
from samebits.lang.values.scalars import CONVERTERS, MAKERS, RAW_OF, TYPE_OF, describe
from samebits.lang.values.vectors import Vector, components, implicit_table, vector
from samebits.lang.values.weak import checked
from samebits.types import INT, Kind, MemoryType, ScalarType, VectorType, widens

CONSTANT_NOTE = (
    "a kernel holds it as it was when it was compiled; in Python all would see the change"
)
"""Why no kernel writes a struct or a table from outside."""

Buffer = memoryview
Load = Callable[[Buffer, int], Any]
Store = Callable[[Buffer, int, Any], None]

_LETTERS = {
    Kind.SIGNED: "bhiq", Kind.UNSIGNED: "BHIQ", Kind.FIXED: "bhiq", Kind.HALF: "BHIQ",
}  # fmt: skip


def format_letter(t: ScalarType) -> str:
    """The letter of `struct` and `memoryview` for a scalar type in memory; of the integer that a
    fixed-point number or a half is."""
    if t.is_float:
        return "f" if t.bits == 32 else "d"
    return "?" if t.kind is Kind.BOOL else _LETTERS[t.kind][t.size.bit_length() - 1]


@cache
def place_table(t: ScalarType) -> dict[type, Callable[[Any], Any]]:
    """The conversions that a place declared as `t` makes unasked, by the exact class of the value:
    of weak numbers, and of numbers whose type `t` widens."""
    widened = {cls: _widening(cls, t) for cls, source in TYPE_OF.items() if widens(source, t)}
    return {**widened, **implicit_table(t)}


def _widening(cls: type, t: ScalarType) -> Callable[[Any], Any]:
    """From values of a class to a wider type; to int with a trap where int64 has no such number."""
    return (lambda value: checked(int(value))) if t is INT else CONVERTERS[t][cls]


def implicit(value: Any, target: ScalarType, place: str) -> Any:
    """`value` in the class of `target`, if it has that type or a narrower one, or is weak.

    Raises ArgumentError that names the `place` otherwise, Trap "overflow" where an int
    does not fit.
    """
    rule = place_table(target).get(kind_of(value))
    if rule is not None:
        return rule(value)
    source = TYPE_OF.get(kind_of(value))
    if source is None:
        number = plain_number(value)
        if number is not value:  # a member of an IntEnum
            return implicit(number, target, place)
        raise ArgumentError(f"{place} is {target}; got {describe(value)}", fix=fix_of_enum(value))
    raise ArgumentError(f"{place} is {target}; got {source}", fix=f"write {target}(x)")


def implicit_vector(value: Any, target: VectorType, place: str) -> Any:
    """`value` if it is a vector of type `target`. Raises ArgumentError otherwise."""
    if isinstance(value, Vector) and value.__sb_type__ == target:
        return value
    fix = f"write {target}(x, y, ...)"
    if isinstance(value, Vector):
        shorter = target.length - value.__sb_type__.length
        fix = f"write {target}(v{'.xyz'[: target.length + 1] if shorter < 0 else ', 0' * shorter})"
    raise ArgumentError(f"{place} is {target}; got {describe(value)}", fix=fix)


def loader(t: ScalarType | VectorType) -> Load:
    """The function that reads a `t` from a buffer at a byte offset."""
    if isinstance(t, ScalarType):
        make, unpack = MAKERS[t], struct.Struct(f"={format_letter(t)}").unpack_from
        return lambda buffer, offset: make(unpack(buffer, offset)[0])
    cls, make = COMPOSITE_CLASSES[t], MAKERS[t.element]
    unpack = struct.Struct(f"={t.length}{format_letter(t.element)}").unpack_from
    return lambda buffer, offset: vector(cls, tuple(map(make, unpack(buffer, offset))))


def storer(t: ScalarType | VectorType, place: str) -> Store:
    """The function that writes a `t` into a buffer at a byte offset; a NaN becomes canonical.

    It raises ArgumentError where the value's type does not fit or the memory is read-only.
    """
    if isinstance(t, ScalarType):
        raw, pack = RAW_OF[t], struct.Struct(f"={format_letter(t)}").pack_into
        rules = place_table(t)

        def store(buffer: Buffer, offset: int, value: Any) -> None:
            rule = rules.get(kind_of(value))
            value = implicit(value, t, place) if rule is None else rule(value)
            try:
                pack(buffer, offset, raw(value))
            except TypeError:
                raise read_only(place, buffer) from None

        return store
    element_raw = RAW_OF[t.element]
    pack_all = struct.Struct(f"={t.length}{format_letter(t.element)}").pack_into

    def store_vector(buffer: Buffer, offset: int, value: Any) -> None:
        items = tuple(map(element_raw, components(implicit_vector(value, t, place))))
        try:
            pack_all(buffer, offset, *items)
        except TypeError:
            raise read_only(place, buffer) from None

    return store_vector


def is_constant(buffer: Buffer) -> bool:
    """Whether memory is that of a struct or a table from outside of kernels, which none writes."""
    return buffer.readonly and isinstance(buffer.obj, bytes)


def read_only(place: str, buffer: Buffer) -> ArgumentError:
    """The error of a store into memory that is not to be written."""
    if is_constant(buffer):
        return ArgumentError(
            f"{place} is a constant from outside the kernel, which no kernel writes",
            note=CONSTANT_NOTE,
            fix="write to a copy: `own = HOME.copy()` of a struct HOME; of an array, copy the "
            "elements into `sb.zeros(n, T)`",
        )
    return ArgumentError(
        f"{place} is read-only memory",
        note="the parameter is annotated sb.ReadOnly",
        fix="annotate it sb.Array[...], or write to another array",
    )


def bytes_of(array: np.ndarray[Any, Any]) -> Buffer:
    """The bytes of a C-contiguous array as a flat buffer over the same memory."""
    flat: Any = array.view(np.ndarray).reshape(-1).view(np.uint8)
    return memoryview(flat)


def array_over(buffer: Buffer, offset: int, t: MemoryType, shape: tuple[int, ...]) -> Any:
    """An ndarray of `shape` elements of type `t` over the same memory."""
    return np.ndarray(shape, t.dtype, buffer, offset)
