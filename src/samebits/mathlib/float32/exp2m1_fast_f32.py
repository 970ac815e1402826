"""float32 exp2m1 and exp10m1 at MEDIUM and LOW precision, by the method of expm1.

Owns these kernels. Nothing is fused: the results are not correctly rounded, and have to be the same
everywhere nevertheless.
"""

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import copysign, select
from samebits.lang.values.scalars import float32, float64
from samebits.mathlib.float32.exp_f32 import ROUNDER, power_of_two
from samebits.mathlib.float32.exp_fast_f32 import (
    L1,
    L2,
    L3,
    L4,
    L5,
    LN2,
    LN10,
    LOG2_10,
    LOG10_2,
    LOG10_2_REST,
    LOG10_2_TOP,
    M1,
    M2,
    M3,
    M4,
    M5,
    M6,
    M7,
    scale,
)


@kernel
def less_one_medium(rounded: float32, r: float64) -> float64:
    """2^k·e^r − 1 for |r| ≤ 0.3475 and the k that `rounded` = k + ROUNDER holds."""
    z = r * r
    p = (M1 + r * M2) + z * ((M3 + r * M4) + z * ((M5 + r * M6) + z * M7))
    power = power_of_two(rounded)
    return (power - 1.0) + power * (r * p)


@kernel
def exp2m1_medium(x: float32) -> float32:
    """2^x − 1, at most 0.51 ULP off; −1 for −inf, −0 for −0."""
    x = select(x > 129.0, 129.0, x)
    x = select(x < -30.0, -30.0, x)
    rounded = x + ROUNDER
    r = float64(x - (rounded - ROUNDER)) * LN2
    return copysign(float32(less_one_medium(rounded, r)), x)


@kernel
def exp10m1_medium(x: float32) -> float32:
    """10^x − 1, at most 0.51 ULP off; −1 for −inf, −0 for −0."""
    x = select(x > 39.0, 39.0, x)
    x = select(x < -9.0, -9.0, x)
    rounded = x * LOG2_10 + ROUNDER
    r = (float64(x) - float64(rounded - ROUNDER) * LOG10_2) * LN10
    return copysign(float32(less_one_medium(rounded, r)), x)


@kernel
def less_one_low(rounded: float32, r: float32) -> float32:
    """2^k·e^r − 1 for |r| ≤ 0.3475 and the k ≤ 128 that `rounded` = k + ROUNDER holds."""
    p = r * (L1 + r * (L2 + r * (L3 + r * (L4 + r * L5))))
    power = scale(rounded - 1.0)
    half = (power - 0.5) + power * p  # so that no power overflows
    return half + half


@kernel
def exp2m1_low(x: float32) -> float32:
    """2^x − 1, at most 20 ULP off; −1 for −inf, −0 for −0."""
    x = select(x > 128.25, 128.25, x)
    x = select(x < -30.0, -30.0, x)
    rounded = x + ROUNDER
    r = (x - (rounded - ROUNDER)) * LN2
    return copysign(less_one_low(rounded, r), x)


@kernel
def exp10m1_low(x: float32) -> float32:
    """10^x − 1, at most 20 ULP off; −1 for −inf, −0 for −0."""
    x = select(x > 38.6, 38.6, x)
    x = select(x < -9.0, -9.0, x)
    rounded = x * LOG2_10 + ROUNDER
    k = rounded - ROUNDER
    r = ((x - k * LOG10_2_TOP) - k * LOG10_2_REST) * LN10
    return copysign(less_one_low(rounded, r), x)
