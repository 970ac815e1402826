"""float32 log2p1 and log10p1, correctly rounded on all 2³² inputs, in branch-free float64 code.

Owns these kernels at precision HIGH: 2^-k·(1 + x) − 1 as log1p has it, then as log2 and log10 do
it.
"""

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import bitcast, copysign, select
from samebits.lang.values.scalars import float32, float64, int32, uint64
from samebits.mathlib.float32.log_f32 import (
    B1,
    B3,
    B5,
    B7,
    B9,
    B11,
    B13,
    B15,
    INFINITY,
    LOG10_2,
    LOG10_2_LOW,
    NAN,
    ROOT_HALF,
    T1,
    T3,
    T5,
    T7,
    T9,
    T11,
    T13,
    T15,
)
from samebits.mathlib.primitives import muladd

# Logarithms so near a float32 tie that float64 gives the tie itself.
HARD_A = float.fromhex("0x1.7a13c6p30")
LOG2P1_A = float.fromhex("0x1.e90026p4")
HARD_B = float.fromhex("0x1.251c66p38")
LOG2P1_B = float.fromhex("0x1.318ffap5")
HARD_C = float.fromhex("0x1.ff66cep-41")
LOG10P1_C = float.fromhex("0x1.bc32a2p-42")
HARD_D = float.fromhex("0x1.34f8p-12")
LOG10P1_D = float.fromhex("0x1.0c53cap-13")
HARD_E = float.fromhex("-0x1.a3c2e6p-31")
LOG10P1_E = float.fromhex("-0x1.6c999ep-32")


@kernel
def split_log1p(x: float32) -> tuple[float64, float64]:
    """k and s = (m − 1)/(m + 1) with 1 + x = 2^k·m and √½ ≤ m < √2, for -1 < x < inf."""
    k = (bitcast(int32, x + 1.0) - ROOT_HALF) >> 23
    inverse = bitcast(float64, uint64(1023 - k) << 52)
    f = muladd(inverse, float64(x), inverse - 1.0)
    return float64(k), f / (f + 2.0)


@kernel
def with_special_cases(x: float32, y: float32) -> float32:
    """The logarithm of 1 + x, given that it is `y` for -1 < x < inf."""
    y = select(x < INFINITY, copysign(y, x), x)
    return select(x > -1.0, y, select(x == -1.0, -INFINITY, NAN))


@kernel
def log2p1(x: float32) -> float32:
    """log2(1 + x), correctly rounded; −inf for −1, NaN below, −0 for −0."""
    k, s = split_log1p(x)
    z = s * s
    w = z * z
    q = muladd(w, muladd(z, B15, B13), muladd(z, B11, B9))
    p = muladd(w, q, muladd(z, B7, B5))
    y = muladd(s, muladd(w, p, muladd(z, B3, B1)), k)
    result = select(x == HARD_A, LOG2P1_A, float32(y))
    return with_special_cases(x, select(x == HARD_B, LOG2P1_B, result))


@kernel
def log10p1(x: float32) -> float32:
    """log10(1 + x), correctly rounded; −inf for −1, NaN below, −0 for −0."""
    k, s = split_log1p(x)
    z = s * s
    w = z * z
    q = muladd(w, muladd(z, T15, T13), muladd(z, T11, T9))
    p = muladd(w, q, muladd(z, T7, T5))
    y = muladd(s, muladd(w, p, muladd(z, T3, T1)), k * LOG10_2_LOW)
    result = select(x == HARD_C, LOG10P1_C, float32(muladd(k, LOG10_2, y)))
    result = select(x == HARD_D, LOG10P1_D, result)
    return with_special_cases(x, select(x == HARD_E, LOG10P1_E, result))
