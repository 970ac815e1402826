"""Sine and cosine of wide numbers (see `wide`), and x modulo quarter turns to 192 bits."""

# pyright: reportArgumentType=false, reportReturnType=false
# Tables are indexed by samebits' integers, which pyright does not take for int; and arithmetic
# gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import clamp, clz
from samebits.lang.values.scalars import float64, int32, uint64
from samebits.mathlib.wide.arithmetic import TOP_BIT, from_float64, multiply, normalised, shifted
from samebits.mathlib.wide.exp import series
from samebits.mathlib.wide.fraction128 import mul_high
from samebits.mathlib.wide.table import (
    QUARTER_PI_HIGH,
    QUARTER_PI_LOW,
    QUARTER_PI_MIDDLE,
    TWO_OVER_PI,
)

HALF = 0x2000_0000_0000_0000
"""Half a quarter turn where the point is after two bits."""


@kernel
def quarter_turns(x: float64) -> tuple[uint64, bool, int32, uint64, uint64, uint64]:
    """(n, negative, e, f) with |x|·2/π = n ± f·2^e and |f·2^e| ≤ 1/2, but for multiples of 4.

    For 2^-60 ≤ |x| < 2^1024, to a relative 2^-180. Payne and Hanek, "Radian reduction for
    trigonometric functions", ACM SIGNUM Newsletter 18(1), 1983: only 320 bits of 2/π matter, for
    x = h·2^(e - 64) those from weight 2^(65 - e) on; heavier ones give whole turns.
    """
    e, h = from_float64(x)
    start = e + 62  # the table starts at weight 2^127
    i = clamp(start >> 6, 0, 17)
    up = uint64(start & 63)
    down = 64 - up
    r3 = uint64(0)
    r2 = uint64(0)
    r1 = uint64(0)
    r0 = uint64(0)
    carry = uint64(0)
    for j in range(4, -1, -1):
        word = (TWO_OVER_PI[i + j] << up) | (TWO_OVER_PI[i + j + 1] >> down)
        r0 = r1
        r1 = r2
        r2 = r3
        r3 = h * word + carry
        carry = mul_high(h, word) + uint64(r3 < carry)
    # The point is after two bits.
    n = (r3 + HALF) >> 62
    r3 = r3 - (n << 62)
    negative = r3 >= TOP_BIT
    if negative:
        r3 = ~r3
        r2 = ~r2
        r1 = ~r1
        r0 = ~r0
    s = clz(r3)  # 64 at most: no float64 is within 2^-62 quarter turns of a multiple of π/2
    down = 64 - s
    e, r2, r1, r0 = normalised(
        2 - int32(s), (r3 << s) | (r2 >> down), (r2 << s) | (r1 >> down), (r1 << s) | (r0 >> down)
    )
    return n, negative, e, r2, r1, r0


@kernel
def sine_or_cosine(
    e: int32, x2: uint64, x1: uint64, x0: uint64, other: bool, circular: bool
) -> tuple[int32, uint64, uint64, uint64]:
    """sin x, or cos x if `other`, or sinh x and cosh x unless `circular`; for 0 ≤ x < 4/5.

    To a relative 2^-185.
    """
    ue, u2, u1, u0 = multiply(e, x2, x1, x0, e, x2, x1, x0)
    u2, u1, u0 = shifted(u2, u1, u0, -ue)
    u2, u1, u0 = series(int32(not other), 2, 22, circular, u2, u1, u0)
    if other:
        return normalised(1, u2, u1, u0)
    return multiply(e + 1, x2, x1, x0, 0, u2, u1, u0)


@kernel
def sine(
    e: int32, x2: uint64, x1: uint64, x0: uint64, other: bool
) -> tuple[int32, uint64, uint64, uint64]:
    """sin(x·π/2), or cos(x·π/2) if `other`, for 0 ≤ x ≤ 1/2, to a relative 2^-185."""
    e, x2, x1, x0 = multiply(e, x2, x1, x0, 1, QUARTER_PI_HIGH, QUARTER_PI_MIDDLE, QUARTER_PI_LOW)
    return sine_or_cosine(e, x2, x1, x0, other, True)
