"""float64 rootn and compound rounded right for every argument, by 192-bit integers.

A root or a power that lies on a boundary of rounding has to come out there, which `to_float64` sees
to.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, select
from samebits.lang.values.scalars import float64, int32, uint64
from samebits.mathlib.float64.log_exact_f64 import wide_log1p
from samebits.mathlib.float64.pow_exact_f64 import BEYOND, INFINITY
from samebits.mathlib.primitives import cold_kernel
from samebits.mathlib.wide.arithmetic import (
    TOP_BIT,
    from_float64,
    from_int,
    multiply,
    reciprocal,
    to_float64,
)
from samebits.mathlib.wide.exp import exp2
from samebits.mathlib.wide.log import log
from samebits.mathlib.wide.table import LOG2_E_HIGH, LOG2_E_LOW, LOG2_E_MIDDLE


@kernel
def wide_power(
    below: bool, e: int32, x2: uint64, x1: uint64, x0: uint64
) -> tuple[int32, uint64, uint64, uint64]:
    """e^x, for a logarithm x; beyond 2^±1536 some power beyond any float64."""
    e, x2, x1, x0 = multiply(e, x2, x1, x0, 1, LOG2_E_HIGH, LOG2_E_MIDDLE, LOG2_E_LOW)
    if e > 11:
        e = int32(11)
        x2 = uint64(BEYOND)
    _, e, x2, x1, x0 = exp2(below, e, x2, x1, x0, False)
    return e, x2, x1, x0


@kernel
def wide_root(a: float64, n: int32) -> tuple[int32, uint64, uint64, uint64]:
    """a^(1/n) for finite a > 0 and n not 0."""
    e, h = from_float64(a)
    below, e, x2, x1, x0 = log(e, h, 0, 0)
    de, d2 = from_int(n)
    de, d2, d1, d0 = reciprocal(de, d2, 0, 0)
    e, x2, x1, x0 = multiply(e, x2, x1, x0, de, d2, d1, d0)
    return wide_power(below != (n < 0), e, x2, x1, x0)


@kernel
def special_root(x: float64, n: int32) -> float64:
    """x^(1/n) where x is 0, infinite or NaN, or n is 0, or x < 0 and n even."""
    odd = (n & 1) != 0
    if x != x or n == 0 or (x < 0.0 and not odd):
        return (x - x) / 0.0
    bits = select((x == 0.0) == (n > 0), uint64(0), bitcast(uint64, float64(INFINITY)))
    negative = odd and bitcast(uint64, x) >= TOP_BIT
    return bitcast(float64, bits | (uint64(negative) << 63))


@cold_kernel
def rootn_exact(x: float64, n: int32) -> float64:
    """x^(1/n), rounded to nearest; special cases as IEEE 754-2019, 9.2.1 has them."""
    a = abs(x)
    if not (a > 0.0 and a < INFINITY) or n == 0 or (x < 0.0 and (n & 1) == 0):
        return special_root(x, n)
    e, x2, x1, x0 = wide_root(a, n)
    return to_float64(x < 0.0, e, x2, x1, x0)


@kernel
def wide_compound(x: float64, n: int32) -> tuple[int32, uint64, uint64, uint64]:
    """(1 + x)^n for finite x > -1."""
    below, e, x2, x1, x0 = wide_log1p(x)
    ne, nh = from_int(n)
    e, x2, x1, x0 = multiply(e, x2, x1, x0, ne, nh, 0, 0)
    return wide_power(below != (n < 0), e, x2, x1, x0)


@kernel
def special_compound(x: float64, n: int32) -> float64:
    """(1 + x)^n where x ≤ -1, infinite or NaN, or where n is 0."""
    if n == 0 and not x < -1.0:
        return 1.0
    if not x >= -1.0:
        return (x - x) / 0.0
    return select((x > 0.0) == (n > 0), float64(INFINITY), float64(0.0))


@cold_kernel
def compound_exact(x: float64, n: int32) -> float64:
    """(1 + x)^n, rounded to nearest; special cases as IEEE 754-2019, 9.2.1 has them."""
    if n == 0 or not (x > -1.0 and x < INFINITY):
        return special_compound(x, n)
    if x == 0.0:
        return 1.0
    e, x2, x1, x0 = wide_compound(x, n)
    return to_float64(False, e, x2, x1, x0)
