"""Wide values from float32 and float64, exactly, and back, rounded."""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.fpmodel.soft.wide import FINITE, INFINITE, NAN, NEGATIVE, round_wide
from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import bitcast, clz, max
from samebits.lang.values.scalars import float32, float64, int32, uint32, uint64

MAGNITUDE_32 = 0x7FFF_FFFF
MAGNITUDE_64 = 0x7FFF_FFFF_FFFF_FFFF


@kernel
def unpacked(
    pattern: uint64, sign: int32, precision: int32, least: int32, most: int32
) -> tuple[uint64, int32, int32]:
    """The wide value of a pattern without its sign bit."""
    fraction_bits = uint64(precision - 1)
    unit = uint64(1) << fraction_bits
    fraction = pattern & (unit - 1)
    field = int32(pattern >> fraction_bits)
    if field > most - least + 1:
        if fraction != 0:
            return uint64(0), int32(0), int32(NAN)
        return uint64(0), int32(0), INFINITE | sign
    if field != 0:
        return (fraction | unit) << uint64(64 - precision), field + least - 1, FINITE | sign
    if fraction == 0:
        return uint64(0), int32(0), sign
    zeros = clz(fraction)
    return fraction << zeros, least + (64 - precision) - int32(zeros), FINITE | sign


@kernel
def packed(
    mantissa: uint64, exponent: int32, kind: int32, precision: int32, least: int32, most: int32
) -> uint64:
    """The pattern, without its sign bit, of a wide value that the format holds."""
    fraction_bits = uint64(precision - 1)
    if kind & FINITE != 0:
        cut = uint64(64 - precision + max(least - exponent, 0))
        return (mantissa >> cut) + (uint64(max(exponent - least, 0)) << fraction_bits)
    if kind & (INFINITE | NAN) == 0:
        return uint64(0)
    infinity = uint64(most - least + 2) << fraction_bits
    if kind & NAN != 0:
        return infinity | (uint64(1) << (fraction_bits - 1))
    return infinity


@kernel
def from_float32(x: float32) -> tuple[uint64, int32, int32]:
    bits = bitcast(uint32, x)
    return unpacked(uint64(bits & MAGNITUDE_32), int32(bits >> 31), 24, -126, 127)


@kernel
def from_float64(x: float64) -> tuple[uint64, int32, int32]:
    bits = bitcast(uint64, x)
    return unpacked(bits & MAGNITUDE_64, int32(bits >> 63), 53, -1022, 1023)


@kernel
def to_float32(
    mantissa: uint64, exponent: int32, kind: int32, rounding: int32, flush: int32
) -> float32:
    """Rounded once; a NaN is the canonical one."""
    mantissa, exponent, kind = round_wide(mantissa, exponent, kind, 24, -126, 127, rounding, flush)
    bits = uint32(packed(mantissa, exponent, kind, 24, -126, 127))
    return bitcast(float32, bits | (uint32(kind & NEGATIVE) << 31))


@kernel
def to_float64(
    mantissa: uint64, exponent: int32, kind: int32, rounding: int32, flush: int32
) -> float64:
    """Rounded once; a NaN is the canonical one."""
    mantissa, exponent, kind = round_wide(
        mantissa, exponent, kind, 53, -1022, 1023, rounding, flush
    )
    bits = packed(mantissa, exponent, kind, 53, -1022, 1023)
    return bitcast(float64, bits | (uint64(kind & NEGATIVE) << 63))
