"""float64 asin, acos, atan and atan2 at precision LOW: one division or root and one polynomial."""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, copysign, select, sqrt
from samebits.lang.values.scalars import float64

# atan u = u + T3·u³ + … for |u| ≤ tan(π/8), relative error 2^-44.9, and asin u = u + S3·u³ + … for
# u ≤ 1/2, relative error 2^-47.8. Made by tools/math/inverse_trigonometric_f64.sollya.
T3 = float.fromhex("-0x1.55555555092f9p-2")
T5 = float.fromhex("0x1.9999992953123p-3")
T7 = float.fromhex("-0x1.24922c9a692fep-3")
T9 = float.fromhex("0x1.c7156050c3f89p-4")
T11 = float.fromhex("-0x1.73dffea21ec7ap-4")
T13 = float.fromhex("0x1.35f696bdf5e6ep-4")
T15 = float.fromhex("-0x1.e2484879845a3p-5")
T17 = float.fromhex("0x1.f9467aed5d3eep-6")
S3 = float.fromhex("0x1.5555555540fap-3")
S5 = float.fromhex("0x1.333333512eebbp-4")
S7 = float.fromhex("0x1.6db6cc153c09ep-5")
S9 = float.fromhex("0x1.f1caff3356192p-6")
S11 = float.fromhex("0x1.6e438990a78afp-6")
S13 = float.fromhex("0x1.1f847d748129bp-6")
S15 = float.fromhex("0x1.9b60ef3801b62p-7")
S17 = float.fromhex("0x1.259e2ecfc60b4p-6")
S19 = float.fromhex("-0x1.df94ae264281ep-8")
S21 = float.fromhex("0x1.023124ddd43d7p-5")

PI = float.fromhex("0x1.921fb54442d18p1")
HALF_PI = float.fromhex("0x1.921fb54442d18p0")
QUARTER_PI = float.fromhex("0x1.921fb54442d18p-1")
TAN_EIGHTH_PI = 0.41421356237309503
STEEP = 2.0**60
"""The arc tangent of this and all above rounds to π/2."""


@kernel
def angle(short: float64, long: float64) -> float64:
    """atan(short/long) for 0 ≤ short ≤ long to 300 ULP."""
    far = short > long * TAN_EIGHTH_PI
    u = select(far, short - long, short) / select(far, short + long, long)
    z = u * u
    w = z * z
    v = w * w
    p = ((T3 + z * T5) + w * (T7 + z * T9)) + v * ((T11 + z * T13) + w * (T15 + z * T17))
    y = u + (u * z) * p
    return select(far, QUARTER_PI + y, y)


@kernel
def atan(x: float64) -> float64:
    """Arc tangent of x in radians to 300 ULP; −0 for −0."""
    size = abs(x)
    size = select(size > STEEP, STEEP, size)
    steep = size > 1.0
    y = angle(select(steep, 1.0, size), select(steep, size, 1.0))
    return copysign(select(steep, HALF_PI - y, y), x)


@kernel
def atan2(y: float64, x: float64) -> float64:
    """Angle of the point (x, y) in radians to 300 ULP; NaN for (0, 0) and two infinities.

    Some number or NaN where both legs are below 2^-1021 or one is above 2^1022.
    """
    width = abs(x)
    height = abs(y)
    steep = height > width
    result = angle(select(steep, width, height), select(steep, height, width))
    result = select(steep, HALF_PI - result, result)
    return copysign(select(x < 0.0, PI - result, result), y)


@kernel
def asin_series(z: float64) -> float64:
    """asin(√z)/√z for z ≤ 1/4."""
    w = z * z
    v = w * w
    p = ((S3 + z * S5) + w * (S7 + z * S9)) + v * ((S11 + z * S13) + w * (S15 + z * S17))
    return 1.0 + z * (p + (v * v) * (S19 + z * S21))


@kernel
def asin(x: float64) -> float64:
    """Arc sine of x in radians to 60 ULP; NaN beyond ±1, −0 for −0."""
    size = abs(x)
    steep = size > 0.5
    z = select(steep, 0.5 - 0.5 * size, size * size)
    y = select(steep, sqrt(z), size) * asin_series(z)
    return copysign(select(steep, HALF_PI - (y + y), y), x)


@kernel
def acos(x: float64) -> float64:
    """Arc cosine of x in radians to 60 ULP; NaN beyond ±1, +0 for 1."""
    size = abs(x)
    steep = size > 0.5
    z = select(steep, 0.5 - 0.5 * size, size * size)
    y = copysign(select(steep, sqrt(z), size) * asin_series(z), x)
    base = select(x < 0.0, PI, 0.0)
    return select(steep, base + (y + y), HALF_PI - y)
