"""float64 log2p1 and log10p1, correctly rounded: log1p's argument, and the tables of log2, log10.

The argument is in two parts.

A rounding test and `log_exact_f64` decide as for those.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, select
from samebits.lang.values.scalars import float64, int32, uint64
from samebits.mathlib.float64.exp_log_f64_table import LOG2S, LOG10S, RECIPROCALS
from samebits.mathlib.float64.log_exact_f64 import log2p1_exact, log10p1_exact
from samebits.mathlib.float64.log_f64 import (
    LARGEST_1P,
    LG2_42,
    LG2_REST,
    MARGIN_S,
    ONE_BITS,
    PER_LN2,
    PER_LN2_LOW,
    PER_LN10,
    PER_LN10_LOW,
    reduce_log,
    reduced,
    rest_of_log,
)
from samebits.mathlib.primitives import muladd, product_error

SMALLEST = 2.0**-900
"""From here on, the low half of a product with 1/log 2 or 1/log 10 is normal."""
SCALED_MARGIN_R = 1.75 * 2.0**-51
"""More than that of log2, as r²·r_low is neglected besides: proven by `make prove-rounding`."""


@kernel
def reduce_log1p(x: float64) -> tuple[uint64, float64, float64, float64]:
    """(u, e, r, r_low) with 1 + x = 2^e·(1 + r + r_low)/c, u as of `reduce_log` and c its
    reciprocal, for -1 < x ≤ 2^1020."""
    h = 1.0 + x
    part = h - 1.0
    lost = (1.0 - (h - part)) + (x - part)
    u, z_bits, e = reduce_log(h)
    down = bitcast(float64, z_bits - bitcast(uint64, h) + ONE_BITS)  # 2^-e
    near = reduced(bitcast(float64, z_bits), u)
    rest = (lost * down) * RECIPROCALS[int32((u >> 45) & 127)]
    r = near + rest
    return u, e, r, (near - r) + rest


@kernel
def scaled_log1p_in_two_parts(
    a: float64, a_low: float64, r: float64, r_low: float64, unit: float64, unit_low: float64
) -> tuple[float64, float64, float64]:
    """a + a_low + log(1 + r + r_low)·(unit + unit_low) as a sum s + low, and the margin of its
    error; |r_low| ≤ 2^-53·|r|."""
    z = r * r
    h = -0.5 * z
    v = r + h
    square_low = muladd(-0.5, product_error(r, r), muladd(-r, r_low, r_low))
    v_low = (h - (v - r)) + (square_low + rest_of_log(r, z))
    p = v * unit
    s = a + p  # a is 0 or greater than p
    low = product_error(v, unit) + muladd(v, unit_low, muladd(v_low, unit, a_low))
    return s, (p - (s - a)) + low, muladd(abs(z * r), SCALED_MARGIN_R, abs(s) * MARGIN_S)


@kernel
def log2p1_in_two_parts(x: float64) -> tuple[float64, float64, float64]:
    """log2(1 + x) as a sum s + low, and the margin of its error."""
    u, e, r, r_low = reduce_log1p(x)
    i = int32((u >> 45) & 127)
    return scaled_log1p_in_two_parts(
        e + LOG2S[2 * i], LOG2S[2 * i + 1], r, r_low, PER_LN2, PER_LN2_LOW
    )


@kernel
def log2p1(x: float64) -> float64:
    """log2(1 + x), correctly rounded."""
    s, low, margin = log2p1_in_two_parts(x)
    y = s + (low - margin)
    size = abs(x)
    known = (x > -1.0) & (x <= LARGEST_1P) & ((size >= SMALLEST) | (x == 0.0))
    if not (known & (y == s + (low + margin))):
        return log2p1_exact(x)
    return select(x == 0.0, x, y)


@kernel
def log10p1_in_two_parts(x: float64) -> tuple[float64, float64, float64]:
    """log10(1 + x) as a sum s + low, and the margin of its error."""
    u, e, r, r_low = reduce_log1p(x)
    i = int32((u >> 45) & 127)
    return scaled_log1p_in_two_parts(
        muladd(e, LG2_42, LOG10S[2 * i]), muladd(e, LG2_REST, LOG10S[2 * i + 1]),
        r, r_low, PER_LN10, PER_LN10_LOW,
    )  # fmt: skip


@kernel
def log10p1(x: float64) -> float64:
    """log10(1 + x), correctly rounded."""
    s, low, margin = log10p1_in_two_parts(x)
    y = s + (low - margin)
    size = abs(x)
    known = (x > -1.0) & (x <= LARGEST_1P) & ((size >= SMALLEST) | (x == 0.0))
    if not (known & (y == s + (low + margin))):
        return log10p1_exact(x)
    return select(x == 0.0, x, y)
