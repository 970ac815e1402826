"""The gamma functions as users see them: their kernels, and what each promises."""

from __future__ import annotations

from samebits.mathlib.float32 import lgamma_f32, tgamma_f32
from samebits.mathlib.float64 import lgamma_f64, tgamma_f64
from samebits.mathlib.primitives import both_widths

tgamma = both_widths(
    "tgamma",
    tgamma_f32.tgamma,
    tgamma_f64.tgamma,
    """The gamma function Γ(x), (x − 1)! of positive integers; an infinity with the sign of a zero,
    NaN for negative integers and −inf, inf for inf.

    float32: correctly rounded, proven on all 2³² inputs.
    float64: correctly rounded on all inputs tried; the margins are proven. The same at every
    precision.
    """,
)
lgamma = both_widths(
    "lgamma",
    lgamma_f32.lgamma,
    lgamma_f64.lgamma,
    """The natural logarithm of |Γ(x)|; inf for zeros, negative integers and infinities, +0 for 1
    and 2.

    float32: correctly rounded, proven on all 2³² inputs.
    float64: correctly rounded on all inputs tried; the margins are proven. The same at every
    precision.
    """,
)
