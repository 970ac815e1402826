"""The first field in which two states differ, as values and as bits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from samebits.bits import bits_to_float, ulp_distance
from samebits.decimals import shortest
from samebits.sim.state.columns import columns
from samebits.types import BOOL, FixedPointType, Kind, ScalarType, StructType


@dataclass(frozen=True)
class FieldDifference:
    """A scalar that differs. `expected` is the reference's; The bits are hexadecimal, with 0x
    and as many digits as the type has.

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
    if expected == found:
        return None
    count, first = 0, (len(expected), "", BOOL)
    for column in columns(t):
        flat = np.flatnonzero(column.patterns(expected) != column.patterns(found))
        if len(flat):
            count += len(flat)
            offsets = column.offsets(flat)
            least = int(offsets.argmin())
            if offsets[least] < first[0]:
                first = int(offsets[least]), column.path(int(flat[least])), column.type
    at, path, scalar = first
    a, b = (int.from_bytes(s[at : at + scalar.size], "little") for s in (expected, found))
    return FieldDifference(
        path=path,
        type=scalar.name,
        expected=shown(scalar, a),
        found=shown(scalar, b),
        expected_bits=hexadecimal(scalar, a),
        found_bits=hexadecimal(scalar, b),
        ulps=ulp_distance(a, b, scalar.bits) if scalar.is_ieee else None,
        others=count - 1,
    )


def hexadecimal(t: ScalarType, pattern: int) -> str:
    """A bit pattern of `t`, as `samebits explain` takes it: 0x and as many digits as it has."""
    return f"0x{pattern:0{2 * t.size}x}"


def shown(t: ScalarType, pattern: int) -> str:
    """The value of a bit pattern of `t`, in the fewest digits that round-trip."""
    if t.is_ieee:
        value = bits_to_float(pattern, t.bits)
        return repr(value) if t.bits == 64 else str(t.dtype.type(value))
    if t.kind is Kind.BOOL:
        return str(bool(pattern))
    if t.is_signed and pattern >> (t.bits - 1):
        pattern -= 1 << t.bits
    if isinstance(t, FixedPointType):
        return shortest(pattern, t.fraction)
    return str(pattern)
