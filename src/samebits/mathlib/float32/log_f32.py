"""float32 log, log2 and log10, correctly rounded on all 2³² inputs, in branch-free float64 code.

Owns these kernels at precision HIGH: x = 2^k·m with m from √½ to √2, and a polynomial in
s = (m − 1)/(m + 1), whose odd powers alone occur.
"""

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import bitcast, select
from samebits.lang.values.scalars import float32, float64, int32
from samebits.mathlib.primitives import muladd

ROOT_HALF = 0x3F35_04F3
"""The bits of √½ as a float32."""
LEAST_NORMAL = 2.0**-126
TWO_24 = 2.0**24
INFINITY = float("inf")
NAN = float("nan")

# log m = 2·s + s³·(A3 + A5·s² + …) for |s| ≤ 0.1717, relative error 2^-59.5; log2 m and log10 m
# = s·(B1 + B3·s² + …) and s·(T1 + T3·s² + …), both with as little error as their first coefficient
# leaves, 2^-56.0 and 2^-55.1. Made by tools/math/logarithmic_f32.sollya.
A3 = float.fromhex("0x1.5555555555593p-1")
A5 = float.fromhex("0x1.999999997fa39p-2")
A7 = float.fromhex("0x1.2492494224e8ap-2")
A9 = float.fromhex("0x1.c71c51dcf779fp-3")
A11 = float.fromhex("0x1.74664887e8a77p-3")
A13 = float.fromhex("0x1.39a0b4d9004e4p-3")
A15 = float.fromhex("0x1.2f103aeb694e9p-3")
B1 = float.fromhex("0x1.71547652b82fep1")
B3 = float.fromhex("0x1.ec709dc3a062ap-1")
B5 = float.fromhex("0x1.2776c50ebd109p-1")
B7 = float.fromhex("0x1.a617630765f0ep-2")
B9 = float.fromhex("0x1.484aeb9d0f03bp-2")
B11 = float.fromhex("0x1.0ca4230134b8dp-2")
B13 = float.fromhex("0x1.c3f0e12985a2ep-3")
B15 = float.fromhex("0x1.ba0275131ac7cp-3")
T1 = float.fromhex("0x1.bcb7b1526e50ep-1")
T3 = float.fromhex("0x1.287a7636f458cp-2")
T5 = float.fromhex("0x1.63c62774b4304p-3")
T7 = float.fromhex("0x1.fc3fa6ba960a6p-4")
T9 = float.fromhex("0x1.8b4db23821a89p-4")
T11 = float.fromhex("0x1.437cbb5a260a1p-4")
T13 = float.fromhex("0x1.0fd87c75ea329p-4")
T15 = float.fromhex("0x1.0c60b17f6bc58p-4")

# ln 2 and log10 2 as a multiple of 2^-42 (2^-43), of which 8-bit multiples are exact, and a rest.
LN2 = float.fromhex("0x1.62e42fefa38p-1")
LN2_LOW = float.fromhex("0x1.eea80d5e75d7dp-45")
"""2^-54 less than the rest is: so chosen because it rounds the most inputs right."""
LOG10_2 = float.fromhex("0x1.34413509f78p-2")
LOG10_2_LOW = float.fromhex("0x1.fef311f12b358p-46")

# Logarithms so near a float32 tie that float64 gives the tie itself.
HARD_A = float.fromhex("0x1.b121a6p76")
LOG_A = float.fromhex("0x1.a9a3f2p5")
HARD_B = float.fromhex("0x1.bacb4ap25")
LOG_B = float.fromhex("0x1.1e0696p4")
HARD_C = float.fromhex("0x1.6351d8p95")
LOG_C = float.fromhex("0x1.08b512p6")
HARD_D = float.fromhex("0x1.fddcf4p-98")
LOG10_D = float.fromhex("-0x1.d33a46p4")


@kernel
def split(x: float32) -> tuple[float64, float64]:
    """k and m with x = 2^k·m and √½ ≤ m < √2, for 0 < x < inf; else any numbers."""
    small = x < LEAST_NORMAL
    bits = bitcast(int32, select(small, x * TWO_24, x))
    k = (bits - ROOT_HALF) >> 23
    m = bitcast(float32, bits - (k << 23))
    return float64(select(small, k - 24, k)), float64(m)


@kernel
def with_special_cases(x: float32, y: float32) -> float32:
    """The logarithm of x, given that it is `y` for 0 < x < inf."""
    y = select(x < INFINITY, y, x)
    return select(x > 0.0, y, select(x == 0.0, -INFINITY, NAN))


@kernel
def log_near_one(f: float64, s: float64) -> float64:
    """log(1 + f) given s = f/(2 + f), for |s| ≤ 0.1717."""
    z = s * s
    w = z * z
    q = muladd(w, muladd(z, A15, A13), muladd(z, A11, A9))
    p = muladd(w, muladd(z, q, A7), muladd(z, A5, A3))
    # 2·s = f - s·f: only the smaller part of the sum has an error.
    return muladd(s, z * p - f, f)


@kernel
def log(x: float32) -> float32:
    """Natural logarithm, correctly rounded; −inf for zeros, NaN below."""
    k, m = split(x)
    f = m - 1.0
    y = muladd(k, LN2, muladd(k, LN2_LOW, log_near_one(f, f / (m + 1.0))))
    result = select(x == HARD_A, LOG_A, float32(y))
    result = select(x == HARD_B, LOG_B, result)
    result = select(x == HARD_C, LOG_C, result)
    return with_special_cases(x, result)


@kernel
def log2(x: float32) -> float32:
    """Logarithm to base 2, correctly rounded, exact for powers of 2; −inf for zeros, NaN below."""
    k, m = split(x)
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    w = z * z
    q = muladd(w, muladd(z, B15, B13), muladd(z, B11, B9))
    p = muladd(w, q, muladd(z, B7, B5))
    y = muladd(s, muladd(w, p, muladd(z, B3, B1)), k)
    return with_special_cases(x, float32(y))


@kernel
def log10(x: float32) -> float32:
    """Logarithm to base 10, correctly rounded; −inf for zeros, NaN below.

    Exact for powers of 10.
    """
    k, m = split(x)
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    w = z * z
    q = muladd(w, muladd(z, T15, T13), muladd(z, T11, T9))
    p = muladd(w, q, muladd(z, T7, T5))
    y = muladd(s, muladd(w, p, muladd(z, T3, T1)), k * LOG10_2_LOW)
    result = select(x == HARD_D, LOG10_D, float32(muladd(k, LOG10_2, y)))
    return with_special_cases(x, result)
