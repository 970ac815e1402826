"""float64 exp, exp2 and exp10, correctly rounded: 2^(k/128) from a table times a polynomial.

The table is that of Tang, "Table-driven implementation of the exponential function in IEEE
floating-point arithmetic", ACM Transactions on Mathematical Software 15(2), 1989; a sum of two
parts and a rounding test decide all but one input in twenty thousand, and `exp_exact_f64` the rest
with what overflows, underflows or is no number.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast
from samebits.lang.values.scalars import float64, int32, uint64
from samebits.mathlib.float64.exp_exact_f64 import exp2_exact, exp10_exact, exp_exact
from samebits.mathlib.float64.exp_log_f64_table import POWERS
from samebits.mathlib.primitives import muladd, product_error

ROUNDER = 1.5 * 2.0**52
"""Adding it to |v| < 2^51 rounds v to an integer, which stands in the sum's low bits."""
STEPS_ROUNDER = ROUNDER / 128.0
"""The same for multiples of 1/128."""

ONE_BITS = 0x3FF0_0000_0000_0000

# exp(r) - 1 - r - r²/2 = E3·r³ + … + E6·r⁶ for |r| ≤ log(2)/256, off by 2^-77.2 at most. Made by
# tools/math/exp_log_f64.sollya.
E3 = float.fromhex("0x1.555555555549p-3")
E4 = float.fromhex("0x1.55555555554bfp-5")
E5 = float.fromhex("0x1.111115b6733afp-7")
E6 = float.fromhex("0x1.6c16c6fdae49bp-10")

# Made by tools/math/exp_log_f64_table.py --constants. STEP is log(2)/128 and STEP_10 log10(2)/128,
# the first parts of 35 bits, exact times a count of steps below 2^18.
STEPS_PER_UNIT = float.fromhex("0x1.71547652b82fep+7")
STEP_1 = float.fromhex("0x1.62e42fefc0000p-8")
STEP_2 = float.fromhex("-0x1.c610ca86c3899p-44")
STEPS_PER_UNIT_10 = float.fromhex("0x1.a934f0979a371p+8")
STEP_10_1 = float.fromhex("0x1.3441350a00000p-9")
STEP_10_2 = float.fromhex("-0x1.0c0219dc1da99p-46")
LN2 = float.fromhex("0x1.62e42fefa39efp-1")
LN2_LOW = float.fromhex("0x1.abc9e3b39803fp-56")
LN10 = float.fromhex("0x1.26bb1bbb55516p+1")
LN10_LOW = float.fromhex("-0x1.f48ad494ea3e9p-53")

LARGEST = 708.0
LARGEST_2 = 1022.0
LARGEST_10 = 307.0
"""Up to here results are normal numbers; beyond, the exact phase takes over."""
MARGIN = 1.5 * 2.0**-68
"""Bounds the relative error of `power_in_two_parts` as exp and exp2 use it, with the rounding of
low ± margin: proven, as the other, by `make prove-rounding`."""
MARGIN_10 = 2.0**-67
"""The same as exp10 uses it, whose r_low is larger."""


@kernel
def reduce_exp(x: float64) -> tuple[uint64, float64, float64]:
    """x = k·log(2)/128 + r + r_low: k in the low bits, |r| ≤ 2^-8.5, r_low ≤ 2^-62; |x| ≤ 709."""
    shifted = muladd(x, STEPS_PER_UNIT, ROUNDER)
    k = shifted - ROUNDER
    r = x - k * STEP_1  # both exact
    rest = k * STEP_2
    near = r - rest
    return bitcast(uint64, shifted), near, (r - near) - rest


@kernel
def power_in_two_parts(k: uint64, r: float64, r_low: float64) -> tuple[float64, float64]:
    """2^(k/128 mod 1)·exp(r + r_low) as a sum s + low, for |r| ≤ 2^-8.5 and r_low ≤ 2^-61."""
    i = int32(k & 127)
    t = POWERS[2 * i]
    t_low = POWERS[2 * i + 1]
    z = r * r
    cubic = muladd(z, muladd(r, E6, E5), muladd(r, E4, E3))
    q = muladd(z * r, cubic, muladd(z, 0.5, r_low))
    p = t * r
    s = t + p
    lost = p - (s - t)
    return s, lost + (product_error(t, r) + muladd(t_low, r, muladd(t, q, t_low)))


@kernel
def scale(k: uint64) -> float64:
    """2^(k // 128) where that is a normal number; of k the low 18 bits count."""
    return bitcast(float64, ((k & ~uint64(127)) << 45) + ONE_BITS)


@kernel
def exp(x: float64) -> float64:
    """e^x, correctly rounded."""
    k, r, r_low = reduce_exp(x)
    s, low = power_in_two_parts(k, r, r_low)
    margin = MARGIN * s
    y = s + (low - margin)
    if (not abs(x) <= LARGEST) | (y != s + (low + margin)):
        return exp_exact(x)
    return y * scale(k)


@kernel
def exp2(x: float64) -> float64:
    """2^x, correctly rounded."""
    shifted = x + STEPS_ROUNDER
    k = bitcast(uint64, shifted)
    rounded = shifted - STEPS_ROUNDER
    f = x - rounded  # exact, |f| ≤ 1/256
    r = f * LN2
    s, low = power_in_two_parts(k, r, muladd(f, LN2_LOW, product_error(f, LN2)))
    margin = MARGIN * s
    y = s + (low - margin)
    if (not abs(x) <= LARGEST_2) | (y != s + (low + margin)):
        return exp2_exact(x)
    return y * scale(k)


@kernel
def exp10(x: float64) -> float64:
    """10^x, correctly rounded."""
    shifted = muladd(x, STEPS_PER_UNIT_10, ROUNDER)
    count = shifted - ROUNDER
    f = x - count * STEP_10_1  # both exact
    rest = count * STEP_10_2
    near = f - rest
    f_low = (f - near) - rest
    r = near * LN10
    r_low = product_error(near, LN10) + muladd(near, LN10_LOW, f_low * LN10)
    k = bitcast(uint64, shifted)
    s, low = power_in_two_parts(k, r, r_low)
    margin = MARGIN_10 * s
    y = s + (low - margin)
    if (not abs(x) <= LARGEST_10) | (y != s + (low + margin)):
        return exp10_exact(x)
    return y * scale(k)
