"""float64 expm1, correctly rounded: the table and polynomial of exp with 1 taken off in two parts.

Around 0, where the table's part is 0, r² too is kept in two parts, so that the error is that of
r³/6. A rounding test and `exp_exact_f64` decide as for exp.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, select
from samebits.lang.values.scalars import float64, int32, uint64
from samebits.mathlib.float64.exp_exact_f64 import expm1_exact
from samebits.mathlib.float64.exp_f64 import reduce_exp, scale
from samebits.mathlib.float64.exp_log_f64_table import POWERS
from samebits.mathlib.primitives import muladd, product_error

# exp(r) - 1 - r - r²/2 by its series: for |r| ≤ log(2)/256 what is left out is below 2^-83.
E3 = 1.0 / 6.0
E4 = 1.0 / 24.0
E5 = 1.0 / 120.0
E6 = 1.0 / 720.0
E7 = 1.0 / 5040.0

LARGEST = 680.0
"""Up to here what is computed stays below 2^995."""
MARGIN_R = 2.0**-51
MARGIN_S = 2.0**-74
"""The error of s + low is below MARGIN_R·t·|r|³ + MARGIN_S·|s|, t the power from the table: r³/6
and the sums that it enters round to 2^-55·|r|³ each. Proven by `make prove-rounding`."""


@kernel
def power_less_one(k: uint64, r: float64, r_low: float64) -> tuple[float64, float64, float64]:
    """2^(k/128)·e^(r + r_low) - 1 as a sum s + low, and the margin of its error.

    Where that is below 2^995, |r| ≤ 2^-8.5, and |r_low| ≤ 2^-60.2 and for k = 0 ≤ 2^-51·|r|.
    """
    i = int32(k & 127)
    unit = scale(k)
    t = POWERS[2 * i] * unit
    t_low = POWERS[2 * i + 1] * unit
    a = t - 1.0
    minus_1 = a - t
    a_low = (t - (a - minus_1)) - (1.0 + minus_1)
    z = r * r
    h = 0.5 * z
    v = r + h
    cube = z * r
    quintic = muladd(z, muladd(z, E7, muladd(r, E6, E5)), muladd(r, E4, E3))
    square_low = muladd(0.5, product_error(r, r), muladd(r, r_low, r_low))
    v_low = (h - (v - r)) + muladd(cube, quintic, square_low)
    p = t * v
    s = a + p  # a is 0 or greater than p
    low = product_error(t, v) + muladd(t, v_low, muladd(t_low, v, t_low + a_low))
    margin = muladd(abs(cube) * t, MARGIN_R, abs(s) * MARGIN_S)
    return s, (p - (s - a)) + low, margin


@kernel
def expm1_in_two_parts(x: float64) -> tuple[float64, float64, float64]:
    """e^x - 1 as a sum s + low, and the margin of its error, for |x| ≤ 680."""
    k, r, r_low = reduce_exp(x)
    s, low, margin = power_less_one(k, r, r_low)
    return s, low, margin


@kernel
def expm1(x: float64) -> float64:
    """e^x - 1, correctly rounded."""
    s, low, margin = expm1_in_two_parts(x)
    y = s + (low - margin)
    if (not abs(x) <= LARGEST) | (y != s + (low + margin)):
        return expm1_exact(x)
    return select(x == 0.0, x, y)
