"""float32 exp2m1 and exp10m1, correctly rounded on all 2³² inputs, in branch-free float64 code.

Owns these kernels at precision HIGH: (2^k − 1) + 2^k·(b^r − 1), where a zero k leaves no error,
with the polynomials of exp2 and exp10.
"""

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import copysign, select
from samebits.lang.values.scalars import float32, float64
from samebits.mathlib.float32.exp_f32 import (
    B1,
    B2,
    B3,
    B4,
    B5,
    B6,
    B7,
    B8,
    B9,
    B10,
    B11,
    LOG2_10,
    LOG10_2,
    LOG10_2_LOW,
    ROUNDER,
    T1,
    T2,
    T3,
    T4,
    T5,
    T6,
    T7,
    T8,
    T9,
    T10,
    T11,
    power_of_two,
)
from samebits.mathlib.primitives import muladd

B1_LOW = float.fromhex("0x1.abc9e3b39803fp-56")
T1_LOW = float.fromhex("-0x1.f48ad494ea3e9p-53")
"""Of ln 2 and ln 10 beyond B1 and T1."""

# Two powers of 10 so near a float32 tie that float64 may give the tie itself.
HARD_A = float.fromhex("0x1.fafecp3")
EXP10M1_A = float.fromhex("0x1.8c880ap52")
HARD_B = float.fromhex("-0x1.ca4322p-5")
EXP10M1_B = float.fromhex("-0x1.ef0732p-4")


@kernel
def exp2m1(x: float32) -> float32:
    """2^x − 1, correctly rounded; −1 for −inf, −0 for −0."""
    x = select(x > 129.0, 129.0, x)
    x = select(x < -30.0, -30.0, x)
    rounded = x + ROUNDER
    r = float64(x - (rounded - ROUNDER))
    z = r * r
    q = muladd(z, muladd(z, muladd(r, B11, B10), muladd(r, B9, B8)), muladd(r, B7, B6))
    p = muladd(z, muladd(z, q, muladd(r, B5, B4)), muladd(r, B3, B2))
    power = power_of_two(rounded)
    y = muladd(r, B1, r * muladd(r, p, B1_LOW))
    return copysign(float32(muladd(power, y, power - 1.0)), x)


@kernel
def exp10m1(x: float32) -> float32:
    """10^x − 1, correctly rounded; −1 for −inf, −0 for −0."""
    x = select(x > 39.0, 39.0, x)
    x = select(x < -9.0, -9.0, x)
    rounded = muladd(x, LOG2_10, ROUNDER)
    k = float64(rounded - ROUNDER)
    r = muladd(k, -LOG10_2_LOW, muladd(k, -LOG10_2, float64(x)))
    z = r * r
    q = muladd(z, muladd(z, muladd(r, T11, T10), muladd(r, T9, T8)), muladd(r, T7, T6))
    p = muladd(z, muladd(z, q, muladd(r, T5, T4)), muladd(r, T3, T2))
    power = power_of_two(rounded)
    y = muladd(r, T1, r * muladd(r, p, T1_LOW))
    result = copysign(float32(muladd(power, y, power - 1.0)), x)
    result = select(x == HARD_A, EXP10M1_A, result)
    return select(x == HARD_B, EXP10M1_B, result)
