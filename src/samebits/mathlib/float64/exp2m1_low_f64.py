"""float64 exp2m1 and exp10m1 at LOW precision, by the method of expm1 at LOW.

MEDIUM is that of HIGH.

Nothing is fused: the results are not correctly rounded, and have to be the same everywhere
nevertheless.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, select
from samebits.lang.values.scalars import float64, uint64
from samebits.mathlib.float64.exp_f64 import LN2, LN10, ONE_BITS, ROUNDER
from samebits.mathlib.float64.exp_fast_f64 import LG2_1, LG2_2, PER_LG2, between, low_rest

BOUND_2 = 1024.25
BOUND_10 = 308.3
"""Beyond, results are infinite."""
LEAST_2 = -80.0
LEAST_10 = -24.0
"""Below, results round to -1."""
TINY = 2.0**-60
"""Below, results round to x·log 2 and x·log 10."""


@kernel
def times_power_less_one(shifted: float64, rest: float64) -> float64:
    """2^k·(1 + rest) - 1 for the k ≤ 1024 that `shifted` = k + ROUNDER holds."""
    # An eighth, so that no power of two overflows.
    unit = 0.5 * bitcast(float64, ((bitcast(uint64, shifted) - 2) << 52) + ONE_BITS)
    return 8.0 * (unit * rest + (unit - 0.125))


@kernel
def exp2m1_low(x: float64) -> float64:
    """2^x - 1, within 40 ULP."""
    inside = between(x, LEAST_2, BOUND_2)
    shifted = inside + ROUNDER
    y = times_power_less_one(shifted, low_rest((inside - (shifted - ROUNDER)) * LN2))
    return select(abs(x) < TINY, x * LN2, y)


@kernel
def exp10m1_low(x: float64) -> float64:
    """10^x - 1, within 40 ULP."""
    inside = between(x, LEAST_10, BOUND_10)
    shifted = inside * PER_LG2 + ROUNDER
    k = shifted - ROUNDER
    y = times_power_less_one(shifted, low_rest(((inside - k * LG2_1) - k * LG2_2) * LN10))
    return select(abs(x) < TINY, x * LN10, y)
