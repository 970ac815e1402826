"""Roots and lengths as users see them: their kernels, and what each promises."""

from __future__ import annotations

from samebits.mathlib.float32 import hypot_f32, powers_fast_f32, roots_f32
from samebits.mathlib.float64 import roots_f64
from samebits.mathlib.primitives import both_widths

cbrt = both_widths(
    "cbrt",
    (roots_f32.cbrt, powers_fast_f32.cbrt_medium, powers_fast_f32.cbrt_low),
    (roots_f64.cbrt, roots_f64.cbrt, roots_f64.cbrt_low),
    """Cube root of x, exact for cubes; ±inf for ±inf, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.51 ULP off; at LOW: at most 250 for normal x.
    float64: correctly rounded at HIGH and MEDIUM; at LOW within 8 ULP for normal x and special
    values, and some number for a subnormal x.
    """,
)
rsqrt = both_widths(
    "rsqrt",
    (roots_f32.rsqrt, powers_fast_f32.rsqrt_medium, powers_fast_f32.rsqrt_low),
    (roots_f64.rsqrt, roots_f64.rsqrt, roots_f64.rsqrt_low),
    """1/√x; ±inf for ±0, NaN for x < 0, 0 for inf.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.51 ULP off; at LOW: at most 2.
    float64: correctly rounded at HIGH and MEDIUM; at LOW within 14 ULP for normal x and special
    values, and some number for a subnormal x.
    """,
)
hypot = both_widths(
    "hypot",
    (hypot_f32.hypot, powers_fast_f32.hypot_medium, powers_fast_f32.hypot_low),
    (roots_f64.hypot, roots_f64.hypot, roots_f64.hypot_low),
    """√(x² + y²) without needless overflow; inf where x or y is infinite, else NaN for a NaN.

    float32: correctly rounded.
    float32 at MEDIUM: at most 0.51 ULP off; at LOW: at most 2 if the greater is from 2^-50
    to 2^63.
    float64: correctly rounded at HIGH and MEDIUM; at LOW within 2.5 ULP where the larger of |x| and
    |y| is between 2^-480 and 2^510: beyond it may be 0 or inf, and for inf beside a NaN it is NaN.
    """,
)
