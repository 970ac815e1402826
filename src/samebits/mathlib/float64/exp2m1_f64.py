"""float64 exp2m1 and exp10m1, correctly rounded: reduced as for exp2 and exp10, then as expm1.

A rounding test and `exp_exact_f64` decide as for those.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, select
from samebits.lang.values.scalars import float64, uint64
from samebits.mathlib.float64.exp_exact_f64 import exp2m1_exact, exp10m1_exact
from samebits.mathlib.float64.exp_f64 import (
    LN2,
    LN2_LOW,
    LN10,
    LN10_LOW,
    ROUNDER,
    STEP_10_1,
    STEP_10_2,
    STEPS_PER_UNIT_10,
    STEPS_ROUNDER,
)
from samebits.mathlib.float64.expm1_f64 import power_less_one
from samebits.mathlib.primitives import muladd, product_error

LARGEST = 980.0
LARGEST_10 = 295.0
"""Up to these what is computed stays below 2^995."""
SMALLEST = 2.0**-900
"""From here on, the low half of a product with log 2 or log 10 is normal."""


@kernel
def exp2m1_in_two_parts(x: float64) -> tuple[float64, float64, float64]:
    """2^x - 1 as a sum s + low, and the margin of its error, for 2^-900 ≤ |x| ≤ 980 and x = 0."""
    shifted = x + STEPS_ROUNDER
    f = x - (shifted - STEPS_ROUNDER)  # exact, |f| ≤ 1/256
    r_low = muladd(f, LN2_LOW, product_error(f, LN2))
    s, low, margin = power_less_one(bitcast(uint64, shifted), f * LN2, r_low)
    return s, low, margin


@kernel
def exp2m1(x: float64) -> float64:
    """2^x - 1, correctly rounded."""
    s, low, margin = exp2m1_in_two_parts(x)
    y = s + (low - margin)
    size = abs(x)
    known = (size <= LARGEST) & ((size >= SMALLEST) | (x == 0.0))
    if not (known & (y == s + (low + margin))):
        return exp2m1_exact(x)
    return select(x == 0.0, x, y)


@kernel
def exp10m1_in_two_parts(x: float64) -> tuple[float64, float64, float64]:
    """10^x - 1 as a sum s + low, and the margin of its error, for 2^-900 ≤ |x| ≤ 295 and x = 0."""
    shifted = muladd(x, STEPS_PER_UNIT_10, ROUNDER)
    count = shifted - ROUNDER
    f = x - count * STEP_10_1  # both exact
    rest = count * STEP_10_2
    near = f - rest
    f_low = (f - near) - rest
    r_low = product_error(near, LN10) + muladd(near, LN10_LOW, f_low * LN10)
    s, low, margin = power_less_one(bitcast(uint64, shifted), near * LN10, r_low)
    return s, low, margin


@kernel
def exp10m1(x: float64) -> float64:
    """10^x - 1, correctly rounded."""
    s, low, margin = exp10m1_in_two_parts(x)
    y = s + (low - margin)
    size = abs(x)
    known = (size <= LARGEST_10) & ((size >= SMALLEST) | (x == 0.0))
    if not (known & (y == s + (low + margin))):
        return exp10m1_exact(x)
    return select(x == 0.0, x, y)
