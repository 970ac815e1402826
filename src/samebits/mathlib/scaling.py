"""A float taken apart and put together: `frexp`, `ldexp` and `modf`, float32 and float64.

Everything here is exact, but for the one rounding of an `ldexp` into the subnormals.
"""

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, clamp, copysign, max, min, select, trunc
from samebits.lang.values.scalars import float32, float64, int32, int64, uint32, uint64

LEAST_NORMAL_F32 = 2.0**-126
LEAST_NORMAL_F64 = 2.0**-1022
LARGEST_F32 = float.fromhex("0x1.fffffep127")
LARGEST_F64 = float.fromhex("0x1.fffffffffffffp1023")
UP_32 = 2.0**32
UP_64 = 2.0**64


@kernel
def power_of_two(n: int32) -> float64:
    """2^n for -1022 ≤ n ≤ 1023."""
    return bitcast(float64, int64(n + 1023) << 52)


@kernel
def frexp_f32(x: float32) -> tuple[float32, int32]:
    """(m, n) with x = m·2^n and 1/2 ≤ |m| < 1; (x, 0) for zeros, infinities and NaN."""
    size = abs(x)
    small = size < LEAST_NORMAL_F32
    bits = bitcast(uint32, select(small, x * UP_32, x))
    n = int32((bits >> 23) & 255) - select(small, int32(158), int32(126))
    m = bitcast(float32, (bits & 0x807F_FFFF) | 0x3F00_0000)
    special = (size == 0.0) | (not (size <= LARGEST_F32))
    return select(special, x, m), select(special, int32(0), n)


@kernel
def frexp_f64(x: float64) -> tuple[float64, int32]:
    """(m, n) with x = m·2^n and 1/2 ≤ |m| < 1; (x, 0) for zeros, infinities and NaN."""
    size = abs(x)
    small = size < LEAST_NORMAL_F64
    bits = bitcast(uint64, select(small, x * UP_64, x))
    n = int32((bits >> 52) & 2047) - select(small, int32(1086), int32(1022))
    m = bitcast(float64, (bits & 0x800F_FFFF_FFFF_FFFF) | 0x3FE0_0000_0000_0000)
    special = (size == 0.0) | (not (size <= LARGEST_F64))
    return select(special, x, m), select(special, int32(0), n)


@kernel
def ldexp_f32(x: float32, n: int32) -> float32:
    """x·2^n, rounded once; any n."""
    return float32(float64(x) * power_of_two(clamp(n, -300, 300)))


@kernel
def ldexp_f64(x: float64, n: int32) -> float64:
    """x·2^n, rounded once; any n.

    Of three factors only the last that is not 1 can round: one of 2^-969 that does so leaves
    less than 2^-1022, which the next, then at most 2^-54, takes to zero.
    """
    first = select(n < -1022, int32(-969), min(n, 1023))
    n -= first
    second = select(n < -1022, int32(-969), min(n, 1023))
    third = max(min(n - second, 1023), -1022)
    return ((x * power_of_two(first)) * power_of_two(second)) * power_of_two(third)


@kernel
def modf_f32(x: float32) -> tuple[float32, float32]:
    """(fraction, whole part) of x, both with its sign; (±0, ±∞) for infinities."""
    whole = trunc(x)
    fraction = select(whole == x, float32(0.0), x - whole)
    return copysign(fraction, x), whole


@kernel
def modf_f64(x: float64) -> tuple[float64, float64]:
    """(fraction, whole part) of x, both with its sign; (±0, ±∞) for infinities."""
    whole = trunc(x)
    fraction = select(whole == x, 0.0, x - whole)
    return copysign(fraction, x), whole
