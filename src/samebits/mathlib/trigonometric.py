"""The trigonometric functions as users see them: their kernels, and what each promises."""

from __future__ import annotations

from samebits.lang.kernel import Overloads
from samebits.mathlib import asin_acos_f32, atan_f32, sin_cos_f32, sin_cos_f64, tan_f32
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
sincos = Overloads(
    "sincos",
    1,
    {FLOAT32: sin_cos_f32.sincos},
    """(sin(x), cos(x)), the bits that `sin` and `cos` give.""",
)
tan = Overloads(
    "tan",
    1,
    {FLOAT32: tan_f32.tan},
    """Tangent of x radians; NaN for NaN and infinities, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    """,
)
sinpi = Overloads(
    "sinpi",
    1,
    {FLOAT32: sin_cos_f32.sinpi},
    """Sine of x half turns, sin(πx); NaN for NaN and infinities, ±0 with the sign of x for integers.

    float32: correctly rounded, proven on all 2³² inputs.
    """,
)
cospi = Overloads(
    "cospi",
    1,
    {FLOAT32: sin_cos_f32.cospi},
    """Cosine of x half turns, cos(πx); NaN for NaN and infinities, +0 half way between integers.

    float32: correctly rounded, proven on all 2³² inputs.
    """,
)
asin = Overloads(
    "asin",
    1,
    {FLOAT32: asin_acos_f32.asin},
    """Arc sine of x, in radians from −π/2 to π/2; NaN beyond ±1, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    """,
)
acos = Overloads(
    "acos",
    1,
    {FLOAT32: asin_acos_f32.acos},
    """Arc cosine of x, in radians from 0 to π; NaN beyond ±1, +0 for 1.

    float32: correctly rounded, proven on all 2³² inputs.
    """,
)
atan = Overloads(
    "atan",
    1,
    {FLOAT32: atan_f32.atan},
    """Arc tangent of x, in radians from −π/2 to π/2, which ±∞ give; −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    """,
)
