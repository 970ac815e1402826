"""float32 asinpi, acospi, atanpi and atan2pi, correctly rounded.

The first three are so on all 2³² inputs, and have no branch.

Owns these kernels at precision HIGH: the series of asin, acos and atan over π, around exact
multiples of a quarter. What float64 leaves open of atan2pi, and special pairs, 192-bit integers
decide.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, copysign, select, sqrt
from samebits.lang.values.scalars import float32, float64
from samebits.mathlib.float32.asin_acos_f32 import asin_series
from samebits.mathlib.float32.atan_f32 import COT_EIGHTH, TAN_EIGHTH, atan_series
from samebits.mathlib.float64.atanpi_exact_f64 import wide_atan2pi
from samebits.mathlib.primitives import cold_kernel, muladd
from samebits.mathlib.wide.to_float32 import to_float32

INVERSE_PI = float.fromhex("0x1.45f306dc9c883p-2")
TWO_OVER_PI = 2.0 * INVERSE_PI

# An arc sine and an arc tangent so near a float32 tie that float64 gives the tie itself.
HARD_A = float.fromhex("0x1.05ffcp-4")
ASINPI_A = float.fromhex("0x1.4dd0bep-6")
HARD_B = float.fromhex("0x1.d26a62p-1")
ATANPI_B = float.fromhex("0x1.e1a662p-3")

BELOW = 1.0 - 2.0**-49
ABOVE = 1.0 + 2.0**-49
"""The relative error of atan2pi's float64 value is below 2^-50: that of atan2's, and half an ULP
each for 1/π and the product with it."""


@kernel
def asinpi(x: float32) -> float32:
    """Arc sine of x in half turns, correctly rounded; NaN beyond ±1, −0 for −0."""
    a = abs(float64(x))
    steep = a > 0.5
    z = select(steep, muladd(a, -0.5, 0.5), a * a)
    y = select(steep, sqrt(z), a) * asin_series(z)
    v = select(steep, muladd(y, -TWO_OVER_PI, 0.5), y * INVERSE_PI)
    return copysign(float32(select(a == HARD_A, ASINPI_A, v)), x)


@kernel
def acospi(x: float32) -> float32:
    """Arc cosine of x in half turns, correctly rounded; NaN beyond ±1, +0 for 1."""
    wide = float64(x)
    a = abs(wide)
    steep = a > 0.5
    z = select(steep, muladd(a, -0.5, 0.5), a * a)
    y = select(steep, sqrt(z), a) * asin_series(z)
    negative = wide < 0.0
    base = select(steep, select(negative, 1.0, 0.0), 0.5)
    y = select(negative, -y, y)
    return float32(muladd(select(steep, TWO_OVER_PI, -INVERSE_PI), y, base))


@kernel
def atanpi(x: float32) -> float32:
    """Arc tangent of x in half turns, correctly rounded; ±1/2 for ±∞, −0 for −0."""
    a = abs(float64(x))
    middle = a > TAN_EIGHTH
    far = a > COT_EIGHTH
    over = select(far, -1.0, select(middle, a - 1.0, a))
    under = select(far, a, select(middle, a + 1.0, 1.0))
    base = select(far, 0.5, select(middle, 0.25, 0.0))
    v = muladd(atan_series(over / under), INVERSE_PI, base)
    return copysign(float32(select(a == HARD_B, ATANPI_B, v)), x)


@cold_kernel
def atan2pi_rare(y: float32, x: float32) -> float32:
    """The angle of the point (x, y) in half turns, from 192-bit integers; NaN if either is NaN."""
    if x != x or y != y:
        return x + y
    e, x2, x1, x0 = wide_atan2pi(float64(y), float64(x))
    return copysign(to_float32(False, e, x2, x1, x0), y)


@kernel
def atan2pi(y: float32, x: float32) -> float32:
    """The angle of the point (x, y) in half turns, correctly rounded; NaN if either is NaN."""
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
    v = muladd(atan_series(t), INVERSE_PI, select(middle, 0.25, 0.0))
    v = select(steep, 0.5 - v, v)
    v = select(wide_x < 0.0, 1.0 - v, v)
    result = float32(v * BELOW)
    if result != float32(v * ABOVE):  # NaN too, of 0/0 and ∞/∞
        return atan2pi_rare(y, x)
    return copysign(result, y)
