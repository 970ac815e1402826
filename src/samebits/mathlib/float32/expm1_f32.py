"""float32 expm1, correctly rounded on all 2³² inputs, in branch-free float64 code.

Owns the kernel at precision HIGH: (2^k − 1) + 2^k·(e^r − 1), where a zero k leaves no error.
"""

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import copysign, select
from samebits.lang.values.scalars import float32, float64
from samebits.mathlib.float32.exp_f32 import LN2, LN2_LOW, LOG2_E, ROUNDER, power_of_two
from samebits.mathlib.primitives import muladd

# e^r − 1 = r + r²·(M2 + M3·r + …) for |r| ≤ 0.3475, relative error 2^-55.5. Made by
# tools/math/exponential_f32.sollya.
M2 = float.fromhex("0x1.0000000000005p-1")
M3 = float.fromhex("0x1.555555555553ap-3")
M4 = float.fromhex("0x1.555555555209cp-5")
M5 = float.fromhex("0x1.1111111118c61p-7")
M6 = float.fromhex("0x1.6c16c17f5ac06p-10")
M7 = float.fromhex("0x1.a01a01769f606p-13")
M8 = float.fromhex("0x1.a019a60013e93p-16")
M9 = float.fromhex("0x1.71de838a5cb6ep-19")
M10 = float.fromhex("0x1.28a346351486cp-22")
M11 = float.fromhex("0x1.ae747fd6b5ca3p-26")


@kernel
def expm1(x: float32) -> float32:
    """e^x − 1, correctly rounded; −1 for −inf, −0 for −0."""
    x = select(x > 89.0, 89.0, x)
    x = select(x < -20.0, -20.0, x)
    rounded = muladd(x, LOG2_E, ROUNDER)
    k = float64(rounded - ROUNDER)
    r = muladd(k, -LN2_LOW, muladd(k, -LN2, float64(x)))
    z = r * r
    q = muladd(z, muladd(z, muladd(r, M11, M10), muladd(r, M9, M8)), muladd(r, M7, M6))
    p = muladd(z, muladd(z, q, muladd(r, M5, M4)), muladd(r, M3, M2))
    power = power_of_two(rounded)
    return copysign(float32(muladd(power, muladd(z, p, r), power - 1.0)), x)
