"""float32 arc tangent of a quotient, correctly rounded: `atan2` at precision HIGH.

One division and one polynomial in float64 decide all but one pair in some ten million, and a
rounding test tells which; those and the special ones go to `atan2_exact_f32`.
"""

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, copysign, select
from samebits.lang.values.scalars import float32, float64
from samebits.mathlib.float32.atan2_exact_f32 import atan2_exact
from samebits.mathlib.float32.atan_f32 import HALF_PI, QUARTER_PI, TAN_EIGHTH, atan_series

PI = float.fromhex("0x1.921fb54442d18p1")
BELOW = 1.0 - 2.0**-50
ABOVE = 1.0 + 2.0**-50
"""The relative error of the float64 value is below 2^-51: half an ULP each for the quotient and its
cube's sum, one for π/4, π/2 or π and the sum with it, and 2^-54.6 for the polynomial."""


@kernel
def atan2(y: float32, x: float32) -> float32:
    """The angle of the point (x, y) in radians, correctly rounded; NaN if either is NaN."""
    wide_x = float64(x)
    wide_y = float64(y)
    size_x = abs(wide_x)
    size_y = abs(wide_y)
    steep = size_y > size_x
    over = select(steep, size_x, size_y)
    under = select(steep, size_y, size_x)
    # 24 bits each and within a factor of four: sum and difference are exact.
    middle = over > under * TAN_EIGHTH
    t = select(middle, over - under, over) / select(middle, over + under, under)
    v = select(middle, QUARTER_PI, 0.0) + atan_series(t)
    v = select(steep, HALF_PI - v, v)
    v = select(wide_x < 0.0, PI - v, v)
    result = float32(v * BELOW)
    if result != float32(v * ABOVE):  # NaN too, of 0/0 and ∞/∞
        return atan2_exact(y, x)
    return copysign(result, y)
