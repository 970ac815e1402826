"""Roots and lengths as users see them: their kernels, and what each promises."""

from __future__ import annotations

from samebits.lang.kernel import Overloads
from samebits.mathlib import hypot_f32, roots_f32, roots_f64
from samebits.types import FLOAT32, FLOAT64

cbrt = Overloads(
    "cbrt",
    1,
    {
        FLOAT32: roots_f32.cbrt,
        FLOAT64: (roots_f64.cbrt, roots_f64.cbrt, roots_f64.cbrt_low),
    },
    """Cube root of x, exact for cubes; ±inf for ±inf, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    float64: correctly rounded at HIGH and MEDIUM; at LOW within 4 ULP for normal x and special
    values, and some number for a subnormal x.
    """,
)
rsqrt = Overloads(
    "rsqrt",
    1,
    {
        FLOAT32: roots_f32.rsqrt,
        FLOAT64: (roots_f64.rsqrt, roots_f64.rsqrt, roots_f64.rsqrt_low),
    },
    """1/√x; ±inf for ±0, NaN for x < 0, 0 for inf.

    float32: correctly rounded, proven on all 2³² inputs.
    float64: correctly rounded at HIGH and MEDIUM; at LOW within 8 ULP for normal x and special
    values, and some number for a subnormal x.
    """,
)
hypot = Overloads(
    "hypot",
    2,
    {
        FLOAT32: hypot_f32.hypot,
        FLOAT64: (roots_f64.hypot, roots_f64.hypot, roots_f64.hypot_low),
    },
    """√(x² + y²) without needless overflow; inf where x or y is infinite, else NaN for a NaN.

    float32: correctly rounded.
    float64: correctly rounded at HIGH and MEDIUM; at LOW within 2 ULP where the larger of |x| and
    |y| is between 2^-480 and 2^510: beyond it may be 0 or inf, and for inf beside a NaN it is NaN.
    """,
)
