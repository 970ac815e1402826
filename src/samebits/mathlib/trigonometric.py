"""The trigonometric functions as users see them: their kernels, and what each promises."""

from __future__ import annotations

from samebits.lang.kernel import Overloads
from samebits.mathlib import sin_cos_f32, sin_cos_f64
from samebits.types import FLOAT32, FLOAT64

sin = Overloads(
    "sin",
    1,
    {FLOAT32: sin_cos_f32.sin, FLOAT64: sin_cos_f64.sin},
    """Sine of x radians; any float32 or float64, NaN for NaN and infinities, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs. float64: correctly rounded on every
    published hard case (the chance that one of the 2⁶⁴ is not is about one in eight). From Python x
    may be a float, a NumPy or samebits float, a vector, or an array of float32 or float64.
    """,
)
cos = Overloads(
    "cos",
    1,
    {FLOAT32: sin_cos_f32.cos, FLOAT64: sin_cos_f64.cos},
    """Cosine of x radians; any float32 or float64, NaN for NaN and infinities.

    float32: correctly rounded, proven on all 2³² inputs. float64: correctly rounded on every
    published hard case (the chance that one of the 2⁶⁴ is not is about one in eight). From Python x
    may be a float, a NumPy or samebits float, a vector, or an array of float32 or float64.
    """,
)
