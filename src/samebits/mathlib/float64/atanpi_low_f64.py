"""float64 tanpi, asinpi, acospi, atanpi and atan2pi at LOW precision.

They are made of tan and of the arcs at LOW. MEDIUM is that of HIGH.

Nothing is fused: the results are not correctly rounded, and have to be the same everywhere
nevertheless.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, copysign, select
from samebits.lang.values.scalars import float64, uint64
from samebits.mathlib.float64.atanpi_f64 import INVERSE_PI
from samebits.mathlib.float64.inverse_trigonometric_low_f64 import acos, asin, atan, atan2
from samebits.mathlib.float64.trigonometric_low_f64 import (
    C2,
    C4,
    C6,
    C8,
    C10,
    C12,
    EVEN,
    ROUNDER,
    T3,
    T5,
    T7,
    T9,
    T11,
)

HALF_PI = float.fromhex("0x1.921fb54442d18p0")
INFINITY = float("inf")


@kernel
def tanpi(x: float64) -> float64:
    """Tangent of x half turns to 64 ULP for |x| ≤ 2^50; zeros and infinities as at HIGH."""
    size = abs(x)
    quarters = select(size < EVEN, size + size, x * 0.0)
    rounded = quarters + ROUNDER
    f = quarters - (rounded - ROUNDER)
    d = f * HALF_PI
    z = d * d
    w = z * z
    s = d + (d * z) * (((T3 + z * T5) + w * (T7 + z * T9)) + (w * w) * T11)
    c = 1.0 + z * (((C2 + z * C4) + w * (C6 + z * C8)) + (w * w) * (C10 + z * C12))
    count = bitcast(uint64, rounded)
    odd = (count & 1) != 0
    y = select(odd, -c, s) / select(odd, s, c)
    whole = select(odd, INFINITY, 0.0)
    y = select(f == 0.0, select((count & 2) != 0, -whole, whole), y)
    return select(copysign(1.0, x) < 0.0, -y, y)


@kernel
def asinpi(x: float64) -> float64:
    """Arc sine of x in half turns; NaN beyond ±1, −0 for −0."""
    return asin(x) * INVERSE_PI


@kernel
def acospi(x: float64) -> float64:
    """Arc cosine of x in half turns; NaN beyond ±1, +0 for 1."""
    return acos(x) * INVERSE_PI


@kernel
def atanpi(x: float64) -> float64:
    """Arc tangent of x in half turns; −0 for −0."""
    return atan(x) * INVERSE_PI


@kernel
def atan2pi(y: float64, x: float64) -> float64:
    """Angle of the point (x, y) in half turns; NaN for (0, 0) and two infinities."""
    return atan2(y, x) * INVERSE_PI
