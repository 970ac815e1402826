"""float64 log, log2, log10, log1p and pow at LOW precision.

Owns these kernels. Nothing is fused: the results are not correctly rounded, and have to be the same
everywhere nevertheless. No table: the series of log((1 + s)/(1 - s)). At MEDIUM the functions are
those of HIGH, which nothing within a ULP was faster than.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, select
from samebits.lang.values.scalars import float64, uint64
from samebits.mathlib.float64.exp_f64 import ROUNDER
from samebits.mathlib.float64.exp_fast_f64 import (
    BOUND,
    LN2_1,
    LN2_2,
    between,
    low_rest,
    times_power,
)
from samebits.mathlib.float64.log_f64 import (
    LG2_42,
    LG2_REST,
    LN2_42,
    LN2_REST,
    ONE_BITS,
    PER_LN2,
    PER_LN10,
    SMALLEST,
    reduce_log,
)

# log((1 + s)/(1 - s)) - 2s = A3·s³ + … + A15·s¹⁵ for |s| ≤ 0.1853, off by 2^-59.9. Made by
# tools/math/exp_log_f64.sollya.
A3 = float.fromhex("0x1.55555555556d8p-1")
A5 = float.fromhex("0x1.999999992a4b5p-2")
A7 = float.fromhex("0x1.24924981f0f4ep-2")
A9 = float.fromhex("0x1.c71c24717158dp-3")
A11 = float.fromhex("0x1.746ea17324c0ep-3")
A13 = float.fromhex("0x1.38dce318a77b4p-3")
A15 = float.fromhex("0x1.362523510bcfap-3")

INFINITY = float("inf")
NAN = float("nan")
UP = 2.0**54
LOG_UP = -54.0
"""What makes subnormal numbers normal, and its exponent."""
UNIT_52 = 2.0**52
UNIT_53 = 2.0**53
TINY = 2.0**-54
"""Below, log(1 + x) rounds to x."""


@kernel
def at_ends(x: float64, y: float64) -> float64:
    """y, but the logarithm of x where that is 0, infinite, negative or NaN."""
    special = select(x == INFINITY, x, NAN)
    special = select(x == 0.0, -INFINITY, special)
    return select((x > 0.0) & (x < INFINITY), y, special)


@kernel
def normal(x: float64) -> tuple[float64, float64]:
    """x times a power of two that makes it normal, and that power's logarithm, negated."""
    small = x < SMALLEST
    return select(small, x * UP, x), select(small, LOG_UP, 0.0)


@kernel
def sum_with_1(x: float64) -> tuple[float64, float64]:
    """1 + x and what it misses, for finite x."""
    h = 1.0 + x
    part = h - 1.0
    return h, (1.0 - (h - part)) + (x - part)


@kernel
def series(f: float64) -> float64:
    """log(1 + f) for |f| ≤ 0.42, within 6 ULP."""
    s = f / (2.0 + f)
    w = s * s
    v = w * w
    high = (A9 + w * A11) + v * (A13 + w * A15)
    return s * ((2.0 + w * A3) + v * ((A5 + w * A7) + v * high))


@kernel
def log_low(x: float64) -> float64:
    """Natural logarithm, within 6 ULP."""
    scaled, e_more = normal(x)
    _, z_bits, e = reduce_log(scaled)
    e = e + e_more
    y = e * LN2_42 + (e * LN2_REST + series(bitcast(float64, z_bits) - 1.0))
    return at_ends(x, y)


@kernel
def log2_low(x: float64) -> float64:
    """Logarithm to base 2, within 8 ULP."""
    scaled, e_more = normal(x)
    _, z_bits, e = reduce_log(scaled)
    return at_ends(x, (e + e_more) + series(bitcast(float64, z_bits) - 1.0) * PER_LN2)


@kernel
def log10_low(x: float64) -> float64:
    """Logarithm to base 10, within 6 ULP."""
    scaled, e_more = normal(x)
    _, z_bits, e = reduce_log(scaled)
    e = e + e_more
    y = e * LG2_42 + (e * LG2_REST + series(bitcast(float64, z_bits) - 1.0) * PER_LN10)
    return at_ends(x, y)


@kernel
def log1p_low(x: float64) -> float64:
    """log(1 + x), within 6 ULP."""
    h, lost = sum_with_1(x)
    _, z_bits, e = reduce_log(h)
    down = bitcast(float64, z_bits - bitcast(uint64, h) + ONE_BITS)
    rest = select(h < UP, lost * down, 0.0)
    f = (bitcast(float64, z_bits) - 1.0) + rest
    y = e * LN2_42 + (e * LN2_REST + series(f))
    return select(abs(x) < TINY, x, at_ends(h, y))


@kernel
def pow_low(x: float64, y: float64) -> float64:
    """x^y, within 575 ULP for results between 1e-40 and 1e40."""
    log = log_low(abs(x))
    p = between(y * log, -BOUND, BOUND)
    shifted = p * PER_LN2 + ROUNDER
    k = shifted - ROUNDER
    result = times_power(1.0 + low_rest((p - k * LN2_1) - k * LN2_2), bitcast(uint64, shifted))
    result = select((y == 0.0) | (abs(x) == 1.0), 1.0, result)
    # Integers of y end at the last bit of t; from 2^53 all are even.
    height = abs(y)
    t = select(height < UNIT_52, height + UNIT_52, height)
    whole = (t - UNIT_52 == height) | (height >= UNIT_52)
    odd = ((bitcast(uint64, t) & 1) != 0) & (height < UNIT_53)
    negative = (bitcast(uint64, x) >> 63) != 0
    result = select(negative & odd & whole, -result, result)
    return select((x < 0.0) & (not whole) & (x != -INFINITY), NAN, result)
