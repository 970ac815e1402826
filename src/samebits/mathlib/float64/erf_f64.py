"""float64 erf, correctly rounded: Taylor's series at the nearest of steps of 1/64, in two parts.

The n-th derivative of erf is the first times ±H(c), Hermite's polynomials. A rounding test decides
nearly all inputs, and `erf_exact_f64` the rest.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, copysign, select
from samebits.lang.values.scalars import float64, int32, uint64
from samebits.mathlib.float64.erf_exact_f64 import LARGEST, erf_exact
from samebits.mathlib.float64.erf_f64_table import ERF_STEPS
from samebits.mathlib.primitives import muladd, product_error

STEPS_ROUNDER = 1.5 * 2.0**46
"""Adding it to |v| < 2^45 rounds v to a multiple of 1/64, whose count stands in the low bits."""
SMALLEST = 2.0**-900
"""From here on, the low half of a product with a derivative is normal."""
REST_MARGIN = 2.0**-50
MARGIN = 2.0**-74
"""The error is below REST_MARGIN times what the series is off a line, which is rounded some five
times by 2^-53, and MARGIN times the result: what the series leaves out is 2^-77 of that. Proven by
`make prove-rounding`."""

S4 = -1.0 / 24.0
S5 = 1.0 / 120.0
S6 = -1.0 / 720.0
S7 = 1.0 / 5040.0
S8 = -1.0 / 40320.0
S9 = 1.0 / 362880.0


@kernel
def erf_in_two_parts(x: float64) -> tuple[float64, float64, float64]:
    """erf x as a sum s + low, and the margin of its error, for 2^-900 ≤ x ≤ 6 and x = 0."""
    rounded = x + STEPS_ROUNDER
    c = rounded - STEPS_ROUNDER
    h = x - c  # exact, |h| ≤ 1/128
    i = int32(bitcast(uint64, rounded) & 511)
    i = select(i > 384, 0, i)
    erf = ERF_STEPS[4 * i]
    erf_low = ERF_STEPS[4 * i + 1]
    slope = ERF_STEPS[4 * i + 2]
    slope_low = ERF_STEPS[4 * i + 3]
    t = c + c
    h2 = muladd(t, t, -2.0)
    h3 = muladd(t, h2, -4.0 * t)
    h4 = muladd(t, h3, -6.0 * h2)
    h5 = muladd(t, h4, -8.0 * h3)
    h6 = muladd(t, h5, -10.0 * h4)
    h7 = muladd(t, h6, -12.0 * h5)
    h8 = muladd(t, h7, -14.0 * h6)
    high = muladd(h, muladd(h, muladd(h, muladd(h, h8 * S9, h7 * S8), h6 * S7), h5 * S6), h4 * S5)
    w = muladd(h, muladd(h, muladd(h, high, h3 * S4), h2 * (1.0 / 6.0)), -c)
    bend = (slope * h) * (h * w)
    p = slope * h
    s = erf + p  # erf is 0 or greater than p
    low = bend + (product_error(slope, h) + muladd(slope_low, h, erf_low))
    return s, (p - (s - erf)) + low, muladd(abs(bend), REST_MARGIN, s * MARGIN)


@kernel
def erf(x: float64) -> float64:
    """erf x, correctly rounded; −0 for −0."""
    size = abs(x)
    s, low, margin = erf_in_two_parts(select(size > LARGEST, LARGEST, size))
    y = s + (low - margin)
    known = (size >= SMALLEST) | (size == 0.0)
    if not (known & (y == s + (low + margin))):
        return erf_exact(x)
    return copysign(y, x)
