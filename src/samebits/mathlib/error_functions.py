"""The error functions as users see them: their kernels, and what each promises."""

from __future__ import annotations

from samebits.mathlib.float32 import erf_f32, erfc_f32
from samebits.mathlib.float64 import erf_f64, erfc_f64
from samebits.mathlib.primitives import both_widths

erf = both_widths(
    "erf",
    erf_f32.erf,
    erf_f64.erf,
    """The error function, 2/√π times the integral of e^(−t²) from 0 to x; ±1 for ±inf, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    float64: correctly rounded on every published hard case and all inputs tried. The same at every
    precision.
    """,
)
erfc = both_widths(
    "erfc",
    erfc_f32.erfc,
    erfc_f64.erfc,
    """1 − erf x, accurate where that is next to 0 too; 0 for inf, 2 for −inf.

    float32: correctly rounded, proven on all 2³² inputs.
    float64: correctly rounded on every published hard case and all inputs tried. The same at every
    precision.
    """,
)
