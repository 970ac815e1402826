"""exp, log and pow of fixed-point numbers, from integers alone.

A kernel takes the counts of steps and the fraction bits, 16 or 32. It gives the count of steps
modulo 2^64, and whether it is too small (-1), too large (1) or neither. Coefficients, and what
error they have, are from tools/math/fixed_point.sollya. "Qn" is an integer that counts 2^-n.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.fixed_wide import multiply, quotient
from samebits.lang.intrinsics import clamp, clz, max, select
from samebits.lang.values.scalars import int32, int64, uint64
from samebits.mathlib.fixed.products import scaled

LOG2E_FRACTION = 8166282121979093367
"""log2 e - 1 in Q64."""
LN2_57 = 99893036290645747
"""ln 2 in Q57."""
SQRT2_62 = 6521908912666391106
"""√2 in Q62."""
ONE_62 = 1 << 62
TOP_BIT = 1 << 63
HALF_56 = 1 << 55
LIMIT = 64
"""No exponential of a number beyond it is neither 0 nor out of range."""


@kernel
def exponential(x: int64, fraction: int64) -> tuple[int64, int32]:
    """e^x of an x in Q56 between -64 and 64, to 2^-53 of the result or to nearest."""
    y = x + scaled(x, int64(LOG2E_FRACTION))
    n = (y + HALF_56) >> 56
    g = (y - (n << 56)) << 8
    p = int64(2055674330)
    p = scaled(p, g) + 32623964062
    p = scaled(p, g) + 469379491843
    p = scaled(p, g) + 6094542544628
    p = scaled(p, g) + 70340819535856
    p = scaled(p, g) + 710362460739934
    p = scaled(p, g) + 6149018367952262
    p = scaled(p, g) + 44355791528889628
    p = scaled(p, g) + 255967521894832994
    p = scaled(p, g) + 1107849223398938430
    p = scaled(p, g) + 3196577161300663906
    p = scaled(p, g) + 4611686018427387890
    cut = 62 - fraction - n
    small = uint64(max(cut, 1))
    down = (uint64(p) + (uint64(1) << (small - 1))) >> small
    result = select(cut > 0, int64(down), p << -cut)
    too_large = cut < -1 or (cut == -1 and p >= ONE_62)
    return result, select(too_large, int32(1), int32(0))


@kernel
def exp(a: int64, fraction: int64) -> tuple[int64, int32]:
    end = (int64(LIMIT) << fraction) - 1
    result, excess = exponential(clamp(a, -end, end) << (56 - fraction), fraction)
    return result, excess


@kernel
def logarithm(a: int64, fraction: int64) -> int64:
    """ln a in Q57, off by less than 2^-49; a > 0."""
    zeros = clz(uint64(a))
    m = (uint64(a) << zeros) >> 1
    high = m > SQRT2_62
    one = select(high, uint64(TOP_BIT), uint64(ONE_62))
    e = 63 - int64(zeros) - fraction + int64(high)
    below = m < one
    ratio, _ = quotient(select(below, one - m, m - one), uint64(0), m + one)
    s = select(below, -int64(ratio), int64(ratio))
    w = scaled(s, s)
    p = int64(388286445267419216)
    p = scaled(p, w) + 417860165180211493
    p = scaled(p, w) + 512437616829354441
    p = scaled(p, w) + 658811997367655218
    p = scaled(p, w) + 922337205120011264
    p = scaled(p, w) + 1537228672806479243
    p = scaled(p, w) + 4611686018427388703
    return (scaled(p, s) >> 4) + e * LN2_57


@kernel
def log(a: int64, fraction: int64) -> tuple[int64, int32]:
    """Too small for a ≤ 0."""
    cut = 57 - fraction
    result = (logarithm(max(a, 1), fraction) + (int64(1) << (cut - 1))) >> cut
    return select(a > 0, result, int64(0)), select(a > 0, int32(0), int32(-1))


@kernel
def pow(a: int64, b: int64, fraction: int64) -> tuple[int64, int32]:
    """a^b as e^(b ln a). Too small for a < 0; of 0 it is 0, 1 or too large, as b says."""
    one = int64(1) << fraction
    x, over = multiply(b, logarithm(max(a, 1), fraction), fraction + 1)
    end = int64((LIMIT << 56) - 1)
    x = clamp(select(over == 0, x, select(over < 0, -end, end)), -end, end)
    result, excess = exponential(x, fraction)
    of_zero = select(b == 0, one, int64(0))
    excess = select(a > 0, excess, select(b < 0, int32(1), int32(0)))
    result = select(a > 0, result, of_zero)
    return select(a < 0, int64(0), result), select(a < 0, int32(-1), excess)
