"""Angles of wide numbers (see `wide`)."""

# pyright: reportArgumentType=false
# Tables are indexed by samebits' integers, which pyright does not take for int.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import bitcast, clamp, min, select
from samebits.lang.values.scalars import float64, int32, int64, uint64
from samebits.mathlib.wide.arithmetic import add, from_int, multiply, normalised, reciprocal
from samebits.mathlib.wide.log import atanh_series
from samebits.mathlib.wide.table import (
    ATAN_STEPS,
    QUARTER_PI_HIGH,
    QUARTER_PI_LOW,
    QUARTER_PI_MIDDLE,
)


@kernel
def atan2(
    ye: int32, y2: uint64, y1: uint64, y0: uint64,
    x_negative: bool, xe: int32, x2: uint64, x1: uint64, x0: uint64,
) -> tuple[int32, uint64, uint64, uint64]:  # fmt: skip
    """The angle of (±x, y) in 0..π, to a relative 2^-180; 0 or π for y = 0, whatever x."""
    swap = ye > xe or (ye == xe and y2 > x2)
    if swap:
        ye, y2, y1, y0, xe, x2, x1, x0 = xe, x2, x1, x0, ye, y2, y1, y0
    # t = (y/x - i/64)/(1 + (y/x)·(i/64)), i/64 near y/x: |t| < 2^-6
    q = float64(int64(y2 >> 1)) / float64(int64(x2 >> 1))
    q = q * bitcast(float64, uint64(clamp(ye - xe, -20, 1) + 1029) << 52)
    i = min(int32(q + 0.5), 63) & 63
    ie, ih = from_int(i)
    ie = ie - 6
    te, t2, t1, t0 = multiply(ie, ih, 0, 0, xe, x2, x1, x0)
    negative, te, t2, t1, t0 = add(False, ye, y2, y1, y0, True, te, t2, t1, t0)
    ye, y2, y1, y0 = multiply(ie, ih, 0, 0, ye, y2, y1, y0)
    _, xe, x2, x1, x0 = add(False, xe, x2, x1, x0, False, ye, y2, y1, y0)
    xe, x2, x1, x0 = reciprocal(xe, x2, x1, x0)
    te, t2, t1, t0 = multiply(te, t2, t1, t0, xe, x2, x1, x0)
    negative, te, t2, t1, t0 = atanh_series(negative, te, t2, t1, t0, True)
    j = 3 * i
    ye, y2, y1, y0 = normalised(0, ATAN_STEPS[j], ATAN_STEPS[j + 1], ATAN_STEPS[j + 2])
    negative, te, t2, t1, t0 = add(False, ye, y2, y1, y0, negative, te, t2, t1, t0)
    if not (swap or x_negative):
        return te, t2, t1, t0
    # π/2 ± the angle with the other axis, or π less it
    e = select(swap, int32(1), int32(2))
    _, e, x2, x1, x0 = add(
        False, e, QUARTER_PI_HIGH, QUARTER_PI_MIDDLE, QUARTER_PI_LOW,
        not (swap and x_negative), te, t2, t1, t0,
    )  # fmt: skip
    return e, x2, x1, x0
