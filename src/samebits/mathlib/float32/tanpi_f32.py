"""float32 tangent of half turns, correctly rounded on all 2³² inputs, without a branch.

Owns the kernel `tanpi` at precision HIGH: reduced exactly, then the fraction of tan.
"""

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, copysign, select
from samebits.lang.values.scalars import float32, float64, uint64
from samebits.mathlib.float32.tan_f32 import (
    LIMIT,
    P0,
    P1,
    P2,
    P3,
    P4,
    Q1,
    Q2,
    Q3,
    Q4,
    ROUNDER,
)
from samebits.mathlib.primitives import muladd

INFINITY = float("inf")


@kernel
def tanpi(x: float32) -> float32:
    """Tangent of x half turns, correctly rounded; NaN for NaN and infinities.

    Of an even integer a zero, and of n + 1/2 with n even an infinity, with the sign of x; with the
    other for odd ones.
    """
    wide = float64(x)
    size = abs(wide)
    # From LIMIT on every float32 is an even integer.
    quarters = select(size < LIMIT, size + size, wide * 0.0)
    rounded = quarters + ROUNDER
    f = quarters - (rounded - ROUNDER)
    z = f * f
    p = f * muladd(z, muladd(z, muladd(z, muladd(z, P4, P3), P2), P1), P0)
    q = muladd(z, muladd(z, muladd(z, muladd(z, Q4, Q3), Q2), Q1), 1.0)
    count = bitcast(uint64, rounded)
    odd = (count & 1) != 0
    y = select(odd, -q, p) / select(odd, p, q)
    whole = select(odd, INFINITY, 0.0)
    y = select(f == 0.0, select((count & 2) != 0, -whole, whole), y)
    return float32(select(copysign(1.0, wide) < 0.0, -y, y))
