"""The hyperbolic functions as users see them: their kernels, and what each promises."""

from __future__ import annotations

from samebits.lang.kernel import Overloads
from samebits.mathlib import asinh_f32, sinh_f32
from samebits.types import FLOAT32

sinh = Overloads(
    "sinh",
    1,
    {FLOAT32: sinh_f32.sinh},
    """Hyperbolic sine of x; ±inf beyond the range, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    """,
)
cosh = Overloads(
    "cosh",
    1,
    {FLOAT32: sinh_f32.cosh},
    """Hyperbolic cosine of x; inf beyond the range.

    float32: correctly rounded, proven on all 2³² inputs.
    """,
)
tanh = Overloads(
    "tanh",
    1,
    {FLOAT32: sinh_f32.tanh},
    """Hyperbolic tangent of x; ±1 for ±inf, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    """,
)
asinh = Overloads(
    "asinh",
    1,
    {FLOAT32: asinh_f32.asinh},
    """Inverse hyperbolic sine of x; ±inf for ±inf, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    """,
)
acosh = Overloads(
    "acosh",
    1,
    {FLOAT32: asinh_f32.acosh},
    """Inverse hyperbolic cosine of x; NaN for x < 1, inf for inf.

    float32: correctly rounded, proven on all 2³² inputs.
    """,
)
atanh = Overloads(
    "atanh",
    1,
    {FLOAT32: asinh_f32.atanh},
    """Inverse hyperbolic tangent of x; ±inf for ±1, NaN for |x| > 1, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    """,
)
