"""The logarithms as users see them: their kernels, and what each promises."""

from __future__ import annotations

from samebits.mathlib.float32 import (
    log1p_f32,
    log2p1_f32,
    log2p1_fast_f32,
    log_f32,
    log_fast_f32,
    logaddexp_f32,
)
from samebits.mathlib.float64 import (
    log2p1_f64,
    log2p1_low_f64,
    log_f64,
    log_fast_f64,
    logaddexp_f64,
)
from samebits.mathlib.primitives import both_widths

FIXED_POINT = "samebits.mathlib.fixed.exponential"

log = both_widths(
    "log",
    (log_f32.log, log_fast_f32.log_medium, log_fast_f32.log_low),
    (log_f64.log, log_f64.log, log_fast_f64.log_low),
    """Natural logarithm of x; −inf for ±0, NaN for x < 0, inf for inf.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.51 ULP off; at LOW: at most 30 for normal x.
    float64: correctly rounded on every published hard case and all inputs tried;
    at MEDIUM the same; at LOW at most 6 ULP off.
    """,
    fixed=FIXED_POINT,
)
log2 = both_widths(
    "log2",
    (log_f32.log2, log_fast_f32.log2_medium, log_fast_f32.log2_low),
    (log_f64.log2, log_f64.log2, log_fast_f64.log2_low),
    """Logarithm of x to base 2, exact for powers of 2; −inf for ±0, NaN for x < 0, inf for inf.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.52 ULP off; at LOW: at most 30 for normal x.
    float64: correctly rounded on every published hard case and all inputs tried;
    at MEDIUM the same; at LOW at most 8 ULP off.
    """,
)
log10 = both_widths(
    "log10",
    (log_f32.log10, log_fast_f32.log10_medium, log_fast_f32.log10_low),
    (log_f64.log10, log_f64.log10, log_fast_f64.log10_low),
    """Logarithm of x to base 10, exact for powers of 10; −inf for ±0, NaN for x < 0, inf for inf.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.52 ULP off; at LOW: at most 30 for normal x.
    float64: correctly rounded on every published hard case and all inputs tried;
    at MEDIUM the same; at LOW at most 6 ULP off.
    """,
)
log1p = both_widths(
    "log1p",
    (log1p_f32.log1p, log_fast_f32.log1p_medium, log_fast_f32.log1p_low),
    (log_f64.log1p, log_f64.log1p, log_fast_f64.log1p_low),
    """log(1 + x), accurate near 0 too; −inf for −1, NaN for x < −1, inf for inf, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.51 ULP off; at LOW: at most 30.
    float64: correctly rounded on every published hard case and all inputs tried;
    at MEDIUM the same; at LOW at most 6 ULP off.
    """,
)
log2p1 = both_widths(
    "log2p1",
    (log2p1_f32.log2p1, log2p1_fast_f32.log2p1_medium, log2p1_fast_f32.log2p1_low),
    (log2p1_f64.log2p1, log2p1_f64.log2p1, log2p1_low_f64.log2p1_low),
    """log2(1 + x), accurate near 0 too, exact for 2^k − 1; −inf for −1, NaN for x < −1, inf for
    inf, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.52 ULP off; at LOW: at most 30.
    float64: correctly rounded on all inputs tried; at MEDIUM the same; at LOW at most 8 ULP off.
    """,
)
log10p1 = both_widths(
    "log10p1",
    (log2p1_f32.log10p1, log2p1_fast_f32.log10p1_medium, log2p1_fast_f32.log10p1_low),
    (log2p1_f64.log10p1, log2p1_f64.log10p1, log2p1_low_f64.log10p1_low),
    """log10(1 + x), accurate near 0 too, exact for 10^k − 1; −inf for −1, NaN for x < −1, inf for
    inf, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.52 ULP off; at LOW: at most 30.
    float64: correctly rounded on all inputs tried; at MEDIUM the same; at LOW at most 8 ULP off.
    """,
)
logaddexp = both_widths(
    "logaddexp",
    logaddexp_f32.logaddexp,
    logaddexp_f64.logaddexp,
    """log(e^x + e^y) without needless overflow: the sum of two numbers given by their logarithms,
    as NumPy's. NaN if x or y is NaN, inf if one is inf, −inf for two −inf.

    float32 and float64: correctly rounded on all inputs tried, next to 0 too, where x and y nearly
    cancel; the margins are proven. The same at every precision.
    """,
)
