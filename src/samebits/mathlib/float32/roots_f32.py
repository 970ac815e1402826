"""float32 cbrt and rsqrt, correctly rounded on all 2³² inputs, in a straight line.

Owns these kernels at precision HIGH: a root good to 17 or 22 bits in float32, and one step of a
series in float64 that leaves an error of a few 2^-53.
"""

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, copysign, select, sqrt
from samebits.lang.values.scalars import float32, float64, int32, uint64
from samebits.mathlib.float32.log_f32 import INFINITY, LEAST_NORMAL, NAN, TWO_24
from samebits.mathlib.primitives import muladd

# m^(-1/3) for 1 ≤ m ≤ 2, relative error 2^-17.4, float32 coefficients. Made by
# tools/math/powers_f32.sollya.
R0 = 1.781043529510498046875
R1 = -1.5659770965576171875
R2 = 1.24371135234832763671875
R3 = -0.597820222377777099609375
R4 = 0.15605318546295166015625
R5 = -1.701649837195873260498046875e-2
ROOT_TWO = 2.0 ** (1 / 3)
"""Only a start of the series: its last bits do not matter."""
INVERSE_ROOT_TWO = 2.0 ** (-1 / 3)
# (1 - h)^(-2/3) = 1 + H1·h + H2·h² + …, Taylor's series.
H1 = 2.0 / 3.0
H2 = 5.0 / 9.0
H3 = 40.0 / 81.0


@kernel
def cbrt(x: float32) -> float32:
    """Cube root, correctly rounded; −0 for −0."""
    size = abs(x)
    small = size < LEAST_NORMAL
    bits = bitcast(int32, select(small, size * TWO_24, size))
    exponent = bits >> 23
    third = (exponent * 171) >> 9  # exponent // 3
    rest = exponent - third * 3 - 1
    m = bitcast(float32, (bits & 0x7F_FFFF) | 0x3F80_0000)
    wide = bitcast(float32, (bits & 0x7F_FFFF) | ((rest + 127) << 23))  # m·2^rest
    z = m * m
    # R5 times m⁵ is the last: what is lost below, the series makes good.
    high = muladd(z, muladd(m, R5, R4), muladd(m, R3, R2))
    r = muladd(z, high, muladd(m, R1, R0))
    r = select(rest > 0, r * INVERSE_ROOT_TWO, select(rest < 0, r * ROOT_TWO, r))
    start = float64(r)
    t = float64(wide) * (start * start)
    h = muladd(t, -start, 1.0)
    p = muladd(h, muladd(h, H3, H2), H1)
    power = bitcast(float64, uint64(select(small, third - 8, third) + (1023 - 42)) << 52)
    y = float32(muladd(t * h, p, t) * power)
    y = select(size < INFINITY, y, size)
    return copysign(select(size > 0.0, y, size), x)


@kernel
def rsqrt(x: float32) -> float32:
    """1/√x, correctly rounded; ±inf for ±0, NaN below."""
    start = float64(1.0 / sqrt(x))
    h = muladd(float64(x) * start, -start, 1.0)
    result = float32(muladd(start * h, muladd(h, 0.375, 0.5), start))
    result = select(x < INFINITY, result, 0.0)
    return select(x > 0.0, result, select(x == 0.0, copysign(INFINITY, x), NAN))
