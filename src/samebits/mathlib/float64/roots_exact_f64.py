"""float64 roots rounded right for every argument, by 192-bit integers.

A root, a reciprocal of one or a hypotenuse that is not itself on a boundary of rounding is more
than a relative 2^-164 from any: else two different integers would be less than 1 apart.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.intrinsics import abs, select
from samebits.lang.values.scalars import float64, int64, uint64
from samebits.mathlib.primitives import cold_kernel
from samebits.mathlib.wide.arithmetic import (
    add,
    difference,
    from_float64,
    multiply,
    product,
    reciprocal_root,
    root,
    to_float64,
)

INFINITY = float("inf")
LARGEST = float.fromhex("0x1.fffffffffffffp1023")
SIXTEENTH = 0x1000_0000_0000_0000
TWO_THIRDS = 0xAAAA_AAAA_AAAA_AAAA
THIRD = 1.0 / 3.0
UNIT_63 = 2.0**63
FRACTION_60 = 2.0**-60
# a^(-1/3) ≈ GUESS - SLOPE·a for 1 ≤ a < 8, good to a fifth.
GUESS = 1.03
SLOPE = 0.072


@cold_kernel
def cbrt_exact(x: float64) -> float64:
    """∛x, rounded to nearest; −0 for −0."""
    if x == 0.0 or not abs(x) <= LARGEST:
        return x
    # |x| = d·2^(3k), 1/8 ≤ d < 1
    e, h = from_float64(x)
    s = -e % 3
    k = (e + s) // 3
    h = h >> uint64(s)
    # Newton's iteration for t = (8d)^(-1/3), then y = t/2 = d^(-1/3)/4:
    # y' = y·(4 - 64dy³)/3 = 32·(2/3)·y·(1/16 - dy³)
    a = float64(int64(h >> 1)) * FRACTION_60
    t = GUESS - SLOPE * a
    for _ in range(6):
        t = t * (4.0 - a * t * t * t) * THIRD
    y2 = uint64(t * UNIT_63)
    y1 = uint64(0)
    y0 = uint64(0)
    for _ in range(2):
        t2, t1, t0 = product(y2, y1, y0, y2, y1, y0)
        t2, t1, t0 = product(t2, t1, t0, y2, y1, y0)
        t2, t1, t0 = product(t2, t1, t0, h, 0, 0)
        t2, t1, t0 = difference(SIXTEENTH, 0, 0, t2, t1, t0)
        t2, t1, t0 = product(t2, t1, t0, y2, y1, y0)
        t2, t1, t0 = product(t2, t1, t0, TWO_THIRDS, TWO_THIRDS, TWO_THIRDS)
        y2 = (t2 << 5) | (t1 >> 59)
        y1 = (t1 << 5) | (t0 >> 59)
        y0 = t0 << 5
    # ∛d = 16·d·y²
    y2, y1, y0 = product(y2, y1, y0, y2, y1, y0)
    e, y2, y1, y0 = multiply(k + 4, y2, y1, y0, 0, h, 0, 0)
    return to_float64(x < 0.0, e, y2, y1, y0)


@cold_kernel
def rsqrt_exact(x: float64) -> float64:
    """1/√x, rounded to nearest; infinities with the sign of zeros, NaN below."""
    if x == 0.0:
        return 1.0 / x
    if not x > 0.0:
        return (x - x) / 0.0
    if x == INFINITY:
        return 0.0
    e, h = from_float64(x)
    e, x2, x1, x0 = reciprocal_root(e, h, 0, 0)
    return to_float64(False, e, x2, x1, x0)


@cold_kernel
def hypot_exact(x: float64, y: float64) -> float64:
    """√(x² + y²), rounded to nearest; inf if either is infinite, be the other NaN."""
    x = abs(x)
    y = abs(y)
    if not (x <= LARGEST and y <= LARGEST):
        return select(x == INFINITY or y == INFINITY, float64(INFINITY), x + y)
    xe, xh = from_float64(x)
    ye, yh = from_float64(y)
    xe, x2, x1, x0 = multiply(xe, xh, 0, 0, xe, xh, 0, 0)
    ye, y2, y1, y0 = multiply(ye, yh, 0, 0, ye, yh, 0, 0)
    _, xe, x2, x1, x0 = add(False, xe, x2, x1, x0, False, ye, y2, y1, y0)
    xe, x2, x1, x0 = root(xe, x2, x1, x0)
    return to_float64(False, xe, x2, x1, x0)
