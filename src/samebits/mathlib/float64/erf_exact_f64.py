"""float64 erf and erfc rounded right for every argument, by 192-bit integers."""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs
from samebits.lang.values.scalars import float64, int32, uint64
from samebits.mathlib.primitives import cold_kernel
from samebits.mathlib.wide.arithmetic import (
    TOP_BIT,
    add,
    from_float64,
    from_int,
    multiply,
    reciprocal,
    to_float64,
)
from samebits.mathlib.wide.exp import exp2
from samebits.mathlib.wide.table import (
    LOG2_E_HIGH,
    LOG2_E_LOW,
    LOG2_E_MIDDLE,
    SLOPE_HIGH,
    SLOPE_LOW,
    SLOPE_MIDDLE,
)

LARGEST = 6.0
"""From here on erf rounds to 1."""
LARGEST_C = 28.0
"""From here on erfc rounds to 0."""
MOST_TERMS = 300
NOTHING = 196
"""Terms that are smaller than the sum by so many powers of two add nothing."""
FRACTIONS = 100
"""Of the continued fraction, which leave out a relative 2^-200 from 6 on."""


@kernel
def wide_slope(x: float64) -> tuple[int32, uint64, uint64, uint64]:
    """e^(-x²)/√π for |x| < 30."""
    e, h = from_float64(x)
    e, x2, x1, x0 = multiply(e, h, 0, 0, e, h, 0, 0)
    e, x2, x1, x0 = multiply(e, x2, x1, x0, 1, LOG2_E_HIGH, LOG2_E_MIDDLE, LOG2_E_LOW)
    _, e, x2, x1, x0 = exp2(True, e, x2, x1, x0, False)
    return multiply(e, x2, x1, x0, 0, SLOPE_HIGH, SLOPE_MIDDLE, SLOPE_LOW)


@kernel
def wide_erf(x: float64) -> tuple[int32, uint64, uint64, uint64]:
    """|erf x| to a relative 2^-175, for 0 < |x| ≤ 6."""
    # 2/√π·e^(-x²)·(x + 2x³/3 + 4x⁵/15 + …), each term the last times 2x²/(2n + 1)
    te, t2 = from_float64(x)
    qe, q2, q1, q0 = multiply(te, t2, 0, 0, te, t2, 0, 0)
    t1 = uint64(0)
    t0 = uint64(0)
    se, s2, s1, s0 = te, t2, t1, t0
    for n in range(1, MOST_TERMS):
        de, dh = from_int(int32(2 * n + 1))
        de, d2, d1, d0 = reciprocal(de, dh, 0, 0)
        te, t2, t1, t0 = multiply(te, t2, t1, t0, qe + 1, q2, q1, q0)
        te, t2, t1, t0 = multiply(te, t2, t1, t0, de, d2, d1, d0)
        _, se, s2, s1, s0 = add(False, se, s2, s1, s0, False, te, t2, t1, t0)
        if te < se - NOTHING:
            break
    qe, q2, q1, q0 = wide_slope(x)
    return multiply(se, s2, s1, s0, qe + 1, q2, q1, q0)


@cold_kernel
def erf_exact(x: float64) -> float64:
    """erf x, rounded to nearest; −0 for −0."""
    if x == 0.0 or x != x:
        return x
    if abs(x) >= LARGEST:
        return 1.0 if x > 0.0 else -1.0
    e, x2, x1, x0 = wide_erf(x)
    return to_float64(x < 0.0, e, x2, x1, x0)


@kernel
def wide_erfc(x: float64) -> tuple[int32, uint64, uint64, uint64]:
    """erfc x for 6 ≤ x < 30: e^(-x²)/√π over x + (1/2)/(x + (2/2)/(x + (3/2)/(x + …)))."""
    e, h = from_float64(x)
    ve, v2 = e, h
    v1 = uint64(0)
    v0 = uint64(0)
    for n in range(FRACTIONS):
        ve, v2, v1, v0 = reciprocal(ve, v2, v1, v0)
        ne, nh = from_int(int32(FRACTIONS - n))
        ve, v2, v1, v0 = multiply(ve, v2, v1, v0, ne - 1, nh, 0, 0)
        _, ve, v2, v1, v0 = add(False, e, h, 0, 0, False, ve, v2, v1, v0)
    ve, v2, v1, v0 = reciprocal(ve, v2, v1, v0)
    e, x2, x1, x0 = wide_slope(x)
    return multiply(e, x2, x1, x0, ve, v2, v1, v0)


@cold_kernel
def erfc_exact(x: float64) -> float64:
    """1 - erf x, rounded to nearest, from a value good to a relative 2^-169; up to 6 to an absolute
    2^-175."""
    if x != x:
        return x
    if x == 0.0:
        return 1.0
    if x <= -LARGEST:
        return 2.0
    if x >= LARGEST_C:
        return 0.0
    if x >= LARGEST:
        e, x2, x1, x0 = wide_erfc(x)
        return to_float64(False, e, x2, x1, x0)
    e, x2, x1, x0 = wide_erf(x)
    _, e, x2, x1, x0 = add(False, 1, TOP_BIT, 0, 0, x > 0.0, e, x2, x1, x0)
    return to_float64(False, e, x2, x1, x0)
