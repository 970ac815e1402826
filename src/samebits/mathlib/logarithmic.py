"""The logarithms as users see them: their kernels, and what each promises."""

from __future__ import annotations

from samebits.lang.kernel import Overloads
from samebits.mathlib import log1p_f32, log_f32, log_f64
from samebits.types import FLOAT32, FLOAT64

log = Overloads(
    "log",
    1,
    {FLOAT32: log_f32.log, FLOAT64: log_f64.log},
    """Natural logarithm of x; −inf for ±0, NaN for x < 0, inf for inf.

    float32: correctly rounded, proven on all 2³² inputs.
    float64: correctly rounded on every published hard case and all inputs tried.
    """,
)
log2 = Overloads(
    "log2",
    1,
    {FLOAT32: log_f32.log2, FLOAT64: log_f64.log2},
    """Logarithm of x to base 2, exact for powers of 2; −inf for ±0, NaN for x < 0, inf for inf.

    float32: correctly rounded, proven on all 2³² inputs.
    float64: correctly rounded on every published hard case and all inputs tried.
    """,
)
log10 = Overloads(
    "log10",
    1,
    {FLOAT32: log_f32.log10, FLOAT64: log_f64.log10},
    """Logarithm of x to base 10, exact for powers of 10; −inf for ±0, NaN for x < 0, inf for inf.

    float32: correctly rounded, proven on all 2³² inputs.
    float64: correctly rounded on every published hard case and all inputs tried.
    """,
)
log1p = Overloads(
    "log1p",
    1,
    {FLOAT32: log1p_f32.log1p, FLOAT64: log_f64.log1p},
    """log(1 + x), accurate near 0 too; −inf for −1, NaN for x < −1, inf for inf, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    float64: correctly rounded on every published hard case and all inputs tried.
    """,
)
