"""float64 asinpi, acospi, atanpi and atan2pi, correctly rounded: angles over π in two parts.

The angles are those of asin and its like.

A rounding test and `atanpi_exact_f64` decide as for those.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, copysign, select
from samebits.lang.values.scalars import float64
from samebits.mathlib.float64.atanpi_exact_f64 import (
    acospi_exact,
    asinpi_exact,
    atan2pi_exact,
    atanpi_exact,
)
from samebits.mathlib.float64.inverse_trigonometric_f64 import (
    LONG,
    MARGIN,
    SHORT,
    STEEP,
    angle_in_two_parts,
    leg_in_two_parts,
)
from samebits.mathlib.primitives import muladd, product_error

INVERSE_PI = float.fromhex("0x1.45f306dc9c883p-2")
INVERSE_PI_LOW = float.fromhex("-0x1.6b01ec5417056p-56")
SMALLEST = 2.0**-900
"""From here on, the low half of a product with 1/π is normal."""


@kernel
def in_half_turns(s: float64, low: float64, margin: float64) -> tuple[float64, float64, float64]:
    """(s + low)/π as a sum of two parts, and the margin that it has for one of s + low."""
    a = s + low
    a_low = low - (a - s)
    q = a * INVERSE_PI
    rest = product_error(a, INVERSE_PI) + muladd(a, INVERSE_PI_LOW, a_low * INVERSE_PI)
    return q, rest, muladd(margin, INVERSE_PI, q * MARGIN)


@kernel
def atanpi(x: float64) -> float64:
    """Arc tangent of x in half turns, correctly rounded; −0 for −0."""
    size = abs(x)
    capped = select(size > STEEP, STEEP, size)
    steep = capped > 1.0
    s, low, margin = angle_in_two_parts(
        select(steep, 1.0, capped), 0.0, select(steep, capped, 1.0), 0.0, steep, False
    )
    q, low, margin = in_half_turns(s, low, margin)
    y = q + (low - margin)
    known = (size >= SMALLEST) | (size == 0.0)
    if not (known & (y == q + (low + margin))):
        return atanpi_exact(x)
    return copysign(y, x)


@kernel
def atan2pi(y: float64, x: float64) -> float64:
    """Angle of the point (x, y) in half turns, correctly rounded, special cases as IEEE 754."""
    width = abs(x)
    height = abs(y)
    steep = height > width
    short = select(steep, width, height)
    long = select(steep, height, width)
    s, low, margin = angle_in_two_parts(short, 0.0, long, 0.0, steep, x < 0.0)
    q, low, margin = in_half_turns(s, low, margin)
    angle = q + (low - margin)
    legs = (long >= SHORT) & (long <= LONG) & ((short >= SHORT) | (short == 0.0))
    known = legs & ((s >= SMALLEST) | (s == 0.0))
    if not (known & (angle == q + (low + margin))):
        return atan2pi_exact(y, x)
    return copysign(angle, y)


@kernel
def asinpi(x: float64) -> float64:
    """Arc sine of x in half turns, correctly rounded; NaN beyond ±1, −0 for −0."""
    size = abs(x)
    leg, leg_low = leg_in_two_parts(size)
    steep = size > leg
    s, low, margin = angle_in_two_parts(
        select(steep, leg, size), select(steep, leg_low, 0.0),
        select(steep, size, leg), select(steep, 0.0, leg_low), steep, False,
    )  # fmt: skip
    q, low, margin = in_half_turns(s, low, margin)
    y = q + (low - margin)
    known = (size >= SMALLEST) | (size == 0.0)
    if not (known & (y == q + (low + margin))):
        return asinpi_exact(x)
    return copysign(y, x)


@kernel
def acospi(x: float64) -> float64:
    """Arc cosine of x in half turns, correctly rounded; NaN beyond ±1, +0 for 1."""
    size = abs(x)
    leg, leg_low = leg_in_two_parts(size)
    steep = leg > size
    s, low, margin = angle_in_two_parts(
        select(steep, size, leg), select(steep, 0.0, leg_low),
        select(steep, leg, size), select(steep, leg_low, 0.0), steep, x < 0.0,
    )  # fmt: skip
    q, low, margin = in_half_turns(s, low, margin)
    y = q + (low - margin)
    if y != q + (low + margin):
        return acospi_exact(x)
    return y
