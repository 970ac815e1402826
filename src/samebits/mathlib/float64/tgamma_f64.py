"""float64 tgamma, correctly rounded: Γ(1 + |x|) in two parts, from a table or Stirling's formula.

The table and a series serve below 8. The result is a quotient: with x above 0, with sin πx below,
all in two parts.

A rounding test decides nearly all inputs, and `gamma_exact_f64` the rest with what underflows.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, clamp, select
from samebits.lang.values.scalars import float64, int32, uint64
from samebits.mathlib.float64.exp_f64 import MARGIN as EXP_MARGIN
from samebits.mathlib.float64.exp_f64 import ONE_BITS, power_in_two_parts
from samebits.mathlib.float64.gamma_exact_f64 import tgamma_exact
from samebits.mathlib.float64.gamma_f64_table import GAMMA_STEPS
from samebits.mathlib.float64.log_f64 import MARGIN_R, log_in_two_parts, reduce_log, reduced
from samebits.mathlib.float64.pow_f64 import MARGIN_LOG, reduce_exp_sum
from samebits.mathlib.float64.trigonometric_f64 import PI, PI_LOW, reduce_half_turns, turned
from samebits.mathlib.primitives import muladd, product_error

# (ln Γ(z) - (z - 1/2)·ln z + z - ln(2π)/2)·z - 1/12 = u·(R0 + … + R7·u⁷) for u = 1/z², z ≥ 8, off
# by 2^-70.8·z at most. Made by tools/math/gamma_f64_table.py --constants, as 1/12 and ln(2π)/2.
R0 = float.fromhex("-0x1.6c16c16c16c17p-9")
R1 = float.fromhex("0x1.a01a01a018606p-11")
R2 = float.fromhex("-0x1.3813812f791bbp-11")
R3 = float.fromhex("0x1.b951d14e701f6p-11")
R4 = float.fromhex("-0x1.f6a25ce4e0b21p-10")
R5 = float.fromhex("0x1.a2e8c26d0dbcfp-8")
R6 = float.fromhex("-0x1.cc600a05593dep-6")
R7 = float.fromhex("0x1.dab18ba7ca6c0p-4")
TWELFTH = float.fromhex("0x1.5555555555555p-4")
TWELFTH_LOW = float.fromhex("0x1.5555555555555p-58")
HALF_LOG_TURN = float.fromhex("0x1.d67f1c864beb5p-1")
HALF_LOG_TURN_LOW = float.fromhex("-0x1.65b5a1b7ff5dfp-55")

STEPS_ROUNDER = 1.5 * 2.0**47
"""Adding it to |v| < 2^46 rounds v to a multiple of 1/32, whose count stands in the low bits."""
LAST_STEP = 256
LARGEST_STEP = 8.0
"""Up to here the table goes, and from here on Stirling's formula."""
SMALLEST = 2.0**-900
LARGEST = 171.625
"""From here on Γ is beyond float64."""
LEAST = -170.0
"""From here on results are normal numbers."""
EIGHT_BINARY_ORDERS = 8 << 52
TABLE_MARGIN = 2.0**-67
"""Bounds the relative error of `gamma_of_steps`: what the series leaves out, 2^-71.8, and its
fourth term and on, at most 2^-17.2 of Γ, rounded seven times by 2^-53: in all 2^-67.3."""
STIRLING_MARGIN = 2.0**-67
"""Bounds the error of Stirling's series after 1/(12z): 2^-70.8 for the polynomial, and at most
2^-17.5, rounded eight times by 2^-53: in all 2^-67.3."""
QUOTIENT_MARGIN = 2.0**-98
"""For low halves, rounded less than twenty times by 2^-53 times 2^-51 of the result."""


@kernel
def quadratic_in_two_parts(
    first: float64, first_low: float64, slope: float64, slope_low: float64,
    bend: float64, bend_low: float64, h: float64, rest: float64,
) -> tuple[float64, float64]:  # fmt: skip
    """first + slope·h + bend·h² + rest as a sum s + low, the first above each of the others."""
    p = slope * h
    line = first + p
    z = h * h
    q = bend * z
    curve = line + q
    low = muladd(bend, product_error(h, h), muladd(bend_low, z, muladd(slope_low, h, first_low)))
    low = ((p - (line - first)) + (q - (curve - line))) + (
        product_error(slope, h) + (product_error(bend, z) + low)
    )
    low = low + rest
    s = curve + low
    return s, low - (s - curve)


@kernel
def gamma_of_steps(z: float64) -> tuple[float64, float64]:
    """Γ(1 + z) as a sum s + low, for 0 ≤ z ≤ 8, to a relative TABLE_MARGIN."""
    rounded = z + STEPS_ROUNDER
    h = z - (rounded - STEPS_ROUNDER)
    i = 15 * clamp(int32(bitcast(uint64, rounded) & 511), 0, LAST_STEP)
    v = h * h
    high = muladd(v, muladd(h, GAMMA_STEPS[i + 14], GAMMA_STEPS[i + 13]),
                  muladd(h, GAMMA_STEPS[i + 12], GAMMA_STEPS[i + 11]))  # fmt: skip
    high = muladd(v, high, muladd(h, GAMMA_STEPS[i + 10], GAMMA_STEPS[i + 9]))
    high = muladd(v, high, muladd(h, GAMMA_STEPS[i + 8], GAMMA_STEPS[i + 7]))
    return quadratic_in_two_parts(
        GAMMA_STEPS[i], GAMMA_STEPS[i + 1], GAMMA_STEPS[i + 2], GAMMA_STEPS[i + 3],
        GAMMA_STEPS[i + 4], GAMMA_STEPS[i + 5], h,
        (v * h) * muladd(h, high, GAMMA_STEPS[i + 6]),
    )  # fmt: skip


