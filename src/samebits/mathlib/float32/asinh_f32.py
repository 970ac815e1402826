"""float32 asinh, acosh and atanh, correctly rounded on all 2³² inputs, in a straight line.

Owns these kernels at precision HIGH. Each is the logarithm of a w = 2^k·m; the polynomial of log
takes (w − 2^k)/(w + 2^k), which for a zero k has a form without cancellation.
"""

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, copysign, select, sqrt
from samebits.lang.values.scalars import float32, float64, int32, uint64
from samebits.mathlib.float32.log_f32 import (
    A3,
    A5,
    A7,
    A9,
    A11,
    A13,
    A15,
    INFINITY,
    LN2,
    LN2_LOW,
    NAN,
    ROOT_HALF,
)
from samebits.mathlib.primitives import muladd

# The same polynomial for |s| ≤ 0.2010, relative error 2^-55.8: atanh knows k less well. Made by
# tools/math/logarithmic_f32.sollya.
W3 = float.fromhex("0x1.555555555579bp-1")
W5 = float.fromhex("0x1.99999998e6d06p-2")
W7 = float.fromhex("0x1.249249b91fa0bp-2")
W9 = float.fromhex("0x1.c71bfcecf38dcp-3")
W11 = float.fromhex("0x1.747599c259dfbp-3")
W13 = float.fromhex("0x1.38448963b17bcp-3")
W15 = float.fromhex("0x1.3b2d53476c1b6p-3")
HALF_LN2 = 0.5 * LN2
HALF_LN2_LOW = 0.5 * LN2_LOW

# Results so near a float32 tie that float64 gives the tie itself.
HARD_A = float.fromhex("0x1.b121a6p75")
ASINH_A = float.fromhex("0x1.a9a3f2p5")
HARD_B = float.fromhex("0x1.bacb4ap24")
ASINH_B = float.fromhex("0x1.1e0696p4")
HARD_C = float.fromhex("0x1.6351d8p94")
ASINH_C = float.fromhex("0x1.08b512p6")


@kernel
def exponent(w: float64) -> int32:
    """k with √½ ≤ 2^-k·w < √2 or nearly, for 0.5 < w < 2^130."""
    return ((bitcast(int32, float32(w * 0.25)) - ROOT_HALF) >> 23) + 2


@kernel
def log_of_ratio(s: float64, k: int32) -> float64:
    """log(2^k·(1 + s)/(1 - s)) for |s| ≤ 0.1717."""
    z = s * s
    w = z * z
    q = muladd(w, muladd(z, A15, A13), muladd(z, A11, A9))
    p = muladd(w, muladd(z, q, A7), muladd(z, A5, A3))
    n = float64(k)
    return muladd(n, LN2, muladd(n, LN2_LOW, muladd(s * z, p, s + s)))


@kernel
def asinh(x: float32) -> float32:
    """Inverse hyperbolic sine, correctly rounded; −0 for −0."""
    a = abs(float64(x))
    q = sqrt(muladd(a, a, 1.0))
    w = a + q
    k = exponent(w)
    power = bitcast(float64, uint64(1023 + k) << 52)
    near = k == 0
    s = select(near, a, w - power) / (select(near, q, w) + power)
    size = abs(x)
    y = select(size == HARD_A, ASINH_A, float32(log_of_ratio(s, k)))
    y = select(size == HARD_B, ASINH_B, y)
    y = select(size == HARD_C, ASINH_C, y)
    return copysign(select(size < INFINITY, y, size), x)


@kernel
def acosh(x: float32) -> float32:
    """Inverse hyperbolic cosine, correctly rounded; NaN below 1."""
    a = float64(x)
    q = sqrt(muladd(a, a, -1.0))
    w = a + q
    k = exponent(w)
    power = bitcast(float64, uint64(1023 + k) << 52)
    near = k == 0
    s = select(near, q, w - power) / (select(near, a, w) + power)
    y = select(x == HARD_A, ASINH_A, float32(log_of_ratio(s, k)))
    y = select(x == HARD_C, ASINH_C, y)
    y = select(x < INFINITY, y, x)
    return select(x >= 1.0, y, NAN)


@kernel
def atanh(x: float32) -> float32:
    """Inverse hyperbolic tangent, correctly rounded; ±inf for ±1, NaN beyond, −0 for −0."""
    a = float64(x)
    above = bitcast(int32, x + 1.0)
    below = bitcast(int32, 1.0 - x)
    k = (above - below + 0x40_0000) >> 23
    power = bitcast(float64, uint64(1023 + k) << 52)
    less = power - 1.0
    more = power + 1.0
    s = muladd(a, more, -less) / muladd(a, -less, more)
    z = s * s
    w = z * z
    q = muladd(w, muladd(z, W15, W13), muladd(z, W11, W9))
    p = muladd(w, muladd(z, q, W7), muladd(z, W5, W3))
    n = float64(k)
    y = muladd(n, HALF_LN2, muladd(n, HALF_LN2_LOW, muladd((0.5 * s) * z, p, s)))
    result = copysign(float32(y), x)
    size = abs(x)
    return select(size < 1.0, result, select(size == 1.0, copysign(INFINITY, x), NAN))
