"""float32 arc sine and arc cosine, correctly rounded on all 2³² inputs, without a branch.

Owns the kernels `asin` and `acos` at precision HIGH: one polynomial in float64 up to one half, and
beyond by asin(a) = π/2 − 2·asin(√((1 − a)/2)).
"""

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, copysign, select, sqrt
from samebits.lang.values.scalars import float32, float64
from samebits.mathlib.primitives import muladd

HALF_PI = float.fromhex("0x1.921fb54442d18p0")
PI = float.fromhex("0x1.921fb54442d18p1")

# asin(r) = r·(A1 + A3·r² + …) for r ≤ 1/2, relative error 2^-52.
# Made by tools/math/trigonometry_f32.sollya.
A1 = float.fromhex("0x1.ffffffffffffep-1")
A3 = float.fromhex("0x1.55555555578d8p-3")
A5 = float.fromhex("0x1.3333332ff3062p-4")
A7 = float.fromhex("0x1.6db6dd4a1cf35p-5")
A9 = float.fromhex("0x1.f1c68febaa971p-6")
A11 = float.fromhex("0x1.6e97d183195a8p-6")
A13 = float.fromhex("0x1.1ba452fded368p-6")
A15 = float.fromhex("0x1.d5c3659807515p-7")
A17 = float.fromhex("0x1.3162db527bcdfp-7")
A19 = float.fromhex("0x1.2de51f5ff7aeep-6")
A21 = float.fromhex("-0x1.88922b273870ep-7")
A23 = float.fromhex("0x1.03cca53d06d9cp-5")

# Two arc cosines within 0.3 float64 ULP of a float32 tie, which is what float64 gives; the second
# is π/2 − x, a tie for π/2 as rounded.
HARD_A = float.fromhex("0x1.04c444p-12")
ACOS_A = float.fromhex("0x1.920f6ap0")
HARD_B = float.fromhex("0x1.110b46p-26")
ACOS_B = float.fromhex("0x1.921fb6p0")


@kernel
def asin_series(z: float64) -> float64:
    """asin(√z)/√z for z ≤ 1/4."""
    w = z * z
    p = muladd(w, muladd(w, muladd(z, A23, A21), muladd(z, A19, A17)), muladd(z, A15, A13))
    return muladd(
        w, muladd(w, muladd(w, p, muladd(z, A11, A9)), muladd(z, A7, A5)), muladd(z, A3, A1)
    )


@kernel
def asin(x: float32) -> float32:
    """Arc sine of x in radians, correctly rounded; NaN beyond ±1, −0 for −0."""
    wide = float64(x)
    a = abs(wide)
    steep = a > 0.5
    z = select(steep, muladd(a, -0.5, 0.5), a * a)
    y = select(steep, sqrt(z), a) * asin_series(z)
    return copysign(float32(select(steep, muladd(y, -2.0, HALF_PI), y)), x)


@kernel
def acos(x: float32) -> float32:
    """Arc cosine of x in radians, correctly rounded; NaN beyond ±1, +0 for 1."""
    wide = float64(x)
    a = abs(wide)
    steep = a > 0.5
    z = select(steep, muladd(a, -0.5, 0.5), a * a)
    y = select(steep, sqrt(z), a) * asin_series(z)
    negative = wide < 0.0
    base = select(steep, select(negative, PI, 0.0), HALF_PI)
    y = select(negative, -y, y)
    result = float32(muladd(select(steep, 2.0, -1.0), y, base))
    result = select(x == HARD_A, ACOS_A, result)
    return select(x == HARD_B, ACOS_B, result)
