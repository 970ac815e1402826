"""float64 log2p1 and log10p1 at LOW precision, by the method of log1p at LOW.

MEDIUM is that of HIGH.

Nothing is fused: the results are not correctly rounded, and have to be the same everywhere
nevertheless.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, select
from samebits.lang.values.scalars import float64, uint64
from samebits.mathlib.float64.log_f64 import (
    LG2_42,
    LG2_REST,
    ONE_BITS,
    PER_LN2,
    PER_LN10,
    reduce_log,
)
from samebits.mathlib.float64.log_fast_f64 import TINY, UP, at_ends, series, sum_with_1


@kernel
def reduced_series(h: float64, lost: float64) -> tuple[float64, float64]:
    """e and log(1 + f) with h + lost = 2^e·(1 + f), for normal h > 0."""
    _, z_bits, e = reduce_log(h)
    down = bitcast(float64, z_bits - bitcast(uint64, h) + ONE_BITS)
    rest = select(h < UP, lost * down, 0.0)
    return e, series((bitcast(float64, z_bits) - 1.0) + rest)


@kernel
def log2p1_low(x: float64) -> float64:
    """log2(1 + x), within 8 ULP."""
    h, lost = sum_with_1(x)
    e, log = reduced_series(h, lost)
    return select(abs(x) < TINY, x * PER_LN2, at_ends(h, e + log * PER_LN2))


@kernel
def log10p1_low(x: float64) -> float64:
    """log10(1 + x), within 8 ULP."""
    h, lost = sum_with_1(x)
    e, log = reduced_series(h, lost)
    y = e * LG2_42 + (e * LG2_REST + log * PER_LN10)
    return select(abs(x) < TINY, x * PER_LN10, at_ends(h, y))
