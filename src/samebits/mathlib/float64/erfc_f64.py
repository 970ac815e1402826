"""float64 erfc, correctly rounded: e^(-x²) times a series for erfc(x)·e^(x²), in two parts each.

A rounding test decides nearly all inputs, and `erf_exact_f64` the rest.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, clamp, select
from samebits.lang.values.scalars import float64, int32, uint64
from samebits.mathlib.float64.erf_exact_f64 import erfc_exact
from samebits.mathlib.float64.erfc_f64_table import SCALED_ERFC
from samebits.mathlib.float64.exp_f64 import power_in_two_parts, scale
from samebits.mathlib.float64.pow_f64 import reduce_exp_sum
from samebits.mathlib.primitives import muladd, product_error

HALF = 0.5
LARGEST_NORMAL = 26.5
"""Up to here results are normal numbers."""
STEP = 1 << 45
"""Half a step of 1/64 octave, in the bits of a float64."""
FIRST = 1022 << 6
"""Steps below 1/2."""
LAST_STEP = 383
NEAR_ROUNDER = 1.5 * 2.0**45
"""Adding it to |v| < 2^44 rounds v to a multiple of 1/128, whose count stands in the low bits."""
NEAR_STEPS = LAST_STEP + 1
LAST_NEAR_STEP = NEAR_STEPS + 64
OTHER_MARGIN = 2.0**-102
"""Bounds what the low part of 2 - erfc |x| is rounded by."""
REST_MARGIN = 2.0**-50
MARGIN = 1.25 * 2.0**-66
"""The error is below REST_MARGIN times what the series is off a line, and MARGIN times the result:
2^-67.4 for the power of e, and 2^-70 for what the series leaves out. Proven, as the other, by
`make prove-rounding`."""


@kernel
def scaled_step(x: float64) -> tuple[int32, float64]:
    """The number of the step around x in SCALED_ERFC, and x less its middle; for 1/2 ≤ x < 32."""
    bits = bitcast(uint64, x)
    return int32(bits >> 46) - FIRST, x - bitcast(float64, ((bits >> 46) << 46) | STEP)


@kernel
def any_scaled_step(x: float64) -> tuple[int32, float64]:
    """The same for 0 ≤ x < 32."""
    bits = bitcast(uint64, x)
    rounded = x + NEAR_ROUNDER
    far = x >= HALF
    near = (int32(bitcast(uint64, rounded)) & 127) + NEAR_STEPS
    j = select(far, int32(bits >> 46) - FIRST, near)
    middle = bitcast(float64, ((bits >> 46) << 46) | STEP)
    return j, x - select(far, middle, rounded - NEAR_ROUNDER)


@kernel
def erfc_in_two_parts(x: float64) -> tuple[uint64, float64, float64, float64]:
    """k, and erfc(x)·2^-(k // 128) as a sum s + low, and the margin of its error, for
    0 ≤ x ≤ 26.5."""
    j, h = any_scaled_step(x)
    i = 12 * clamp(j, 0, LAST_NEAR_STEP)
    first = SCALED_ERFC[i]
    second = SCALED_ERFC[i + 2]
    high = muladd(h, muladd(h, SCALED_ERFC[i + 11], SCALED_ERFC[i + 10]), SCALED_ERFC[i + 9])
    high = muladd(h, muladd(h, high, SCALED_ERFC[i + 8]), SCALED_ERFC[i + 7])
    high = muladd(h, muladd(h, high, SCALED_ERFC[i + 6]), SCALED_ERFC[i + 5])
    bend = (h * h) * muladd(h, high, SCALED_ERFC[i + 4])
    p = second * h
    line = first + p
    rest = product_error(second, h) + muladd(SCALED_ERFC[i + 3], h, SCALED_ERFC[i + 1] + bend)
    rest = (p - (line - first)) + rest
    q = line + rest
    q_low = rest - (q - line)
    k, r, r_low = reduce_exp_sum(-(x * x), -product_error(x, x))
    high, rest = power_in_two_parts(k, r, r_low)
    s = high + rest
    s_low = rest - (s - high)
    y = s * q
    low = product_error(s, q) + muladd(s, q_low, s_low * q)
    return k, y, low, muladd(abs(bend) * s, REST_MARGIN, y * MARGIN)


@kernel
def erfc(x: float64) -> float64:
    """1 - erf x, correctly rounded."""
    size = abs(x)
    negative = x < 0.0
    k, s, low, margin = erfc_in_two_parts(select(size > LARGEST_NORMAL, LARGEST_NORMAL, size))
    unit = scale(k)
    far = s * unit
    far_low = low * unit
    far_margin = margin * unit
    other = 2.0 - far
    s = select(negative, other, s)
    low = select(negative, ((2.0 - other) - far) - far_low, low)
    margin = select(negative, far_margin + OTHER_MARGIN, margin)
    y = s + (low - margin)
    if (x > LARGEST_NORMAL) | (y != s + (low + margin)):
        return erfc_exact(x)
    return select(negative, y, y * unit)
