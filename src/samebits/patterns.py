"""Scalars as bit patterns, and many of them at once.

A pattern is a non-negative integer of the type's width: two's complement, IEEE 754, 0 or 1. A NaN
is the canonical one. Knows nothing of operations.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samebits.bits import bits_to_float, canonicalize_nans, float_to_bits
from samebits.types import BOOL, SCALARS, Kind, ScalarType

TYPES = tuple(SCALARS.values())
"""The order in which types are counted."""

Patterns = NDArray[np.uint64]


def pattern_of(t: ScalarType, value: bool | int | float) -> int:
    """The pattern of a value as IR's evaluation has it."""
    if t.is_float:
        return float_to_bits(value, t.bits)
    return int(value) & ((1 << t.bits) - 1)


def value_of(t: ScalarType, pattern: int) -> bool | int | float:
    """The value that a pattern stands for."""
    if t.is_float:
        return bits_to_float(pattern, t.bits)
    if t is BOOL:
        return bool(pattern)
    return pattern - (1 << t.bits) if t.is_signed and pattern >> (t.bits - 1) else pattern


def kept_as(t: ScalarType) -> str:
    """The type code of the least of Python's compact arrays "d", "q" and "Q" that hold a `t`."""
    if t.is_float:
        return "d"
    return "Q" if t.kind is Kind.UNSIGNED and t.bits == 64 else "q"


def patterns_of(t: ScalarType, values: NDArray[Any]) -> Patterns:
    """The patterns of many values that were kept so."""
    if t.is_float:
        floats = values.astype(np.float64)  # a copy
        canonicalize_nans(floats)  # first: a signalling NaN is not converted in silence
        return floats.astype(f"f{t.size}").view(f"u{t.size}").astype(np.uint64)
    return values.astype(np.uint64) & np.uint64((1 << t.bits) - 1)


def values_of(t: ScalarType, patterns: NDArray[Any]) -> Iterator[Any]:
    """The values that many patterns, of any unsigned type that holds them, stand for: one after
    the other, as Python has them."""
    narrow = patterns.astype(f"u{t.size}")
    if t.is_float:
        floats = narrow.view(f"f{t.size}")
        canonicalize_nans(floats)
        return iter(floats.astype(np.float64).data)
    if t is BOOL:
        return iter(narrow.astype(np.bool_).data)
    return iter(narrow.view(t.dtype).data)
