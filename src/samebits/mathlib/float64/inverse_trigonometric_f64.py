"""float64 asin, acos, atan and atan2: one angle of two legs, in two parts, for all of them.

Owns these kernels at precision HIGH. The angle of the nearest slope of 65 comes from a
table, what is left from a series; sums of two parts and a rounding test decide nearly every
input, and `atan_exact_f64` the rest. Tables of slopes are as in Gal and Bachelis, "An accurate
elementary mathematical library for the IEEE floating point standard", ACM Transactions on
Mathematical Software 17(1), 1991.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, clamp, copysign, select, sqrt
from samebits.lang.values.scalars import float64, int32, uint64
from samebits.mathlib.float64.atan_exact_f64 import acos_exact, asin_exact, atan2_exact, atan_exact
from samebits.mathlib.float64.inverse_trigonometric_f64_table import ANGLES
from samebits.mathlib.primitives import muladd, product_error

STEPS_ROUNDER = 1.5 * 2.0**46
"""Adding it to |v| < 2^45 rounds v to a multiple of 1/64, whose count stands in the low bits."""
ANGLE_COUNT = 65
LAST_ANGLE = 4 * ANGLE_COUNT - 1

# atan u - u = u³(A3 + A5·u² + A7·u⁴ + A9·u⁶) for |u| ≤ 1/127.9, relative error 2^-54. Made by
# tools/math/inverse_trigonometric_f64.sollya.
A3 = float.fromhex("-0x1.5555555555555p-2")
A5 = float.fromhex("0x1.9999999984441p-3")
A7 = float.fromhex("-0x1.24923e7552ed8p-3")
A9 = float.fromhex("0x1.c408ad072b27ep-4")

STEEP = 2.0**60
"""The arc tangent of this and all above rounds to π/2."""
SHORT = 2.0**-480
LONG = 2.0**480
"""Of two legs between these, no quotient and no low half of a product is subnormal."""
REST_MARGIN = 2.0**-65
"""The error of the rest's series, relative to the rest u: its leading term u³/3 ≤ 2^-15.6·u is
rounded eight times by at most 2^-53, which makes 2^-65.6."""
MARGIN = 2.0**-100
"""The error of all else, relative to the angle: low halves of 2^-53 are rounded six times by 2^-53,
which makes 2^-103.4. That the sum of both is enough is proven by `make prove-rounding`."""


@kernel
def angle_in_two_parts(
    short: float64, short_low: float64, long: float64, long_low: float64, steep: bool, back: bool
) -> tuple[float64, float64, float64]:
    """The angle of two legs 0 ≤ short ≤ long, both in two parts, as a sum s + low, and a margin.

    The angle α of the long leg; `steep` takes π/2 - α, and `back` takes π less what is so found.
    """
    rounded = short / long + STEPS_ROUNDER
    c = rounded - STEPS_ROUNDER
    first = select(steep, select(back, int32(2), int32(1)), select(back, int32(3), int32(0)))
    count = int32(bitcast(uint64, rounded) & 127)
    i = clamp(first * ANGLE_COUNT + count, 0, LAST_ANGLE)
    angle = ANGLES[2 * i]
    angle_low = ANGLES[2 * i + 1]
    # tan(α - atan c) = (short - c·long)/(long + c·short)
    p = c * long
    up = short - p  # exact: where c is not 0, p/2 ≤ short ≤ 2p
    up_low = short_low - (product_error(c, long) + c * long_low)
    up = select(steep != back, -up, up)
    up_low = select(steep != back, -up_low, up_low)
    q = c * short
    down = long + q
    down_low = (q - (down - long)) + (product_error(c, short) + muladd(c, short_low, long_low))
    inverse = 1.0 / down
    u = up * inverse
    rest = (up - u * down) - product_error(u, down)
    u_low = (rest + (up_low - u * down_low)) * inverse
    z = u * u
    series = muladd(z, muladd(z, muladd(z, A9, A7), A5), A3)
    s = angle + u  # angle is 0 or at least |u|
    low = ((u - (s - angle)) + angle_low) + muladd(z, muladd(u, series, -u_low), u_low)
    return s, low, muladd(abs(u), REST_MARGIN, s * MARGIN)


@kernel
def atan(x: float64) -> float64:
    """Arc tangent of x in radians, correctly rounded; −0 for −0."""
    size = abs(x)
    size = select(size > STEEP, STEEP, size)
    steep = size > 1.0
    s, low, margin = angle_in_two_parts(
        select(steep, 1.0, size), 0.0, select(steep, size, 1.0), 0.0, steep, False
    )
    y = s + (low - margin)
    if y != s + (low + margin):
        return atan_exact(x)
    return copysign(y, x)


@kernel
def atan2(y: float64, x: float64) -> float64:
    """Angle of the point (x, y) in radians, correctly rounded, special cases as IEEE 754."""
    width = abs(x)
    height = abs(y)
    steep = height > width
    short = select(steep, width, height)
    long = select(steep, height, width)
    s, low, margin = angle_in_two_parts(short, 0.0, long, 0.0, steep, x < 0.0)
    angle = s + (low - margin)
    known = (long >= SHORT) & (long <= LONG) & ((short >= SHORT) | (short == 0.0))
    if not (known & (angle == s + (low + margin))):
        return atan2_exact(y, x)
    return copysign(angle, y)


@kernel
def leg_in_two_parts(a: float64) -> tuple[float64, float64]:
    """√(1 - a²) as a sum of two parts, for |a| < 1."""
    square = a * a
    near = 1.0 - square
    rest = ((1.0 - near) - square) - product_error(a, a)
    w = near + rest  # near 1 of a, rest is no small part of near
    w_low = rest - (w - near)
    leg = sqrt(w)
    rest = ((w - leg * leg) - product_error(leg, leg)) + w_low
    return leg, (rest * 0.5) / leg


@kernel
def asin(x: float64) -> float64:
    """Arc sine of x in radians, correctly rounded; NaN beyond ±1, −0 for −0."""
    size = abs(x)
    leg, leg_low = leg_in_two_parts(size)
    steep = size > leg
    s, low, margin = angle_in_two_parts(
        select(steep, leg, size), select(steep, leg_low, 0.0),
        select(steep, size, leg), select(steep, 0.0, leg_low), steep, False,
    )  # fmt: skip
    y = s + (low - margin)
    if y != s + (low + margin):
        return asin_exact(x)
    return copysign(y, x)


@kernel
def acos(x: float64) -> float64:
    """Arc cosine of x in radians, correctly rounded; NaN beyond ±1, +0 for 1."""
    size = abs(x)
    leg, leg_low = leg_in_two_parts(size)
    steep = leg > size
    s, low, margin = angle_in_two_parts(
        select(steep, size, leg), select(steep, 0.0, leg_low),
        select(steep, leg, size), select(steep, leg_low, 0.0), steep, x < 0.0,
    )  # fmt: skip
    y = s + (low - margin)
    if y != s + (low + margin):
        return acos_exact(x)
    return y
