"""Conversion rules between scalar types, on plain Python ints and floats.

Owns wrapping, saturation and the single rounding. Knows no class of the language, but what makes
some of them.
"""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Callable
from typing import Any

from samebits.bits import round_scaled
from samebits.types import BOOL, INT, Kind, ScalarType
from samebits.value_text import trapped

Raw = bool | int | float
"""A scalar's value outside the language: exact, whatever its type."""

kind_of: Callable[[object], type[Any]] = type
"""The exact class of a value, typed as a checker can follow it."""


class ValueClass(type):
    """Makes classes whose values have no attributes but those of a base."""

    def __new__(cls, name: str, bases: tuple[type, ...], members: dict[str, Any]) -> Any:
        return super().__new__(cls, name, bases, {"__slots__": (), **members})


FLOAT32_LIMIT = float((1 << 128) - (1 << 103))
"""Least magnitude that rounds to infinity in binary32 (half an ULP past the largest float)."""

HALF_LIMIT = 65520.0
"""Least magnitude that rounds to infinity in binary16."""

_EXACT = 1 << 53


def wrapper(t: ScalarType) -> Callable[[Any], int]:
    """The function that takes an integer to the one of type `t` that is equal modulo 2^bits."""
    low, high, mask, modulus = t.minimum, t.maximum, (1 << t.bits) - 1, 1 << t.bits

    def wrap(value: Any) -> int:
        if low <= value <= high:
            return int(value)
        value &= mask
        return value - modulus if value > high else value

    return wrap


def narrower(t: ScalarType) -> Callable[[Any], int]:
    """The function that returns an integer if type `t` holds it, else raises Trap "overflow"."""
    low, high = t.minimum, t.maximum

    def narrow(value: Any) -> int:
        if low <= value <= high:
            return int(value)
        raise trapped("overflow", "narrow", int(value), more=t)

    return narrow


def saturate(value: float, t: ScalarType) -> int:
    """`value` truncated toward zero and held within integer type `t`; NaN gives 0."""
    if value != value:
        return 0
    if math.isinf(value):
        return t.maximum if value > 0 else t.minimum
    return saturate_int(int(value), t)


def saturate_int(value: int, t: ScalarType) -> int:
    """`value` held within integer type `t`."""
    return min(max(value, t.minimum), t.maximum)


def int_to_float(value: int, bits: int) -> float:
    """`value` rounded once to binary16, 32 or 64, ties to even."""
    if -_EXACT <= value <= _EXACT:
        return narrow_float(float(value), bits)
    return round_scaled(value, 0, bits)


def narrow_float(value: float, bits: int) -> float:
    """A binary64 rounded to binary16 or 32, or kept for 64 bits; ties to even, NaN canonical."""
    if value != value:
        return math.nan
    if bits == 16:
        return round_half(value)
    return value if bits == 64 else ctypes.c_float(value).value


def round_half(value: float) -> float:
    """A binary64 that is no NaN, rounded once to binary16, ties to even; CPython's own code."""
    if abs(value) >= HALF_LIMIT:
        return math.copysign(math.inf, value)
    return float(struct.unpack("<e", struct.pack("<e", value))[0])


def divide(a: float, b: float) -> float:
    """The IEEE binary64 quotient, where CPython would raise on a zero divisor."""
    if b:
        return a / b
    if a == 0 or a != a or b != b:
        return math.nan
    return math.copysign(math.inf, math.copysign(1.0, a) * math.copysign(1.0, b))


def square_root(value: float) -> float:
    """The IEEE binary64 square root; NaN below zero, -0 of -0."""
    return math.sqrt(value) if value >= 0 else math.nan


def converter(source: ScalarType, target: ScalarType) -> Callable[[Any], Raw]:
    """The conversion that calling `target` does: from a raw `source` to a raw `target`.

    Weak int to an integer traps "overflow" unless it fits; other integers wrap; float to
    integer truncates and saturates; to float rounds once; to bool is a test against zero.
    """
    if target is BOOL:
        return bool
    if target.is_float:
        bits = target.bits
        if source.is_float:
            return float if bits >= source.bits else lambda value: narrow_float(value, bits)
        return lambda value: int_to_float(value, bits)
    if source.is_float:
        return lambda value: saturate(value, target)
    if source is INT:
        return narrower(target)
    return int if source.kind is Kind.BOOL else wrapper(target)
