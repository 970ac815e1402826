"""float64 lgamma, correctly rounded, by Stirling's formula and by products around the zeros.

Stirling's formula serves from 8 on, below it a product with the distances from the zeros at 1 and
2, each in two parts, and below 0 the logarithm of 1/Γ's two parts.

A rounding test decides nearly all inputs, and `gamma_exact_f64` the rest: below 0, also those next
to zeros.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, clamp, select
from samebits.lang.values.scalars import float64, int32, uint64
from samebits.mathlib.float64.gamma_exact_f64 import lgamma_exact
from samebits.mathlib.float64.gamma_f64_table import LOG_GAMMA_STEPS
from samebits.mathlib.float64.log_f64 import (
    ONE_BITS,
    RECIPROCALS,
    log_in_two_parts,
    reduce_log,
    reduced,
)
from samebits.mathlib.float64.logaddexp_f64 import exact_sum
from samebits.mathlib.float64.tgamma_f64 import (
    LARGEST_STEP,
    QUOTIENT_MARGIN,
    SMALLEST,
    STEPS_ROUNDER,
    STIRLING_MARGIN,
    TABLE_MARGIN,
    gamma_of_steps,
    log_of_normal,
    quadratic_in_two_parts,
    stirling_in_two_parts,
)
from samebits.mathlib.float64.trigonometric_f64 import reduce_half_turns, turned
from samebits.mathlib.primitives import cold_kernel, muladd, product_error

# ln π in two parts, made by tools/math/gamma_f64_table.py --constants.
LOG_PI = float.fromhex("0x1.250d048e7a1bdp+0")
LOG_PI_LOW = float.fromhex("0x1.7abf2ad8d5088p-57")

NEAR = 0.75
"""Below, ln Γ(1 + x) - ln x."""
LARGEST = 2.0**900
LEAST = -(2.0**40)
"""Up to here below 0, angles are reduced exactly."""
BELOW_0 = 8
"""Steps of LOG_GAMMA_STEPS below 0."""
LAST_STEP = 232
MARGIN = 2.0**-67
"""Bounds the relative error of ln Γ below 8: 2^-70.9 for what the series leaves out, and its fourth
term and on, at most 2^-19.1 of all, rounded seven times by 2^-53: in all 2^-68.7."""
LOW_MARGIN = 2.0**-98
"""Times the logarithm, bounds what low halves round below 0."""


@kernel
def scaled_log_of_steps(w: float64) -> tuple[float64, float64]:
    """ln Γ(1 + w)/(w·(w - 1)) as a sum s + low, for -1/4 ≤ w ≤ 7."""
    rounded = w + STEPS_ROUNDER
    h = w - (rounded - STEPS_ROUNDER)
    i = 15 * clamp(int32((bitcast(uint64, rounded) + BELOW_0) & 511), 0, LAST_STEP)
    v = h * h
    high = muladd(v, muladd(h, LOG_GAMMA_STEPS[i + 14], LOG_GAMMA_STEPS[i + 13]),
                  muladd(h, LOG_GAMMA_STEPS[i + 12], LOG_GAMMA_STEPS[i + 11]))  # fmt: skip
    high = muladd(v, high, muladd(h, LOG_GAMMA_STEPS[i + 10], LOG_GAMMA_STEPS[i + 9]))
    high = muladd(v, high, muladd(h, LOG_GAMMA_STEPS[i + 8], LOG_GAMMA_STEPS[i + 7]))
    return quadratic_in_two_parts(
        LOG_GAMMA_STEPS[i], LOG_GAMMA_STEPS[i + 1], LOG_GAMMA_STEPS[i + 2], LOG_GAMMA_STEPS[i + 3],
        LOG_GAMMA_STEPS[i + 4], LOG_GAMMA_STEPS[i + 5], h,
        (v * h) * muladd(h, high, LOG_GAMMA_STEPS[i + 6]),
    )  # fmt: skip


@kernel
def lgamma_in_two_parts(x: float64) -> tuple[float64, float64, float64]:
    """ln Γ(x) as a sum s + low, and the margin of its error; for 2^-900 ≤ x ≤ 2^900."""
    far = x >= LARGEST_STEP
    near = x < NEAR
    log, log_low, of_log = log_of_normal(x)
    z = select(far, x, LARGEST_STEP)
    y = z - 0.5
    f, f_low = stirling_in_two_parts(z, y, (z - y) - 0.5, log, log_low)
    # ln Γ(1 + w), with its zeros at 0 and 1; w is exact, and w - 1 from 1/2 on.
    w = select(far, 1.0, x) - select(near, 0.0, 1.0)
    v = w - 1.0
    v_low = w - (v + 1.0)
    t, t_low = scaled_log_of_steps(w)
    u = w * v
    u_low = muladd(w, v_low, product_error(w, v))
    s = u * t
    s_low = muladd(u, t_low, muladd(u_low, t, product_error(u, t)))
    minus = select(near, -log, 0.0)
    sum = minus + s  # minus is 0 or more than |s|
    s_low = (s - (sum - minus)) + select(near, s_low - log_low, s_low)
    margin = muladd(abs(s), MARGIN, select(near, of_log, 0.0))
    far_margin = muladd(of_log, y, muladd(f, QUOTIENT_MARGIN, STIRLING_MARGIN))
    return select(far, f, sum), select(far, f_low, s_low), select(far, far_margin, margin)


@kernel
def lgamma_below_0(x: float64) -> tuple[float64, float64, float64]:
    """ln |Γ(x)| = ln π - ln |Γ(1 - x)·sin πx| as a sum s + low, and the margin of its error; for
    -2^40 ≤ x ≤ -2^-900."""
    a = -x
    n, d, d_low = reduce_half_turns(a)
    s, s_low, s_margin = turned(n, d, d_low)
    s_low = select(s < 0.0, -s_low, s_low)
    size = abs(s)
    sine = size + s_low
    sine_low = s_low - (sine - size)
    far = a >= LARGEST_STEP
    g, g_low = gamma_of_steps(select(far, 0.0, a))
    product = sine * g
    product_low = product_error(sine, g) + muladd(sine, g_low, sine_low * g)
    over = product + product_low
    over_low = product_low - (over - product)
    # As log1p does.
    u, z_bits, e = reduce_log(over)
    down = bitcast(float64, z_bits - bitcast(uint64, over) + ONE_BITS)
    near = reduced(bitcast(float64, z_bits), u)
    rest = (over_low * down) * RECIPROCALS[int32((u >> 45) & 127)]
    r = near + rest
    log, log_low, margin = log_in_two_parts(e, u, r, (near - r) + rest)
    s, low = exact_sum(LOG_PI, -log)
    low = low + (LOG_PI_LOW - log_low)
    z = select(far, a, LARGEST_STEP)
    y = z + 0.5
    of_z, of_z_low, of_log = log_of_normal(z)
    f, f_low = stirling_in_two_parts(z, y, (z - y) + 0.5, of_z, of_z_low)
    total, lost = exact_sum(s, select(far, -f, 0.0))
    low = (low + lost) - select(far, f_low, 0.0)
    margin = margin + s_margin / sine + muladd(abs(log) + 2.0, LOW_MARGIN, TABLE_MARGIN)
    of_stirling = muladd(of_log, y, muladd(f, QUOTIENT_MARGIN, STIRLING_MARGIN))
    return total, low, margin + select(far, of_stirling, 0.0)


@cold_kernel
def lgamma_rest(x: float64) -> float64:
    """ln |Γ(x)| where x is below 0 or `lgamma_in_two_parts` leaves it open."""
    if x >= LEAST and x <= -SMALLEST:
        s, low, margin = lgamma_below_0(x)
        y = s + (low - margin)
        if y == s + (low + margin):
            return y
    return lgamma_exact(x)


@kernel
def lgamma(x: float64) -> float64:
    """ln |Γ(x)|, correctly rounded; inf for 0, negative integers and infinities, +0 for 1 and 2."""
    known = (x >= SMALLEST) & (x <= LARGEST)
    s, low, margin = lgamma_in_two_parts(select(known, x, 1.0))
    y = s + (low - margin)
    if (not known) | (y != s + (low + margin)):
        return lgamma_rest(x)
    return select(y == 0.0, 0.0, y)
