"""Exponentials of wide numbers (see `wide`), and the power series that all wide functions share."""

# pyright: reportArgumentType=false
# Tables are indexed by samebits' integers, which pyright does not take for int.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import select
from samebits.lang.values.scalars import int32, uint64
from samebits.mathlib.wide.arithmetic import (
    TOP_BIT,
    add,
    difference,
    from_int,
    multiply,
    product,
    shifted,
)
from samebits.mathlib.wide.table import (
    COEFFICIENTS,
    EXP2_STEPS,
    LN2_HIGH,
    LN2_LOW,
    LN2_MIDDLE,
)


@kernel
def series(
    first: int32, step: int32, count: int32, alternating: bool, u2: uint64, u1: uint64, u0: uint64
) -> tuple[uint64, uint64, uint64]:
    """Σ ±c[j]·u^k for k < count, j = first + k·step; off by less than 22 units for u < 5/8.

    u is a fraction. c are the halves that COEFFICIENTS holds: half of the function's value is
    returned.
    """
    r2 = uint64(0)
    r1 = uint64(0)
    r0 = uint64(0)
    # c - ur, or c - (-ur) where the complement stands for the negative, one unit off.
    flip = select(alternating, uint64(0), ~uint64(0))
    for k in range(count):
        j = 3 * ((first + step * (count - 1 - k)) & 63)
        r2, r1, r0 = product(r2, r1, r0, u2, u1, u0)
        r2, r1, r0 = difference(
            COEFFICIENTS[j], COEFFICIENTS[j + 1], COEFFICIENTS[j + 2],
            r2 ^ flip, r1 ^ flip, r0 ^ flip,
        )  # fmt: skip
    return r2, r1, r0


@kernel
def exp2(
    negative: bool, e: int32, x2: uint64, x1: uint64, x0: uint64, less_one: bool
) -> tuple[bool, int32, uint64, uint64, uint64]:
    """2^x, or 2^x - 1 where `less_one`, for |x| < 2^11.

    To a relative 2^-185, of 2^x - 1 to 2^-182, but for x's own error: absolute for 2^x, and
    relative for 2^x - 1 where |x| < 2^-7.
    """
    # x = n/64 + f, |f| ≤ 1/128
    n = int32(((x2 >> uint64(57 - e)) + 1) >> 1)
    ne, nh = from_int(n)
    f_negative, e, x2, x1, x0 = add(negative, e, x2, x1, x0, not negative, ne - 6, nh, 0, 0)
    n = select(negative, -n, n)
    # 2^f - 1 = v·(1 + v/2! + v²/3! + …), v = f·ln 2
    e, x2, x1, x0 = multiply(e, x2, x1, x0, 0, LN2_HIGH, LN2_MIDDLE, LN2_LOW)
    v2, v1, v0 = shifted(x2, x1, x0, -e)
    v2, v1, v0 = series(1, 1, 18, f_negative, v2, v1, v0)
    e, x2, x1, x0 = multiply(e + 1, x2, x1, x0, 0, v2, v1, v0)
    if less_one and n == 0:
        return f_negative, e, x2, x1, x0
    i = 3 * (n & 63)
    t2 = EXP2_STEPS[i]
    t1 = EXP2_STEPS[i + 1]
    t0 = EXP2_STEPS[i + 2]
    e, x2, x1, x0 = multiply(e, x2, x1, x0, 1, t2, t1, t0)
    f_negative, e, x2, x1, x0 = add(False, 1, t2, t1, t0, f_negative, e, x2, x1, x0)
    e = e + (n >> 6)
    if less_one:
        return add(False, e, x2, x1, x0, True, 1, TOP_BIT, 0, 0)
    return f_negative, e, x2, x1, x0
