"""float32 rootn, compound, pown and powr, correctly rounded: 2^(y·log2 x) in float64.

What float64 leaves open, integers decide.

Owns these kernels at precision HIGH. As for pow, what float64 leaves open goes to the cold kernels,
and so do results outside the normal numbers, zeros, infinities and NaN.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, select
from samebits.lang.values.scalars import float32, float64, int32, uint64
from samebits.mathlib.float32.exp_f32 import ROUNDER, power_of_two
from samebits.mathlib.float32.log2p1_f32 import split_log1p
from samebits.mathlib.float32.log_f32 import INFINITY, NAN, split
from samebits.mathlib.float32.pow_f32 import (
    B1,
    B3,
    B5,
    B7,
    B9,
    B11,
    B13,
    E1,
    E2,
    E3,
    E4,
    E5,
    E6,
    E7,
    E8,
    E9,
    LAST_DIGITS,
    MARGIN,
    TIE,
    pow,
)
from samebits.mathlib.float64.pow_exact_f64 import pow_exact
from samebits.mathlib.float64.rootn_exact_f64 import (
    special_compound,
    special_root,
    wide_compound,
    wide_power,
    wide_root,
)
from samebits.mathlib.primitives import cold_kernel, muladd
from samebits.mathlib.wide.arithmetic import from_float64, from_int, multiply
from samebits.mathlib.wide.log import log
from samebits.mathlib.wide.to_float32 import to_float32


@kernel
def log2_of_ratio(k: float64, s: float64) -> float64:
    """k + log2((1 + s)/(1 - s)) for |s| ≤ 0.1717."""
    z = s * s
    w = z * z
    q = muladd(w, B13, muladd(z, B11, B9))
    q = muladd(w, q, muladd(z, B7, B5))
    return muladd(s, muladd(w, q, muladd(z, B3, B1)), k)


@kernel
def power(t: float64) -> tuple[float32, bool]:
    """2^t, and whether it is certainly rounded correctly, for t off by a relative 1.25·2^-50."""
    near = float32(t)
    rounded = near + ROUNDER
    r = t - float64(rounded - ROUNDER)
    z = r * r
    p = muladd(z, muladd(r, E9, E8), muladd(r, E7, E6))
    p = muladd(z, muladd(z, p, muladd(r, E5, E4)), muladd(r, E3, E2))
    wide = muladd(z, p, muladd(r, E1, 1.0)) * power_of_two(rounded)
    certain = ((bitcast(uint64, wide) - (TIE - MARGIN)) & LAST_DIGITS) >= 2 * MARGIN
    return float32(wide), certain and abs(near) < 126.0


@cold_kernel
def pown_rare(x: float32, n: int32) -> float32:
    """x^n, correctly rounded, from 192-bit integers."""
    a = float64(abs(x))
    if not (a > 0.0 and a < INFINITY) or n == 0:
        return float32(pow_exact(float64(x), float64(n)))  # 0, 1, infinite or NaN
    e, h = from_float64(a)
    below, e, x2, x1, x0 = log(e, h, 0, 0)
    ne, nh = from_int(n)
    e, x2, x1, x0 = multiply(e, x2, x1, x0, ne, nh, 0, 0)
    e, x2, x1, x0 = wide_power(below != (n < 0), e, x2, x1, x0)
    return to_float32(x < 0.0 and (n & 1) != 0, e, x2, x1, x0)


@kernel
def pown(x: float32, n: int32) -> float32:
    """x^n, correctly rounded; special cases as IEEE 754-2019, 9.2.1 has them."""
    size = abs(x)
    k, m = split(size)
    result, certain = power(float64(n) * log2_of_ratio(k, (m - 1.0) / (m + 1.0)))
    if not (certain and size > 0.0 and size < INFINITY):
        return pown_rare(x, n)
    return select(x < 0.0 and (n & 1) != 0, -result, result)


@kernel
def powr(x: float32, y: float32) -> float32:
    """x^y, correctly rounded; NaN where e^(y·log x) has no limit."""
    size = abs(x)
    nothing = y == 0.0 and (size == 0.0 or size == INFINITY)
    nothing = nothing or (size == 1.0 and abs(y) == INFINITY)
    return select(nothing or not x >= 0.0 or y != y, NAN, pow(size, y))


@cold_kernel
def rootn_rare(x: float32, n: int32) -> float32:
    """x^(1/n), correctly rounded, from 192-bit integers."""
    a = float64(abs(x))
    if not (a > 0.0 and a < INFINITY) or n == 0 or (x < 0.0 and (n & 1) == 0):
        return float32(special_root(float64(x), n))
    e, x2, x1, x0 = wide_root(a, n)
    return to_float32(x < 0.0, e, x2, x1, x0)


@kernel
def rootn(x: float32, n: int32) -> float32:
    """x^(1/n), correctly rounded; special cases as IEEE 754-2019, 9.2.1 has them."""
    size = abs(x)
    k, m = split(size)
    result, certain = power(log2_of_ratio(k, (m - 1.0) / (m + 1.0)) / float64(n))
    plain = size > 0.0 and size < INFINITY and (x > 0.0 or (n & 1) != 0)
    if not (certain and plain):
        return rootn_rare(x, n)
    return select(x < 0.0, -result, result)


@cold_kernel
def compound_rare(x: float32, n: int32) -> float32:
    """(1 + x)^n, correctly rounded, from 192-bit integers."""
    if n == 0 or not (x > -1.0 and x < INFINITY):
        return float32(special_compound(float64(x), n))
    if x == 0.0:
        return 1.0
    e, x2, x1, x0 = wide_compound(float64(x), n)
    return to_float32(False, e, x2, x1, x0)


@kernel
def compound(x: float32, n: int32) -> float32:
    """(1 + x)^n, correctly rounded; special cases as IEEE 754-2019, 9.2.1 has them."""
    k, s = split_log1p(x)
    result, certain = power(float64(n) * log2_of_ratio(k, s))
    once = n == 1 and x >= -1.0  # often half way
    if not (once or (certain and x > -1.0 and x < INFINITY)):
        return compound_rare(x, n)
    return select(once, 1.0 + x, result)
