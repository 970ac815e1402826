"""float32 exp, exp2 and exp10, correctly rounded on all 2³² inputs, in branch-free float64 code.

Owns these kernels at precision HIGH: 2^k·p(r), with k found in float32, r and p in float64, and one
rounding at the end, which is also the one into the subnormals and to infinity.
"""

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import bitcast, select
from samebits.lang.values.scalars import float32, float64, int32, uint64
from samebits.mathlib.primitives import muladd

ROUNDER = 1.5 * 2.0**23
"""Adding it to |v| < 2²² in float32 rounds v to an integer, which stands in the sum's low bits."""
ROUNDER_BITS = 0x4B40_0000

# e^r for |r| ≤ 0.3475, 2^r for |r| ≤ 0.5005 and 10^r for |r| ≤ 0.1508, relative errors 2^-57.9,
# 2^-57.3 and 2^-57.2. Made by tools/math/exponential_f32.sollya.
E2 = float.fromhex("0x1.000000000000ap-1")
E3 = float.fromhex("0x1.55555555554f9p-3")
E4 = float.fromhex("0x1.5555555550629p-5")
E5 = float.fromhex("0x1.1111111127d09p-7")
E6 = float.fromhex("0x1.6c16c184a9d23p-10")
E7 = float.fromhex("0x1.a01a012aa8e74p-13")
E8 = float.fromhex("0x1.a01998b27e7c5p-16")
E9 = float.fromhex("0x1.71df22fd74a4ap-19")
E10 = float.fromhex("0x1.28aeb476c4704p-22")
E11 = float.fromhex("0x1.ad85bb7fae4d1p-26")
B1 = float.fromhex("0x1.62e42fefa39efp-1")
B2 = float.fromhex("0x1.ebfbdff82c5a5p-3")
B3 = float.fromhex("0x1.c6b08d704a121p-5")
B4 = float.fromhex("0x1.3b2ab6fb9ff81p-7")
B5 = float.fromhex("0x1.5d87fe78a141fp-10")
B6 = float.fromhex("0x1.4309130f243f6p-13")
B7 = float.fromhex("0x1.ffcbfc58a49ddp-17")
B8 = float.fromhex("0x1.62bfc6e84f32dp-20")
B9 = float.fromhex("0x1.b525405ba0b37p-24")
B10 = float.fromhex("0x1.e61c7fa16eaf6p-28")
B11 = float.fromhex("0x1.e94671b834006p-32")
T1 = float.fromhex("0x1.26bb1bbb55516p1")
T2 = float.fromhex("0x1.53524c73cea78p1")
T3 = float.fromhex("0x1.0470591de2b49p1")
T4 = float.fromhex("0x1.2bd7609fd4d45p0")
T5 = float.fromhex("0x1.1429ffd21f32ep-1")
T6 = float.fromhex("0x1.a7ed70a26e321p-3")
T7 = float.fromhex("0x1.16e4deed2c62ep-4")
T8 = float.fromhex("0x1.41165d7552884p-6")
T9 = float.fromhex("0x1.4899da5879358p-8")
T10 = float.fromhex("0x1.2f758066f216ep-10")
T11 = float.fromhex("0x1.f77840249d73bp-13")

# ln 2 and log10 2 as a multiple of 2^-42 (2^-43), of which 8-bit multiples are exact, and a rest.
LN2 = float.fromhex("0x1.62e42fefa38p-1")
LN2_LOW = float.fromhex("0x1.ef35793c7673p-45")
LOG10_2 = float.fromhex("0x1.34413509f78p-2")
LOG10_2_LOW = float.fromhex("0x1.fef311f12b358p-46")
LOG2_E = float.fromhex("0x1.715476p0")
LOG2_10 = float.fromhex("0x1.a934fp1")

# Two values of 2^x so near a float32 tie that float64 gives the tie itself.
HARD_A = float.fromhex("0x1.853a6ep-9")
EXP2_A = float.fromhex("0x1.00870ap0")
HARD_B = float.fromhex("-0x1.e7526ep-6")
EXP2_B = float.fromhex("0x1.f58d62p-1")


@kernel
def power_of_two(rounded: float32) -> float64:
    """2^k for the k that `rounded` = k + ROUNDER holds, |k| < 1000."""
    k = bitcast(int32, rounded) - (ROUNDER_BITS - 1023)
    return bitcast(float64, uint64(k) << 52)


@kernel
def exp(x: float32) -> float32:
    """e^x, correctly rounded; 0 for −inf."""
    x = select(x > 89.0, 89.0, x)
    x = select(x < -104.0, -104.0, x)
    rounded = muladd(x, LOG2_E, ROUNDER)
    k = float64(rounded - ROUNDER)
    r = muladd(k, -LN2_LOW, muladd(k, -LN2, float64(x)))
    z = r * r
    q = muladd(z, muladd(z, muladd(r, E11, E10), muladd(r, E9, E8)), muladd(r, E7, E6))
    p = muladd(z, muladd(z, q, muladd(r, E5, E4)), muladd(r, E3, E2))
    p = muladd(z, p, r) + 1.0
    return float32(p * power_of_two(rounded))


@kernel
def exp2(x: float32) -> float32:
    """2^x, correctly rounded; 0 for −inf."""
    x = select(x > 129.0, 129.0, x)
    x = select(x < -151.0, -151.0, x)
    rounded = x + ROUNDER
    r = float64(x - (rounded - ROUNDER))
    z = r * r
    q = muladd(z, muladd(z, muladd(r, B11, B10), muladd(r, B9, B8)), muladd(r, B7, B6))
    p = muladd(z, muladd(z, q, muladd(r, B5, B4)), muladd(r, B3, B2))
    p = muladd(r, muladd(r, p, B1), 1.0)
    y = select(x == HARD_A, EXP2_A, float32(p * power_of_two(rounded)))
    return select(x == HARD_B, EXP2_B, y)


@kernel
def exp10(x: float32) -> float32:
    """10^x, correctly rounded; 0 for −inf."""
    x = select(x > 39.0, 39.0, x)
    x = select(x < -46.0, -46.0, x)
    rounded = muladd(x, LOG2_10, ROUNDER)
    k = float64(rounded - ROUNDER)
    r = muladd(k, -LOG10_2_LOW, muladd(k, -LOG10_2, float64(x)))
    z = r * r
    q = muladd(z, muladd(z, muladd(r, T11, T10), muladd(r, T9, T8)), muladd(r, T7, T6))
    p = muladd(z, muladd(z, q, muladd(r, T5, T4)), muladd(r, T3, T2))
    p = muladd(r, muladd(r, p, T1), 1.0)
    return float32(p * power_of_two(rounded))
