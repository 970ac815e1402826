"""float32 logaddexp, correctly rounded: the greater argument plus log1p of an exp, in float64.

The exp is of the difference. What float64 leaves open, 192-bit integers decide.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, max, min, select
from samebits.lang.values.scalars import float32, float64
from samebits.mathlib.float32.exp_f32 import (
    E2,
    E3,
    E4,
    E5,
    E6,
    E7,
    E8,
    E9,
    E10,
    E11,
    LN2,
    LN2_LOW,
    LOG2_E,
    ROUNDER,
    power_of_two,
)
from samebits.mathlib.float32.log_f32 import log_near_one
from samebits.mathlib.float64.logaddexp_exact_f64 import FAR, LARGEST, wide_logaddexp
from samebits.mathlib.primitives import cold_kernel, muladd
from samebits.mathlib.wide.to_float32 import to_float32

NEAR = -110.0
"""Below, e^d is less than half of the least float32."""
NOTICED = 2.0**-120
"""Of numbers from here on, e^-110 changes no rounding."""
LN2_WHOLE = float.fromhex("0x1.62e42fefa39efp-1")
ROOT_TWO_LESS_1 = 0.41421356
"""About: it only says of which half of the numbers from 1 to 2 the logarithm is taken."""
MARGIN = 2.0**-47
"""Of the greater and what is added to it, each as large as it is. What is added is off by a
relative 2^-51, and by half an ULP of the difference d; that is at most 2^-48 where it is more than
2^-53·|d|/8 of the greater and of the sum: there the greater is about -e^d, cancels it, and is all
that d can lose. The sum's rounding is 2^-53 of it."""


@cold_kernel
def logaddexp_rare(x: float32, y: float32) -> float32:
    """log(e^x + e^y), from 192-bit integers; NaN for NaN."""
    if x != x or y != y:
        return x + y
    big = max(float64(x), float64(y))
    small = min(float64(x), float64(y))
    if not (abs(big) <= LARGEST and small >= -LARGEST) or big - small > FAR:
        return float32(big + 0.0)
    n, e, x2, x1, x0 = wide_logaddexp(big, small)
    return to_float32(n, e, x2, x1, x0)


@kernel
def exp_below_0(d: float64) -> float64:
    """e^d for -110 ≤ d ≤ 0."""
    rounded = muladd(float32(d), LOG2_E, ROUNDER)
    k = float64(rounded - ROUNDER)
    r = muladd(k, -LN2_LOW, muladd(k, -LN2, d))
    z = r * r
    q = muladd(z, muladd(z, muladd(r, E11, E10), muladd(r, E9, E8)), muladd(r, E7, E6))
    p = muladd(z, muladd(z, q, muladd(r, E5, E4)), muladd(r, E3, E2))
    return (muladd(z, p, r) + 1.0) * power_of_two(rounded)


@kernel
def logaddexp(x: float32, y: float32) -> float32:
    """log(e^x + e^y), correctly rounded."""
    big = select(x < y, float64(y), float64(x))
    small = select(x < y, float64(x), float64(y))
    d = small - big
    near = d >= NEAR
    power = exp_below_0(select(near, d, NEAR))
    upper = power > ROOT_TWO_LESS_1
    f = select(upper, muladd(power, 0.5, -0.5), power)
    rest = muladd(select(upper, 1.0, 0.0), LN2_WHOLE, log_near_one(f, f / (f + 2.0)))
    wide = big + rest
    margin = (abs(wide) + rest) * MARGIN
    result = float32(wide - margin)
    far = d < NEAR and abs(big) >= NOTICED
    if not (far or (near and result == float32(wide + margin))):
        return logaddexp_rare(x, y)
    return select(far, float32(big), result)
