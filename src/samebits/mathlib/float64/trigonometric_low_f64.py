"""float64 sin, cos, tan, sinpi and cospi at precision LOW: one reduction, one polynomial or two."""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, copysign, select
from samebits.lang.values.scalars import float64, uint64

ROUNDER = 1.5 * 2.0**52
"""Adding it to |v| < 2^51 rounds v to an integer, which stands in the sum's low bits."""
EVEN = 2.0**51

# π and π/2 in four parts, the first three of 32 bits, whose product with 21 bits is exact: next to
# a multiple of π only 2^-54 is left of x. Made by tools/math/sin_cos_f64_table.py
# --constants.
HALF_TURN_1 = float.fromhex("0x1.921fb54400000p+1")
HALF_TURN_2 = float.fromhex("0x1.0b4611a000000p-33")
HALF_TURN_3 = float.fromhex("0x1.898cc51600000p-63")
HALF_TURN_4 = float.fromhex("0x1.01b839a25204ap-95")
HALF_TURNS_PER_UNIT = float.fromhex("0x1.45f306dc9c883p-2")
QUARTER_TURN_1 = float.fromhex("0x1.921fb54400000p+0")
QUARTER_TURN_2 = float.fromhex("0x1.0b4611a000000p-34")
QUARTER_TURN_3 = float.fromhex("0x1.898cc51600000p-64")
QUARTER_TURN_4 = float.fromhex("0x1.01b839a25204ap-96")
QUARTER_TURNS_PER_UNIT = float.fromhex("0x1.45f306dc9c883p-1")
PI = float.fromhex("0x1.921fb54442d18p+1")

# sin d = d + S3·d³ + … for |d| ≤ π/2, relative error 2^-52.4; sin d = d + T3·d³ + … and
# cos d = 1 + C2·d² + … for |d| ≤ π/4, 2^-47.4 and 2^-53.8. Made by tools/math/sin_cos_f64.sollya.
S3 = float.fromhex("-0x1.55555555554a2p-3")
S5 = float.fromhex("0x1.111111110a30bp-7")
S7 = float.fromhex("-0x1.a01a019a5053fp-13")
S9 = float.fromhex("0x1.71de3801034c7p-19")
S11 = float.fromhex("-0x1.ae635418de236p-26")
S13 = float.fromhex("0x1.60e6870d2f745p-33")
S15 = float.fromhex("-0x1.9f0ef14fe1b5ap-41")
T3 = float.fromhex("-0x1.55555555520b6p-3")
T5 = float.fromhex("0x1.1111110c7395bp-7")
T7 = float.fromhex("-0x1.a019f92438d03p-13")
T9 = float.fromhex("0x1.71d763ba261c9p-19")
T11 = float.fromhex("-0x1.a95eb6fa8e328p-26")
C2 = float.fromhex("-0x1.fffffffffff93p-2")
C4 = float.fromhex("0x1.555555554eeb9p-5")
C6 = float.fromhex("-0x1.6c16c163f1c9dp-10")
C8 = float.fromhex("0x1.a019f80a93268p-16")
C10 = float.fromhex("-0x1.27df3fdff0a34p-22")
C12 = float.fromhex("0x1.1b8a032ff9a7dp-29")


@kernel
def sin_half_turns(d: float64, rounded: float64) -> float64:
    """sin(d + kπ) for |d| ≤ π/2 and the k that `rounded` = k + ROUNDER holds."""
    z = d * d
    w = z * z
    p = ((S3 + z * S5) + w * (S7 + z * S9)) + (w * w) * ((S11 + z * S13) + w * S15)
    y = d + (d * z) * p
    return select((bitcast(uint64, rounded) & 1) != 0, -y, y)


@kernel
def sin(x: float64) -> float64:
    """Sine of x radians to 6 ULP for |x| ≤ 2^20, −0 for −0; beyond some number or NaN."""
    rounded = x * HALF_TURNS_PER_UNIT + ROUNDER
    k = rounded - ROUNDER
    d = ((x - k * HALF_TURN_1) - k * HALF_TURN_2) - k * HALF_TURN_3
    d = d - k * HALF_TURN_4
    return select(x == 0.0, x, sin_half_turns(d, rounded))


@kernel
def cos(x: float64) -> float64:
    """Cosine of x radians to 6 ULP for |x| ≤ 2^20; beyond some number or NaN."""
    # cos x = sin(x + π/2)
    rounded = (x * HALF_TURNS_PER_UNIT + 0.5) + ROUNDER
    k = (rounded - ROUNDER) - 0.5
    d = ((x - k * HALF_TURN_1) - k * HALF_TURN_2) - k * HALF_TURN_3
    d = d - k * HALF_TURN_4
    return sin_half_turns(d, rounded)


@kernel
def sincos(x: float64) -> tuple[float64, float64]:
    """Sine and cosine of x radians, as `sin` and `cos` give them."""
    return sin(x), cos(x)


@kernel
def tan(x: float64) -> float64:
    """Tangent of x radians to 64 ULP for |x| ≤ 2^20, −0 for −0; beyond some number or NaN."""
    rounded = x * QUARTER_TURNS_PER_UNIT + ROUNDER
    k = rounded - ROUNDER
    d = ((x - k * QUARTER_TURN_1) - k * QUARTER_TURN_2) - k * QUARTER_TURN_3
    d = d - k * QUARTER_TURN_4
    z = d * d
    w = z * z
    s = d + (d * z) * (((T3 + z * T5) + w * (T7 + z * T9)) + (w * w) * T11)
    c = 1.0 + z * (((C2 + z * C4) + w * (C6 + z * C8)) + (w * w) * (C10 + z * C12))
    odd = (bitcast(uint64, rounded) & 1) != 0
    y = select(odd, -c, s) / select(odd, s, c)
    return select(x == 0.0, x, y)


@kernel
def sinpi(x: float64) -> float64:
    """Sine of x half turns to 6 ULP for |x| ≤ 2^50; of an integer 0 with the sign of x."""
    rounded = x + ROUNDER
    f = x - (rounded - ROUNDER)
    f = select(abs(x) < EVEN, f, x * 0.0)
    return select(f == 0.0, copysign(0.0, x), sin_half_turns(f * PI, rounded))


@kernel
def cospi(x: float64) -> float64:
    """Cosine of x half turns to 6 ULP for |x| ≤ 2^50; +0 half way between integers."""
    rounded = (x + 0.5) + ROUNDER
    f = x - ((rounded - ROUNDER) - 0.5)
    return sin_half_turns(f * PI, rounded) + 0.0
