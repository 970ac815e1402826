"""float32 log2p1 and log10p1 at MEDIUM and LOW precision, by the method of log1p.

Owns these kernels. Nothing is fused: the results are not correctly rounded, and have to be the same
everywhere nevertheless.
"""

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import bitcast, copysign, select
from samebits.lang.values.scalars import float32, float64, int32, uint64
from samebits.mathlib.float32.log_f32 import INFINITY, NAN, ROOT_HALF
from samebits.mathlib.float32.log_fast_f32 import (
    B0,
    B1,
    B2,
    B3,
    B4,
    B5,
    B6,
    LOG10_2,
    T0,
    T1,
    T2,
    T3,
    T4,
    T5,
    T6,
    log2_of_ratio,
    log10_of_ratio,
    split_low,
)


@kernel
def with_special_cases(x: float32, y: float32) -> float32:
    """The logarithm of 1 + x, given that it is `y` for -1 < x < inf."""
    y = select(x < INFINITY, copysign(y, x), x)
    return select(x > -1.0, y, select(x == -1.0, -INFINITY, NAN))


@kernel
def split_medium(x: float32) -> tuple[float64, float64]:
    """k and (m − 1)/(m + 1) with 1 + x = 2^k·m, for -1 < x < inf."""
    k = (bitcast(int32, x + 1.0) - ROOT_HALF) >> 23
    inverse = bitcast(float64, uint64(1023 - k) << 52)
    f = inverse * float64(x) + (inverse - 1.0)
    return float64(k), f / (f + 2.0)


@kernel
def log2p1_medium(x: float32) -> float32:
    """log2(1 + x), at most 0.52 ULP off; −inf for −1, NaN below, −0 for −0."""
    k, s = split_medium(x)
    return with_special_cases(x, float32(k + log2_of_ratio(s)))


@kernel
def log10p1_medium(x: float32) -> float32:
    """log10(1 + x), at most 0.52 ULP off; −inf for −1, NaN below, −0 for −0."""
    k, s = split_medium(x)
    return with_special_cases(x, float32(k * LOG10_2 + log10_of_ratio(s)))


@kernel
def log2p1_low(x: float32) -> float32:
    """log2(1 + x), at most 30 ULP off; −inf for −1, NaN below, −0 for −0."""
    k, f = split_low(x + 1.0)
    f = select(k == 0.0, x, f)
    z = f * f
    p = (B0 + f * B1) + z * ((B2 + f * B3) + z * ((B4 + f * B5) + z * B6))
    return with_special_cases(x, k + f * p)


@kernel
def log10p1_low(x: float32) -> float32:
    """log10(1 + x), at most 30 ULP off; −inf for −1, NaN below, −0 for −0."""
    k, f = split_low(x + 1.0)
    f = select(k == 0.0, x, f)
    z = f * f
    p = (T0 + f * T1) + z * ((T2 + f * T3) + z * ((T4 + f * T5) + z * T6))
    return with_special_cases(x, k * LOG10_2 + f * p)
