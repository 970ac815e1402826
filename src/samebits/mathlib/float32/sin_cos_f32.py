"""float32 sine and cosine in radians and in half turns, correctly rounded on all 2³² inputs.

Owns the kernels `sin`, `cos`, `sincos`, `sinpi` and `cospi` at precision HIGH: one odd polynomial
in float64 on half a turn serves all of them, without a branch but for the radians beyond 2²⁴ and
what is not finite, which `sin_cos_large_f32` takes.
"""

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, select
from samebits.lang.values.scalars import float32, float64, uint64
from samebits.mathlib.float32.sin_cos_large_f32 import cos_large, sin_large
from samebits.mathlib.primitives import muladd

ROUNDER = 1.5 * 2.0**52
"""Adding it to |v| < 2⁵¹ rounds v to an integer, which stands in the sum's low bits."""
LIMIT = 2.0**24
"""Up to here 82 bits of 1/π are enough; and from here on, every float32 is an even integer."""

# 1/π in 29 bits, whose product with a float32 is exact, and the next 53.
INVERSE_PI = float.fromhex("0x1.45f306dc9c883p-2")
INVERSE_PI_HIGH = float.fromhex("0x1.45f306dp-2")
INVERSE_PI_REST = float.fromhex("0x1.9391054a7f09dp-31")

# sin(πf) = f·(S1 + S3·f² + …) for |f| ≤ 0.5005, relative error 2^-51.7.
# Made by tools/math/trigonometry_f32.sollya; S1, S3 and S5 moved by tools/math/tune_sin_f32.py.
S1 = float.fromhex("0x1.921fb54442d16p1")
S3 = float.fromhex("-0x1.4abbce625bd46p2")
S5 = float.fromhex("0x1.466bc67750877p1")
S7 = float.fromhex("-0x1.32d2cce155275p-1")
S9 = float.fromhex("0x1.5078323cd9b2p-4")
S11 = float.fromhex("-0x1.e3061f48d6662p-8")
S13 = float.fromhex("0x1.e89c20d21cfd2p-12")
S15 = float.fromhex("-0x1.62544d8a934c7p-16")


@kernel
def sin_half_turns(f: float64, rounded: float64) -> float64:
    """sin(π(f + k)) for |f| ≤ 0.5005 and the k that `rounded` = k + ROUNDER holds."""
    z = f * f
    p = muladd(z, muladd(z, muladd(z, S15, S13), S11), S9)
    p = muladd(z, muladd(z, muladd(z, muladd(z, p, S7), S5), S3), S1)
    y = f * p
    return select((bitcast(uint64, rounded) & 1) != 0, -y, y)


@kernel
def sin(x: float32) -> float32:
    """Sine of x radians, correctly rounded; NaN for NaN and infinities, −0 for −0."""
    if not abs(x) <= LIMIT:
        return sin_large(x)
    wide = float64(x)
    rounded = muladd(wide, INVERSE_PI, ROUNDER)
    f = muladd(wide, INVERSE_PI_REST, muladd(wide, INVERSE_PI_HIGH, -(rounded - ROUNDER)))
    return float32(sin_half_turns(f, rounded))


@kernel
def cos(x: float32) -> float32:
    """Cosine of x radians, correctly rounded; NaN for NaN and infinities."""
    if not abs(x) <= LIMIT:
        return cos_large(x)
    wide = float64(x)
    # cos x = sin(x + π/2); x/π + 1/2 = k + f.
    rounded = muladd(wide, INVERSE_PI, 0.5) + ROUNDER
    shift = (ROUNDER - rounded) + 0.5
    f = muladd(wide, INVERSE_PI_REST, muladd(wide, INVERSE_PI_HIGH, shift))
    return float32(sin_half_turns(f, rounded))


@kernel
def sincos(x: float32) -> tuple[float32, float32]:
    """Sine and cosine of x radians, as `sin` and `cos` give them."""
    return sin(x), cos(x)


@kernel
def sinpi(x: float32) -> float32:
    """Sine of x half turns, correctly rounded; of an integer 0 with the sign of x."""
    wide = float64(x)
    whole = select(abs(x) < LIMIT, wide, 0.0)
    rounded = whole + ROUNDER
    f = whole - (rounded - ROUNDER)
    y = sin_half_turns(f, rounded)
    return float32(select(f == 0.0, wide * 0.0, y))


@kernel
def cospi(x: float32) -> float32:
    """Cosine of x half turns, correctly rounded; +0 half way between integers."""
    wide = float64(x)
    shifted = select(abs(x) < LIMIT, wide, wide * 0.0) + 0.5
    rounded = shifted + ROUNDER
    f = shifted - (rounded - ROUNDER)
    return float32(sin_half_turns(f, rounded) + 0.0)