@kernel
def log_of_normal(x: float64) -> tuple[float64, float64, float64]:
    """ln x as a sum s + low, |low| ≤ 2^-53·|s|, and the margin of its error, for normal x > 0."""
    u, z_bits, e = reduce_log(x)
    r = reduced(bitcast(float64, z_bits), u)
    a, a_low, _ = log_in_two_parts(e, u, r, 0.0)
    log = a + a_low
    margin = muladd(abs(r) * (r * r), MARGIN_R, abs(log) * MARGIN_LOG)
    return log, (a - log) + a_low, margin


@kernel
def stirling_in_two_parts(
    z: float64, y: float64, y_low: float64, log: float64, log_low: float64
) -> tuple[float64, float64]:
    """y·ln z - z + ln(2π)/2 + 1/(12z) - … as a sum s + low, off by STIRLING_MARGIN and 2^-98·s at
    most but for y times the logarithm's error; for 8 ≤ z ≤ 2^900 and y + y_low = z ± 1/2."""
    p = y * log
    low = muladd(y, log_low, muladd(y_low, log, product_error(y, log)))
    inverse = 1.0 / z
    inverse_low = ((1.0 - z * inverse) - product_error(z, inverse)) * inverse
    w = inverse * inverse
    v = w * w
    high = muladd(v, muladd(w, R7, R6), muladd(w, R5, R4))
    high = muladd(v, high, muladd(w, R3, R2))
    high = muladd(v, high, muladd(w, R1, R0))
    t = inverse * TWELFTH
    of_twelfth = muladd(inverse_low, TWELFTH, product_error(inverse, TWELFTH))
    rest = muladd(inverse * w, high, muladd(inverse, TWELFTH_LOW, of_twelfth))
    s1 = p - z
    s2 = s1 + HALF_LOG_TURN
    s3 = s2 + t
    low = low + (((p - s1) - z) + ((HALF_LOG_TURN - (s2 - s1)) + (t - (s3 - s2))))
    low = low + (rest + HALF_LOG_TURN_LOW)
    s = s3 + low
    return s, low - (s - s3)


@kernel
def gamma_of_1_more(z: float64) -> tuple[uint64, float64, float64, float64]:
    """k, a multiple of 2^7 in its low 18 bits, and Γ(1 + z)·2^-(k / 128) as a sum s + low, and a
    margin of its error relative to it; for 0 ≤ z ≤ 172."""
    far = z >= LARGEST_STEP
    g, g_low = gamma_of_steps(select(far, 1.0, z))
    z = select(far, z, LARGEST_STEP)
    y = z + 0.5
    log, log_low, of_log = log_of_normal(z)
    s, s_low = stirling_in_two_parts(z, y, (z - y) + 0.5, log, log_low)
    k, r, r_low = reduce_exp_sum(s, s_low)
    s, s_low = power_in_two_parts(k, r, r_low)
    f = s + s_low
    f_low = s_low - (f - s)
    margin = select(far, muladd(of_log, y, EXP_MARGIN + STIRLING_MARGIN), TABLE_MARGIN)
    k = select(far, k & ~uint64(127), uint64(0))
    return k, select(far, f, g), select(far, f_low, g_low), margin


@kernel
def gamma_in_two_parts(x: float64) -> tuple[uint64, float64, float64, float64]:
    """k as above, and Γ(x)·2^-(k / 128) or, for x < 0, Γ(x)·2^(k / 128) as a sum s + low, and the
    margin of its error; for 2^-900 ≤ |x| ≤ 172.

    Γ(x) is Γ(1 + x)/x, and -π/(Γ(1 - x)·sin -πx).
    """
    negative = x < 0.0
    z = abs(x)
    k, f, f_low, margin = gamma_of_1_more(z)
    n, d, d_low = reduce_half_turns(z)
    s, s_low, s_margin = turned(n, d, d_low)
    sine = s + s_low
    sine_low = s_low - (sine - s)
    over = f * sine
    over_low = product_error(f, sine) + muladd(f, sine_low, f_low * sine)
    over = select(negative, over, z)
    over_low = select(negative, over_low, 0.0)
    above = select(negative, -PI, f)
    above_low = select(negative, -PI_LOW, f_low)
    inverse = 1.0 / over
    q = above * inverse
    rest = (above - q * over) - product_error(q, over)
    low = (rest + muladd(-q, over_low, above_low)) * inverse
    of_sine = select(negative, s_margin * abs(f * inverse), 0.0)
    return k, q, low, abs(q) * ((margin + of_sine) + QUOTIENT_MARGIN)


@kernel
def tgamma(x: float64) -> float64:
    """Γ(x), correctly rounded; NaN for -inf and negative integers, infinities for zeros."""
    known = (abs(x) >= SMALLEST) & (x >= LEAST) & (x <= LARGEST)
    inside = select(known, x, 1.0)
    k, s, low, margin = gamma_in_two_parts(inside)
    y = s + (low - margin)
    if (not known) | (y != s + (low + margin)):
        return tgamma_exact(x)
    # Above 0 the unit is taken 2^8 too small: the last product alone overflows.
    negative = inside < 0.0
    bits = select(negative, ONE_BITS - (k << 45), (ONE_BITS - EIGHT_BINARY_ORDERS) + (k << 45))
    return (y * bitcast(float64, bits)) * select(negative, 1.0, 256.0)
