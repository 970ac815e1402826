"""The exponential functions as users see them: their kernels, and what each promises."""

from __future__ import annotations

from samebits.lang.kernel import Overloads
from samebits.mathlib import exp_f32, expm1_f32
from samebits.types import FLOAT32

exp = Overloads(
    "exp",
    1,
    {FLOAT32: exp_f32.exp},
    """e^x; 0 for −inf, inf beyond the range.

    float32: correctly rounded, proven on all 2³² inputs.
    """,
)
exp2 = Overloads(
    "exp2",
    1,
    {FLOAT32: exp_f32.exp2},
    """2^x, exact for integers; 0 for −inf, inf beyond the range.

    float32: correctly rounded, proven on all 2³² inputs.
    """,
)
exp10 = Overloads(
    "exp10",
    1,
    {FLOAT32: exp_f32.exp10},
    """10^x; 0 for −inf, inf beyond the range.

    float32: correctly rounded, proven on all 2³² inputs.
    """,
)
expm1 = Overloads(
    "expm1",
    1,
    {FLOAT32: expm1_f32.expm1},
    """e^x − 1, accurate near 0 too; −1 for −inf, inf beyond the range, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    """,
)
