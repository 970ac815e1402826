"""float32 lgamma, correctly rounded on all 2³² inputs, in branch-free float64 code.

Owns the kernel at precision HIGH: the formulas of float64's above 0, their table in one part, and
reflection below. The few inputs that its rounding test leaves open, next to zeros below 0 and
elsewhere, and special ones 192-bit integers decide.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, clamp, select
from samebits.lang.values.scalars import float32, float64, int32, uint64
from samebits.mathlib.float32.log_f32 import LN2, LN2_LOW, log_near_one, split
from samebits.mathlib.float32.sin_cos_f32 import ROUNDER, sin_half_turns
from samebits.mathlib.float64.gamma_exact_f64 import is_pole, lgamma_exact, wide_lgamma
from samebits.mathlib.float64.gamma_f64_table import LOG_GAMMA_STEPS
from samebits.mathlib.float64.lgamma_f64 import BELOW_0, LAST_STEP, LOG_PI, NEAR
from samebits.mathlib.float64.tgamma_f64 import (
    HALF_LOG_TURN,
    LARGEST_STEP,
    R0,
    R1,
    R2,
    R3,
    R4,
    R5,
    R6,
    R7,
    STEPS_ROUNDER,
    TWELFTH,
    log_of_normal,
)
from samebits.mathlib.primitives import cold_kernel, muladd
from samebits.mathlib.wide.to_float32 import to_float32

INFINITY = float("inf")
LEAST = -(2.0**23)
"""From here down every float32 is an integer."""
MARGIN = 2.0**-49
"""Bounds the error relative to what is summed: no term is off by more than 2^-51 of it."""


@cold_kernel
def lgamma_rare(x: float32) -> float32:
    """ln |Γ(x)|, rounded to nearest, from 192-bit integers."""
    wide = float64(x)
    if not abs(wide) < INFINITY or is_pole(wide) or wide == 1.0 or wide == 2.0:
        return float32(lgamma_exact(wide))
    negative, e, x2, x1, x0 = wide_lgamma(wide)
    return to_float32(negative, e, x2, x1, x0)


@kernel
def scaled_log_of_steps(w: float64) -> float64:
    """ln Γ(1 + w)/(w·(w - 1)) for -1/4 ≤ w ≤ 7."""
    rounded = w + STEPS_ROUNDER
    h = w - (rounded - STEPS_ROUNDER)
    i = 15 * clamp(int32((bitcast(uint64, rounded) + BELOW_0) & 511), 0, LAST_STEP)
    v = h * h
    high = muladd(v, muladd(h, LOG_GAMMA_STEPS[i + 13], LOG_GAMMA_STEPS[i + 12]),
                  muladd(h, LOG_GAMMA_STEPS[i + 11], LOG_GAMMA_STEPS[i + 10]))  # fmt: skip
    high = muladd(v, high, muladd(h, LOG_GAMMA_STEPS[i + 9], LOG_GAMMA_STEPS[i + 8]))
    high = muladd(v, high, muladd(h, LOG_GAMMA_STEPS[i + 7], LOG_GAMMA_STEPS[i + 6]))
    high = muladd(h, high, LOG_GAMMA_STEPS[i + 4])
    return muladd(h, muladd(h, high, LOG_GAMMA_STEPS[i + 2]), LOG_GAMMA_STEPS[i])


@kernel
def stirling(z: float64, y: float64, log: float64) -> float64:
    """y·ln z - z + ln(2π)/2 + 1/(12z) - … for z ≥ 8."""
    inverse = 1.0 / z
    w = inverse * inverse
    v = w * w
    high = muladd(v, muladd(w, R7, R6), muladd(w, R5, R4))
    high = muladd(v, high, muladd(w, R3, R2))
    high = muladd(v, high, muladd(w, R1, R0))
    return muladd(y, log, -z) + muladd(inverse, muladd(w, high, TWELFTH), HALF_LOG_TURN)


@kernel
def lgamma(x: float32) -> float32:
    """ln |Γ(x)|, correctly rounded; inf for 0, negative integers and infinities, +0 for 1 and 2."""
    wide = float64(x)
    negative = wide < 0.0
    known = (wide > LEAST) & (wide != 0.0) & (wide < INFINITY)
    inside = select(known, abs(x), float32(1.0))
    z = float64(inside)
    k, m = split(inside)
    f = m - 1.0
    log = muladd(k, LN2, muladd(k, LN2_LOW, log_near_one(f, f / (m + 1.0))))
    far = z >= LARGEST_STEP
    near = z < NEAR
    t = select(far, z, LARGEST_STEP)
    beyond = stirling(t, t - 0.5, log)
    w = select(far, 1.0, z) - select(near, 0.0, 1.0)
    below = w * (w - 1.0) * scaled_log_of_steps(w)
    log = select(near, log, 0.0)
    y = select(far, beyond, below - log)
    size = select(far, beyond + beyond, abs(below) + abs(log))
    # ln |Γ(-z)| = ln π - ln |z·sin πz| - ln Γ(z)
    rounded = z + ROUNDER
    turn = z - (rounded - ROUNDER)
    over = z * abs(sin_half_turns(turn, rounded))
    over_log, over_low, _ = log_of_normal(over)
    over_log = over_log + over_low
    y = select(negative, (LOG_PI - over_log) - y, y)
    margin = (size + select(negative, abs(over_log) + LOG_PI, 0.0)) * MARGIN
    result = float32(y - margin)
    open = negative & (turn == 0.0)
    if open | (not (known & (result == float32(y + margin)))):
        return lgamma_rare(x)
    return select(result == 0.0, float32(0.0), result)
