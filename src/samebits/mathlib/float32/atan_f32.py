"""float32 arc tangent, correctly rounded on all 2³² inputs, without a branch.

Owns the kernel `atan` at precision HIGH: atan(a) = b + atan((a·cos b − sin b)/(a·sin b + cos b))
with b one of 0, π/4 and π/2.
"""

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, copysign, select
from samebits.lang.values.scalars import float32, float64
from samebits.mathlib.primitives import muladd

QUARTER_PI = float.fromhex("0x1.921fb54442d18p-1")
HALF_PI = float.fromhex("0x1.921fb54442d18p0")
TAN_EIGHTH = float.fromhex("0x1.a82799fcef326p-2")
"""About tan(π/8)."""
COT_EIGHTH = float.fromhex("0x1.3504f333f9de6p1")

# atan(t) = t + t³·(T3 + T5·t² + …) for |t| ≤ 0.41422, relative error 2^-54.6.
# Made by tools/math/trigonometry_f32.sollya.
T3 = float.fromhex("-0x1.5555555555302p-2")
T5 = float.fromhex("0x1.9999999947798p-3")
T7 = float.fromhex("-0x1.24924904f4eaep-3")
T9 = float.fromhex("0x1.c71c65aa28f77p-4")
T11 = float.fromhex("-0x1.745bc032e51b5p-4")
T13 = float.fromhex("0x1.3afc0fc859965p-4")
T15 = float.fromhex("-0x1.100408006c512p-4")
T17 = float.fromhex("0x1.d249fb4a0f77ap-5")
T19 = float.fromhex("-0x1.64fafd609949ep-5")
T21 = float.fromhex("0x1.5c0e5d596f1f5p-6")

# An arc tangent within 0.14 float64 ULP of a float32 tie, which is what float64 gives.
HARD = float.fromhex("0x1.1ad646p-4")
ATAN_HARD = float.fromhex("0x1.1a6386p-4")


@kernel
def atan_series(t: float64) -> float64:
    """atan(t) for |t| ≤ 0.41422."""
    z = t * t
    w = z * z
    p = muladd(w, muladd(w, muladd(z, T21, T19), muladd(z, T17, T15)), muladd(z, T13, T11))
    p = muladd(w, muladd(w, p, muladd(z, T9, T7)), muladd(z, T5, T3))
    return muladd(t * z, p, t)


@kernel
def atan(x: float32) -> float32:
    """Arc tangent of x in radians, correctly rounded; ±π/2 for ±∞, −0 for −0."""
    wide = float64(x)
    a = abs(wide)
    middle = a > TAN_EIGHTH
    far = a > COT_EIGHTH
    over = select(far, -1.0, select(middle, a - 1.0, a))
    under = select(far, a, select(middle, a + 1.0, 1.0))
    base = select(far, HALF_PI, select(middle, QUARTER_PI, 0.0))
    v = base + atan_series(over / under)
    return copysign(float32(select(a == HARD, ATAN_HARD, v)), x)
