"""float32 erf, correctly rounded on all 2³² inputs, in branch-free float64 code.

Owns the kernel at precision HIGH: the series and the table of float64's, in one part.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, copysign, select
from samebits.lang.values.scalars import float32, float64, int32, uint64
from samebits.mathlib.float64.erf_f64 import S4, S5, S6, S7, STEPS_ROUNDER
from samebits.mathlib.float64.erf_f64_table import ERF_STEPS
from samebits.mathlib.primitives import muladd

LARGEST = 4.0
"""From here on erf rounds to 1."""


@kernel
def erf_above_0(x: float64) -> float64:
    """erf x for 0 ≤ x ≤ 4."""
    rounded = x + STEPS_ROUNDER
    c = rounded - STEPS_ROUNDER
    h = x - c
    i = int32(bitcast(uint64, rounded) & 511)
    i = select(i > 384, 0, i)
    t = c + c
    h2 = muladd(t, t, -2.0)
    h3 = muladd(t, h2, -4.0 * t)
    h4 = muladd(t, h3, -6.0 * h2)
    h5 = muladd(t, h4, -8.0 * h3)
    h6 = muladd(t, h5, -10.0 * h4)
    high = muladd(h, muladd(h, h6 * S7, h5 * S6), h4 * S5)
    w = muladd(h, muladd(h, muladd(h, high, h3 * S4), h2 * (1.0 / 6.0)), -c)
    p = ERF_STEPS[4 * i + 2] * h
    return ERF_STEPS[4 * i] + muladd(p, h * w, p)


@kernel
def erf(x: float32) -> float32:
    """erf x, correctly rounded; −0 for −0."""
    size = abs(float64(x))
    return copysign(float32(erf_above_0(select(size > LARGEST, LARGEST, size))), x)
