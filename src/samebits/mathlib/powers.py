"""Roots and lengths as users see them: their kernels, and what each promises."""

from __future__ import annotations

from samebits.lang.kernel import Overloads
from samebits.mathlib import hypot_f32, roots_f32
from samebits.types import FLOAT32

cbrt = Overloads(
    "cbrt",
    1,
    {FLOAT32: roots_f32.cbrt},
    """Cube root of x, exact for cubes; ±inf for ±inf, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    """,
)
rsqrt = Overloads(
    "rsqrt",
    1,
    {FLOAT32: roots_f32.rsqrt},
    """1/√x; ±inf for ±0, NaN for x < 0, 0 for inf.

    float32: correctly rounded, proven on all 2³² inputs.
    """,
)
hypot = Overloads(
    "hypot",
    2,
    {FLOAT32: hypot_f32.hypot},
    """√(x² + y²) without needless overflow; inf where x or y is infinite, else NaN for a NaN.

    float32: correctly rounded.
    """,
)
