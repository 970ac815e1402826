"""float32 tanpi, asinpi, acospi, atanpi and atan2pi at LOW precision.

They are made of tan and of the arcs at LOW. MEDIUM is that of HIGH.

Nothing is fused: the results are not correctly rounded, and have to be the same everywhere
nevertheless.
"""

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, copysign, select
from samebits.lang.values.scalars import float32, uint32
from samebits.mathlib.float32.trigonometry_low_f32 import (
    HALF_PI,
    P1,
    P3,
    P5,
    Q2,
    ROUNDER,
    acos,
    asin,
    atan,
    atan2,
)

INVERSE_PI = 0.3183098733425140380859375
INFINITY = float("inf")
EVEN = 2.0**24
"""From here on every float32 is an even integer."""


@kernel
def tanpi(x: float32) -> float32:
    """Tangent of x half turns; zeros and infinities as at HIGH for |x| ≤ 2^20."""
    size = abs(x)
    quarters = select(size < EVEN, size + size, x * 0.0)
    rounded = quarters + ROUNDER
    f = quarters - (rounded - ROUNDER)
    r = f * HALF_PI
    z = r * r
    p = r * (P1 + z * (P3 + z * P5))
    q = 1.0 + z * Q2
    count = bitcast(uint32, rounded)
    odd = (count & 1) != 0
    y = select(odd, -q, p) / select(odd, p, q)
    whole = select(odd, INFINITY, 0.0)
    y = select(f == 0.0, select((count & 2) != 0, -whole, whole), y)
    return select(copysign(1.0, x) < 0.0, -y, y)


@kernel
def asinpi(x: float32) -> float32:
    """Arc sine of x in half turns; NaN beyond ±1."""
    return asin(x) * INVERSE_PI


@kernel
def acospi(x: float32) -> float32:
    """Arc cosine of x in half turns; NaN beyond ±1."""
    return acos(x) * INVERSE_PI


@kernel
def atanpi(x: float32) -> float32:
    """Arc tangent of x in half turns."""
    return atan(x) * INVERSE_PI


@kernel
def atan2pi(y: float32, x: float32) -> float32:
    """The angle of the point (x, y) in half turns."""
    return atan2(y, x) * INVERSE_PI
