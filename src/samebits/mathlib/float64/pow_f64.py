"""float64 pow, correctly rounded: exp of y times log |x|, each in two parts.

A rounding test decides all but one input in ten thousand; `pow_exact_f64` takes the rest, half-way
cases among them, and zeros, subnormal numbers, infinities, NaN, and what overflows or underflows.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, select
from samebits.lang.values.scalars import float64, uint64
from samebits.mathlib.float64.exp_f64 import (
    LARGEST,
    MARGIN,
    ROUNDER,
    STEP_1,
    STEP_2,
    STEPS_PER_UNIT,
    power_in_two_parts,
    scale,
)
from samebits.mathlib.float64.log_f64 import LARGEST as LARGEST_X
from samebits.mathlib.float64.log_f64 import (
    MARGIN_R,
    SMALLEST,
    log_in_two_parts,
    reduce_log,
    reduced,
)
from samebits.mathlib.float64.pow_exact_f64 import pow_exact
from samebits.mathlib.primitives import muladd, product_error

LARGEST_INTEGER = 2.0**51
"""Below, adding ROUNDER tells integers and their last bit."""
MARGIN_LOG = 2.0**-84
"""With MARGIN_R·|r|³ it bounds the error of log |x|: relatively, for what is not of r rounds to
2^-95 and log |x| is r or above 2^-8. Proven by `make prove-rounding`."""


@kernel
def reduce_exp_sum(x: float64, x_low: float64) -> tuple[uint64, float64, float64]:
    """As reduce_exp, for a sum x + x_low with |x_low| ≤ 2^-43."""
    shifted = muladd(x, STEPS_PER_UNIT, ROUNDER)
    k = shifted - ROUNDER
    r = x - k * STEP_1  # both exact
    rest = muladd(-k, STEP_2, x_low)
    near = r + rest
    return bitcast(uint64, shifted), near, (r - near) + rest


@kernel
def pow_in_two_parts(x: float64, y: float64) -> tuple[float64, uint64, float64, float64, float64]:
    """y·log x; k, and x^y·2^-(k // 128) as a sum s + low, with the margin of its error.

    For normal x > 0 and |y·log x| ≤ 708.
    """
    u, z_bits, e = reduce_log(x)
    r = reduced(bitcast(float64, z_bits), u)
    a, a_low, _ = log_in_two_parts(e, u, r, 0.0)
    log = a + a_low
    log_low = (a - log) + a_low
    p = y * log
    k, q, q_low = reduce_exp_sum(p, muladd(y, log_low, product_error(y, log)))
    s, low = power_in_two_parts(k, q, q_low)
    of_log = muladd(abs(r) * (r * r), MARGIN_R, abs(log) * MARGIN_LOG)
    return p, k, s, low, muladd(abs(y), of_log, MARGIN) * s


@kernel
def pow(x: float64, y: float64) -> float64:
    """x^y, correctly rounded."""
    size = abs(x)
    p, k, s, low, margin = pow_in_two_parts(size, y)
    result = s + (low - margin)
    shifted = y + ROUNDER
    whole = (shifted - ROUNDER == y) & (abs(y) < LARGEST_INTEGER)
    outside = (size < SMALLEST) | (not size <= LARGEST_X) | (not abs(p) <= LARGEST)
    if outside | ((x < 0.0) & (not whole)) | (result != s + (low + margin)):
        return pow_exact(x, y)
    result = result * scale(k)
    odd = (bitcast(uint64, shifted) & 1) != 0
    return select((x < 0.0) & odd, -result, result)
