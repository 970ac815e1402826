"""float32 trigonometry at precision LOW: short float32 polynomials, without a branch.

Owns the kernels of every function for |x| ≤ 1600 radians, |x| ≤ 2²¹ half turns, and all quotients
and slopes; on these they are off by at most 157 ULP, each by what is promised. Beyond, results are
the same everywhere but say nothing; NaN gives NaN.
"""

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, copysign, select, sqrt
from samebits.lang.values.scalars import float32, uint32

ROUNDER = 1.5 * 2.0**23
"""Adding it to |v| < 2²² rounds v to an integer, which stands in the sum's low bits."""
INVERSE_PI = float.fromhex("0x1.45f306p-2")
TWO_OVER_PI = float.fromhex("0x1.45f306p-1")
PI = float.fromhex("0x1.921fb6p1")
HALF_PI = float.fromhex("0x1.921fb6p0")
LARGEST = float.fromhex("0x1.fffffep127")

# π in two parts of 14 bits, of which 10-bit multiples are exact, and a rest; and π/2.
PI_1 = float.fromhex("0x1.9218p+1")
PI_2 = float.fromhex("0x1.ed5p-13")
PI_3 = float.fromhex("0x1.10b462p-29")
HALF_PI_1 = float.fromhex("0x1.9218p+0")
HALF_PI_2 = float.fromhex("0x1.ed5p-14")
HALF_PI_3 = float.fromhex("0x1.10b462p-30")

# Relative errors: sin 2^-19.9 to π/2, sin(πf) 2^-20 to 1/2, tan 2^-16.7 to π/4, asin 2^-19.3 to
# 1/2, atan 2^-17.8 to 1. Made by tools/math/trigonometry_f32.sollya.
S1 = float.fromhex("0x1.ffffdep-1")
S3 = float.fromhex("-0x1.554f3ep-3")
S5 = float.fromhex("0x1.10586ap-7")
S7 = float.fromhex("-0x1.835c8ep-13")
H1 = float.fromhex("0x1.921f9cp1")
H3 = float.fromhex("-0x1.4ab61ap2")
H5 = float.fromhex("0x1.4593b4p1")
H7 = float.fromhex("-0x1.1dd8fcp-1")
P1 = float.fromhex("0x1.00009ap0")
P3 = float.fromhex("-0x1.1208b4p-4")
P5 = float.fromhex("0x1.cb563p-11")
Q2 = float.fromhex("-0x1.99999ap-2")
A1 = float.fromhex("0x1.ffffcep-1")
A3 = float.fromhex("0x1.55b648p-3")
A5 = float.fromhex("0x1.24d192p-4")
A7 = float.fromhex("0x1.0a788p-4")
T1 = float.fromhex("0x1.ffff6ep-1")
T3 = float.fromhex("-0x1.54fca2p-2")
T5 = float.fromhex("0x1.90aaa2p-3")
T7 = float.fromhex("-0x1.f09d2ep-4")
T9 = float.fromhex("0x1.d6e42cp-5")
T11 = float.fromhex("-0x1.b9c81ep-7")


@kernel
def signed(y: float32, rounded: float32) -> float32:
    """−y if the integer that `rounded` holds is odd."""
    return select((bitcast(uint32, rounded) & 1) != 0, -y, y)


@kernel
def sin_series(r: float32) -> float32:
    """sin(r) for |r| ≤ 1.58."""
    z = r * r
    return r * (S1 + z * (S3 + z * (S5 + z * S7)))


@kernel
def sin(x: float32) -> float32:
    """Sine of x radians."""
    rounded = x * INVERSE_PI + ROUNDER
    k = rounded - ROUNDER
    return signed(sin_series(((x - k * PI_1) - k * PI_2) - k * PI_3), rounded)


@kernel
def cos(x: float32) -> float32:
    """Cosine of x radians."""
    rounded = (x * INVERSE_PI + 0.5) + ROUNDER
    k = (rounded - ROUNDER) - 0.5
    return signed(sin_series(((x - k * PI_1) - k * PI_2) - k * PI_3), rounded)


@kernel
def sincos(x: float32) -> tuple[float32, float32]:
    """Sine and cosine of x radians, as `sin` and `cos` give them."""
    return sin(x), cos(x)


@kernel
def sin_half_turns(f: float32) -> float32:
    """sin(πf) for |f| ≤ 1/2."""
    z = f * f
    return f * (H1 + z * (H3 + z * (H5 + z * H7)))


@kernel
def sinpi(x: float32) -> float32:
    """Sine of x half turns; of an integer 0 with the sign of x."""
    rounded = x + ROUNDER
    f = x - (rounded - ROUNDER)
    return select(f == 0.0, copysign(0.0, x), signed(sin_half_turns(f), rounded))


@kernel
def cospi(x: float32) -> float32:
    """Cosine of x half turns."""
    rounded = (x + 0.5) + ROUNDER
    return signed(sin_half_turns(x - ((rounded - ROUNDER) - 0.5)), rounded) + 0.0


@kernel
def tan(x: float32) -> float32:
    """Tangent of x radians."""
    rounded = x * TWO_OVER_PI + ROUNDER
    k = rounded - ROUNDER
    r = ((x - k * HALF_PI_1) - k * HALF_PI_2) - k * HALF_PI_3
    z = r * r
    p = r * (P1 + z * (P3 + z * P5))
    q = 1.0 + z * Q2
    odd = (bitcast(uint32, rounded) & 1) != 0
    return select(odd, -q, p) / select(odd, p, q)


@kernel
def asin_series(z: float32) -> float32:
    """asin(√z)/√z for z ≤ 1/4."""
    return A1 + z * (A3 + z * (A5 + z * A7))


@kernel
def asin(x: float32) -> float32:
    """Arc sine of x; NaN beyond ±1."""
    a = abs(x)
    steep = a > 0.5
    z = select(steep, 0.5 - 0.5 * a, a * a)
    y = select(steep, sqrt(z), a) * asin_series(z)
    return copysign(select(steep, HALF_PI - 2.0 * y, y), x)


@kernel
def acos(x: float32) -> float32:
    """Arc cosine of x; NaN beyond ±1."""
    a = abs(x)
    steep = a > 0.5
    z = select(steep, 0.5 - 0.5 * a, a * a)
    y = copysign(select(steep, sqrt(z), a) * asin_series(z), x)
    base = select(steep, select(x < 0.0, PI, 0.0), HALF_PI)
    return base + select(steep, 2.0, -1.0) * y


@kernel
def atan_quotient(over: float32, under: float32) -> float32:
    """atan(over/under) for 0 ≤ over ≤ under."""
    t = over / under
    z = t * t
    return t * (T1 + z * (T3 + z * (T5 + z * (T7 + z * (T9 + z * T11)))))


@kernel
def atan(x: float32) -> float32:
    """Arc tangent of x."""
    a = abs(x)
    steep = a > 1.0
    v = atan_quotient(select(steep, 1.0, a), select(steep, a, 1.0))
    return copysign(select(steep, HALF_PI - v, v), x)


@kernel
def atan2(y: float32, x: float32) -> float32:
    """The angle of the point (x, y)."""
    size_x = abs(x)
    size_y = abs(y)
    steep = size_y > size_x
    over = select(steep, size_x, size_y)
    under = select(steep, size_y, size_x)
    endless = (over > LARGEST) & (under > LARGEST)
    over = select(endless, 1.0, over)
    under = select(endless, 1.0, select(under == 0.0, 1.0, under))
    v = atan_quotient(over, under)
    v = select(steep, HALF_PI - v, v)
    return copysign(select(copysign(1.0, x) < 0.0, PI - v, v), y)
