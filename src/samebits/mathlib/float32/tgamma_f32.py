"""float32 tgamma, correctly rounded on all 2³² inputs, in branch-free float64 code.

Owns the kernel at precision HIGH: the quotients of float64's, their table in one part. The few
inputs that its rounding test leaves open, and special ones, 192-bit integers decide.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, clamp, min, select
from samebits.lang.values.scalars import float32, float64, int32, uint64
from samebits.mathlib.float32.sin_cos_f32 import ROUNDER, sin_half_turns
from samebits.mathlib.float64.exp_f64 import power_in_two_parts, scale
from samebits.mathlib.float64.gamma_exact_f64 import (
    OVERFLOW,
    UNDERFLOW,
    is_pole,
    tgamma_exact,
    wide_gamma,
)
from samebits.mathlib.float64.gamma_f64_table import GAMMA_STEPS
from samebits.mathlib.float64.pow_f64 import reduce_exp_sum
from samebits.mathlib.float64.tgamma_f64 import (
    LARGEST_STEP,
    LAST_STEP,
    STEPS_ROUNDER,
    log_of_normal,
    stirling_in_two_parts,
)
from samebits.mathlib.float64.trigonometric_f64 import PI
from samebits.mathlib.primitives import cold_kernel, muladd
from samebits.mathlib.wide.to_float32 import to_float32

LARGEST = 36.0
"""From here on Γ is beyond float32."""
LEAST = -45.0
"""From here down, Γ is less than half of the least float32 but at its poles."""
MARGIN = 2.0**-49
"""Bounds the relative error: Γ(1 + |x|), sin πx, π, their product and the quotient are off by less
than 2^-52 each, the first two by 2^-51."""


@cold_kernel
def tgamma_rare(x: float32) -> float32:
    """Γ(x), rounded to nearest, from 192-bit integers."""
    wide = float64(x)
    if not (wide > UNDERFLOW and wide < OVERFLOW) or is_pole(wide):
        return float32(tgamma_exact(wide))
    negative, e, x2, x1, x0 = wide_gamma(wide)
    return to_float32(negative, e, x2, x1, x0)


@kernel
def gamma_of_steps(z: float64) -> float64:
    """Γ(1 + z) for 0 ≤ z ≤ 8."""
    rounded = z + STEPS_ROUNDER
    h = z - (rounded - STEPS_ROUNDER)
    i = 15 * clamp(int32(bitcast(uint64, rounded) & 511), 0, LAST_STEP)
    v = h * h
    high = muladd(v, muladd(h, GAMMA_STEPS[i + 12], GAMMA_STEPS[i + 11]),
                  muladd(h, GAMMA_STEPS[i + 10], GAMMA_STEPS[i + 9]))  # fmt: skip
    high = muladd(v, high, muladd(h, GAMMA_STEPS[i + 8], GAMMA_STEPS[i + 7]))
    high = muladd(v, high, muladd(h, GAMMA_STEPS[i + 6], GAMMA_STEPS[i + 4]))
    return muladd(h, muladd(h, high, GAMMA_STEPS[i + 2]), GAMMA_STEPS[i])


@kernel
def gamma_of_1_more(z: float64) -> float64:
    """Γ(1 + z) for the float32 0 ≤ z ≤ 45."""
    far = z >= LARGEST_STEP
    near = gamma_of_steps(select(far, 1.0, z))
    z = select(far, z, LARGEST_STEP)
    log, log_low, _ = log_of_normal(z)
    s, low = stirling_in_two_parts(z, z + 0.5, 0.0, log, log_low)
    k, r, r_low = reduce_exp_sum(s, low)
    s, low = power_in_two_parts(k, r, r_low)
    return select(far, (s + low) * scale(k), near)


@kernel
def tgamma(x: float32) -> float32:
    """Γ(x), correctly rounded; NaN for -inf and negative integers, infinities for zeros."""
    wide = min(float64(x), LARGEST)
    negative = wide < 0.0
    known = (wide > LEAST) & (wide != 0.0)
    z = select(known, abs(wide), 1.0)
    rounded = z + ROUNDER
    sine = sin_half_turns(z - (rounded - ROUNDER), rounded)
    g = gamma_of_1_more(z)
    y = select(negative, -PI, g) / select(negative, sine * g, z)
    margin = y * MARGIN
    result = float32(y - margin)
    if not (known & (result == float32(y + margin))):
        return tgamma_rare(x)
    return result
