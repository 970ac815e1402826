"""float32 asinh, acosh and atanh at MEDIUM precision, in float64, and at LOW, in float32.

Owns these kernels. Nothing is fused: the results are not correctly rounded, and have to be the same
everywhere nevertheless.
"""

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, copysign, select, sqrt
from samebits.lang.values.scalars import float32, float64, int32, uint64
from samebits.mathlib.float32.asinh_f32 import exponent
from samebits.mathlib.float32.exp_fast_f32 import LN2
from samebits.mathlib.float32.log_f32 import INFINITY, NAN, ROOT_HALF
from samebits.mathlib.float32.log_fast_f32 import log_of_ratio

# log((1 + s)/(1 - s)) = 2·s + s³·(A3 + …) for |s| ≤ 0.2010, relative error 2^-21.3: for LOW. Made
# by tools/math/medium_low_f32.sollya.
A3 = 0.66645586490631103515625
A5 = 0.4166606366634368896484375
HALF_LN2 = 0.5 * LN2
LIMIT_LOW = 2.0**62
HUGE = 2.0**127


@kernel
def asinh_medium(x: float32) -> float32:
    """Inverse hyperbolic sine, at most 0.51 ULP off; −0 for −0."""
    a = abs(float64(x))
    q = sqrt(a * a + 1.0)
    w = a + q
    k = exponent(w)
    power = bitcast(float64, uint64(1023 + k) << 52)
    near = k == 0
    s = select(near, a, w - power) / (select(near, q, w) + power)
    y = float32(float64(k) * LN2 + log_of_ratio(s))
    return copysign(select(abs(x) < INFINITY, y, abs(x)), x)


@kernel
def acosh_medium(x: float32) -> float32:
    """Inverse hyperbolic cosine, at most 0.51 ULP off; NaN below 1."""
    a = float64(x)
    q = sqrt(a * a - 1.0)
    w = a + q
    k = exponent(w)
    power = bitcast(float64, uint64(1023 + k) << 52)
    near = k == 0
    s = select(near, q, w - power) / (select(near, a, w) + power)
    y = select(x < INFINITY, float32(float64(k) * LN2 + log_of_ratio(s)), x)
    return select(x >= 1.0, y, NAN)


@kernel
def atanh_medium(x: float32) -> float32:
    """Inverse hyperbolic tangent, at most 0.51 ULP off; ±inf for ±1, NaN beyond, −0 for −0."""
    a = float64(x)
    k = (bitcast(int32, x + 1.0) - bitcast(int32, 1.0 - x) + 0x40_0000) >> 23
    power = bitcast(float64, uint64(1023 + k) << 52)
    less = power - 1.0
    more = power + 1.0
    s = (a * more - less) / (more - a * less)
    y = float64(k) * HALF_LN2 + 0.5 * log_of_ratio(s)
    result = copysign(float32(y), x)
    size = abs(x)
    return select(size < 1.0, result, select(size == 1.0, copysign(INFINITY, x), NAN))


@kernel
def log_of_ratio_low(s: float32) -> float32:
    """log((1 + s)/(1 - s)) for |s| ≤ 0.2010."""
    z = s * s
    return (s + s) + (s * z) * (A3 + z * A5)


@kernel
def asinh_low(x: float32) -> float32:
    """Inverse hyperbolic sine, at most 20 ULP off for |x| < 2^62; ±inf beyond, −0 for −0."""
    a = abs(x)
    q = sqrt(a * a + 1.0)
    w = a + q
    k = (bitcast(int32, w) - ROOT_HALF) >> 23
    power = bitcast(float32, (127 + k) << 23)
    near = k == 0
    s = select(near, a, w - power) / (select(near, q, w) + power)
    y = float32(k) * LN2 + log_of_ratio_low(s)
    return select(a < LIMIT_LOW, copysign(y, x), x * HUGE)


@kernel
def acosh_low(x: float32) -> float32:
    """Inverse hyperbolic cosine, at most 20 ULP off for x < 2^62; inf above, NaN below 1."""
    q = sqrt((x - 1.0) * (x + 1.0))
    w = x + q
    k = (bitcast(int32, w) - ROOT_HALF) >> 23
    power = bitcast(float32, (127 + k) << 23)
    near = k == 0
    s = select(near, q, w - power) / (select(near, x, w) + power)
    y = select(x < LIMIT_LOW, float32(k) * LN2 + log_of_ratio_low(s), x * HUGE)
    return select(x >= 1.0, y, NAN)


@kernel
def atanh_low(x: float32) -> float32:
    """Inverse hyperbolic tangent, at most 20 ULP off; ±inf for ±1, NaN beyond, −0 for −0."""
    up = x + 1.0
    down = 1.0 - x
    k = (bitcast(int32, up) - bitcast(int32, down) + 0x40_0000) >> 23
    down = down * bitcast(float32, (127 + k) << 23)
    # Near ±1 the smaller of the two is exact; near 0 their difference is not.
    s = select(k == 0, x + x, up - down) / (up + down)
    y = copysign(float32(k) * HALF_LN2 + 0.5 * log_of_ratio_low(s), x)
    size = abs(x)
    return select(size < 1.0, y, select(size == 1.0, copysign(INFINITY, x), NAN))
