"""The trigonometric functions as users see them: their kernels, and what each promises.

MEDIUM is HIGH here: with fused multiply-add, nothing shorter that is within an ULP is faster.
"""

from __future__ import annotations

from samebits.mathlib.float32 import (
    asin_acos_f32,
    atan2_f32,
    atan_f32,
    atanpi_f32,
    atanpi_low_f32,
    sin_cos_f32,
    tan_f32,
    tanpi_f32,
)
from samebits.mathlib.float32 import trigonometry_low_f32 as low_f32
from samebits.mathlib.float64 import atanpi_f64, atanpi_low_f64, tanpi_f64, trigonometric_f64
from samebits.mathlib.float64 import inverse_trigonometric_f64 as inverse_f64
from samebits.mathlib.float64 import inverse_trigonometric_low_f64 as inverse_low_f64
from samebits.mathlib.float64 import trigonometric_low_f64 as low_f64
from samebits.mathlib.float64 import trigonometric_medium_f64 as medium_f64
from samebits.mathlib.primitives import both_widths

FIXED_POINT = "samebits.mathlib.fixed.trigonometric"

sin = both_widths(
    "sin",
    (sin_cos_f32.sin, sin_cos_f32.sin, low_f32.sin),
    (trigonometric_f64.sin, medium_f64.sin, low_f64.sin),
    """Sine of x radians; any float32 or float64, NaN for NaN and infinities, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs; LOW: 40 ULP for |x| ≤ 1600.
    float64: correctly rounded; MEDIUM: 1 ULP; LOW: 6 ULP for |x| ≤ 2²⁰.
    From Python x may be a float, a NumPy or samebits float, a vector, or an
    array of float32 or float64.
    """,
    fixed=FIXED_POINT,
)
cos = both_widths(
    "cos",
    (sin_cos_f32.cos, sin_cos_f32.cos, low_f32.cos),
    (trigonometric_f64.cos, medium_f64.cos, low_f64.cos),
    """Cosine of x radians; any float32 or float64, NaN for NaN and infinities.

    float32: correctly rounded, proven on all 2³² inputs; LOW: 40 ULP for |x| ≤ 1600.
    float64: correctly rounded; MEDIUM: 1 ULP; LOW: 6 ULP for |x| ≤ 2²⁰.
    From Python x may be a float, a NumPy or samebits float, a vector, or an
    array of float32 or float64.
    """,
    fixed=FIXED_POINT,
)
sincos = both_widths(
    "sincos",
    (sin_cos_f32.sincos, sin_cos_f32.sincos, low_f32.sincos),
    (trigonometric_f64.sincos, medium_f64.sincos, low_f64.sincos),
    """(sin(x), cos(x)), the bits that `sin` and `cos` give.""",
)
tan = both_widths(
    "tan",
    (tan_f32.tan, tan_f32.tan, low_f32.tan),
    (trigonometric_f64.tan, trigonometric_f64.tan, low_f64.tan),
    """Tangent of x radians; NaN for NaN and infinities, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs; LOW: 157 ULP for |x| ≤ 1600.
    float64: correctly rounded; LOW: 64 ULP for |x| ≤ 2²⁰.
    """,
    fixed=FIXED_POINT,
)
sinpi = both_widths(
    "sinpi",
    (sin_cos_f32.sinpi, sin_cos_f32.sinpi, low_f32.sinpi),
    (trigonometric_f64.sinpi, medium_f64.sinpi, low_f64.sinpi),
    """Sine of x half turns, sin(πx); NaN for NaN and infinities, 0 with x's sign for integers.

    float32: correctly rounded, proven on all 2³² inputs; LOW: 19 ULP for |x| ≤ 2²¹.
    float64: correctly rounded; MEDIUM: 1 ULP; LOW: 6 ULP for |x| ≤ 2⁵⁰.
    """,
)
cospi = both_widths(
    "cospi",
    (sin_cos_f32.cospi, sin_cos_f32.cospi, low_f32.cospi),
    (trigonometric_f64.cospi, medium_f64.cospi, low_f64.cospi),
    """Cosine of x half turns, cos(πx); NaN for NaN and infinities, +0 half way between integers.

    float32: correctly rounded, proven on all 2³² inputs; LOW: 19 ULP for |x| ≤ 2²¹.
    float64: correctly rounded; MEDIUM: 1 ULP; LOW: 6 ULP for |x| ≤ 2⁵⁰.
    """,
)
asin = both_widths(
    "asin",
    (asin_acos_f32.asin, asin_acos_f32.asin, low_f32.asin),
    (inverse_f64.asin, inverse_f64.asin, inverse_low_f64.asin),
    """Arc sine of x, in radians from −π/2 to π/2; NaN beyond ±1, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs; LOW: 30 ULP.
    float64: correctly rounded; LOW: 60 ULP.
    """,
)
acos = both_widths(
    "acos",
    (asin_acos_f32.acos, asin_acos_f32.acos, low_f32.acos),
    (inverse_f64.acos, inverse_f64.acos, inverse_low_f64.acos),
    """Arc cosine of x, in radians from 0 to π; NaN beyond ±1, +0 for 1.

    float32: correctly rounded, proven on all 2³² inputs; LOW: 27 ULP.
    float64: correctly rounded; LOW: 60 ULP.
    """,
)
atan = both_widths(
    "atan",
    (atan_f32.atan, atan_f32.atan, low_f32.atan),
    (inverse_f64.atan, inverse_f64.atan, inverse_low_f64.atan),
    """Arc tangent of x, in radians from −π/2 to π/2, which ±∞ give; −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs; LOW: 75 ULP.
    float64: correctly rounded; LOW: 300 ULP.
    """,
)
atan2 = both_widths(
    "atan2",
    (atan2_f32.atan2, atan2_f32.atan2, low_f32.atan2),
    (inverse_f64.atan2, inverse_f64.atan2, inverse_low_f64.atan2),
    """The angle of the point (x, y) in radians, from −π to π, called atan2(y, x); −0 counts as a
    number below 0, infinities as equal, as in IEEE 754-2019; NaN if x or y is NaN.

    float32: correctly rounded on every published hard case and on 10⁹ random pairs, beyond which
    a 90-bit evaluation leaves next to nothing; LOW: 80 ULP.
    float64: correctly rounded; LOW: 300 ULP, NaN for (0, 0) and two infinities, and some number
    where both legs are below 2^-1021 or one is above 2^1022.
    """,
    fixed=FIXED_POINT,
)
tanpi = both_widths(
    "tanpi",
    (tanpi_f32.tanpi, tanpi_f32.tanpi, atanpi_low_f32.tanpi),
    (tanpi_f64.tanpi, tanpi_f64.tanpi, atanpi_low_f64.tanpi),
    """Tangent of x half turns, tan(πx); NaN for NaN and infinities.

    An even integer gives 0 and an even one and a half inf, with the sign of x, odd ones with the
    other; odd quarters give 1 and −1.

    float32: correctly rounded, proven on all 2³² inputs; LOW: 160 ULP for |x| ≤ 2²⁰.
    float64: correctly rounded; LOW: 64 ULP for |x| ≤ 2⁵⁰.
    """,
)
asinpi = both_widths(
    "asinpi",
    (atanpi_f32.asinpi, atanpi_f32.asinpi, atanpi_low_f32.asinpi),
    (atanpi_f64.asinpi, atanpi_f64.asinpi, atanpi_low_f64.asinpi),
    """Arc sine of x in half turns, from −1/2 to 1/2; NaN beyond ±1, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs; LOW: 40 ULP.
    float64: correctly rounded; LOW: 60 ULP.
    """,
)
acospi = both_widths(
    "acospi",
    (atanpi_f32.acospi, atanpi_f32.acospi, atanpi_low_f32.acospi),
    (atanpi_f64.acospi, atanpi_f64.acospi, atanpi_low_f64.acospi),
    """Arc cosine of x in half turns, from 0 to 1; NaN beyond ±1, +0 for 1.

    float32: correctly rounded, proven on all 2³² inputs; LOW: 30 ULP.
    float64: correctly rounded; LOW: 60 ULP.
    """,
)
atanpi = both_widths(
    "atanpi",
    (atanpi_f32.atanpi, atanpi_f32.atanpi, atanpi_low_f32.atanpi),
    (atanpi_f64.atanpi, atanpi_f64.atanpi, atanpi_low_f64.atanpi),
    """Arc tangent of x in half turns, from −1/2 to 1/2, which ±∞ give; −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs; LOW: 80 ULP.
    float64: correctly rounded; LOW: 300 ULP.
    """,
)
atan2pi = both_widths(
    "atan2pi",
    (atanpi_f32.atan2pi, atanpi_f32.atan2pi, atanpi_low_f32.atan2pi),
    (atanpi_f64.atan2pi, atanpi_f64.atan2pi, atanpi_low_f64.atan2pi),
    """The angle of the point (x, y) in half turns, from −1 to 1, called atan2pi(y, x); −0 counts
    as a number below 0, infinities as equal, as in IEEE 754-2019; NaN if x or y is NaN.

    float32: correctly rounded; what float64 leaves open is decided by 192-bit integers;
    LOW: 80 ULP.
    float64: correctly rounded; LOW: 300 ULP, NaN for (0, 0) and two infinities, and some number
    where both legs are below 2^-1021 or one is above 2^1022.
    """,
)
