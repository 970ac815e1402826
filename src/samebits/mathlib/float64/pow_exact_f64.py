"""float64 power rounded right for every pair of arguments, by 192-bit integers.

A power of two float64 that lies on a boundary of rounding has to come out there, which `to_float64`
sees to; of the others none is known nearer than a relative 2^-160, where x = 1 - 2^-53 = -y.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.intrinsics import abs, bitcast, select
from samebits.lang.values.scalars import float64, int32, int64, uint64
from samebits.mathlib.primitives import cold_kernel
from samebits.mathlib.wide.arithmetic import (
    INFINITY_BITS,
    TOP_BIT,
    from_float64,
    multiply,
    to_float64,
)
from samebits.mathlib.wide.exp import exp2
from samebits.mathlib.wide.log import log
from samebits.mathlib.wide.table import LOG2_E_HIGH, LOG2_E_LOW, LOG2_E_MIDDLE

INFINITY = float("inf")
ALL_INTEGERS = 2.0**53
"""From here on every float64 is an even integer."""
BEYOND = 0xC000_0000_0000_0000
"""Of the exponent 11: 1536, more than the logarithm of any float64."""


@cold_kernel
def pow_exact(x: float64, y: float64) -> float64:
    """x^y, rounded to nearest; special cases as IEEE 754-2019, 9.2.1 has them."""
    if x == 1.0 or y == 0.0:
        return 1.0
    if x != x or y != y:
        return x + y
    a = abs(x)
    whole = True
    odd = False
    if abs(y) < ALL_INTEGERS:
        n = int64(y)
        whole = float64(n) == y
        odd = whole and (n & 1) != 0
    if x < 0.0 and not whole and a != INFINITY:
        return (x - x) / 0.0
    negative = odd and bitcast(uint64, x) >= TOP_BIT
    if a == 0.0 or a == INFINITY or abs(y) == INFINITY:
        if a == 1.0:
            return 1.0
        grows = (a > 1.0) == (y > 0.0)
        bits = select(grows, uint64(INFINITY_BITS), uint64(0))
        return bitcast(float64, bits | (uint64(negative) << 63))
    # x^y = 2^(y·log2 x)
    e, h = from_float64(a)
    below, e, x2, x1, x0 = log(e, h, 0, 0)
    e, x2, x1, x0 = multiply(e, x2, x1, x0, 1, LOG2_E_HIGH, LOG2_E_MIDDLE, LOG2_E_LOW)
    ye, yh = from_float64(y)
    e, x2, x1, x0 = multiply(e, x2, x1, x0, ye, yh, 0, 0)
    if e > 11:
        e = int32(11)
        x2 = uint64(BEYOND)
    _, e, x2, x1, x0 = exp2(below != (y < 0.0), e, x2, x1, x0, False)
    return to_float64(negative, e, x2, x1, x0)
