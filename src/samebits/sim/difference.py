"""Two states side by side: the first field in which they differ, as values and as bits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from samebits.bits import bits_to_float, leaves, ulp_distance
from samebits.lang.decimal_text import shortest
from samebits.types import FixedPointType, Kind, ScalarType, StructType


@dataclass(frozen=True)
class FieldDifference:
    """One scalar of the state. `expected` is the reference's; `bits` are hexadecimal patterns.

    `ulps` counts representable floats between the two, and is None for integers and NaN. `others`
    counts the further scalars that differ.
    """

    path: str
    type: str
    expected: str
    found: str
    expected_bits: str
    found_bits: str
    ulps: int | None
    others: int


def first_difference(t: StructType, expected: bytes, found: bytes) -> FieldDifference | None:
    """The first scalar, in declared order, in which canonical states differ; None if none."""
    different = np.frombuffer(expected, np.uint8) != np.frombuffer(found, np.uint8)
    if not different.any():
        return None
    first: FieldDifference | None = None
    others = at = 0
    for path, scalar, _ in leaves(t):
        end = at + scalar.size
        if different[at:end].any():
            if first is None:
                first = _describe(path, scalar, expected[at:end], found[at:end])
            else:
                others += 1
        at = end
    assert first is not None
    return replace(first, others=others)


def _describe(path: str, t: ScalarType, expected: bytes, found: bytes) -> FieldDifference:
    a, b = (int.from_bytes(data, "little") for data in (expected, found))
    return FieldDifference(
        path=path,
        type=t.name,
        expected=_value(t, a),
        found=_value(t, b),
        expected_bits=f"{a:0{2 * t.size}x}",
        found_bits=f"{b:0{2 * t.size}x}",
        ulps=ulp_distance(a, b, t.bits) if t.is_float else None,
        others=0,
    )


def _value(t: ScalarType, pattern: int) -> str:
    if t.is_float:
        value: Any = bits_to_float(pattern, t.bits)
        return str(np.float32(value)) if t.bits == 32 else repr(value)
    if t.kind is Kind.BOOL:
        return str(bool(pattern))
    if t.is_signed and pattern >> (t.bits - 1):
        pattern -= 1 << t.bits
    if isinstance(t, FixedPointType):
        return shortest(pattern, t.fraction)
    return str(pattern)
