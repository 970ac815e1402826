"""Natural logarithms of wide numbers (see `wide`)."""

# pyright: reportArgumentType=false
# Tables are indexed by samebits' integers, which pyright does not take for int.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.values.scalars import float64, int32, int64, uint64
from samebits.mathlib.wide.arithmetic import (
    TOP_BIT,
    add,
    from_int,
    multiply,
    normalised,
    reciprocal,
    shifted,
)
from samebits.mathlib.wide.exp import series
from samebits.mathlib.wide.table import LN2_HIGH, LN2_LOW, LN2_MIDDLE, LOG_STEPS

ROOT_HALF = 0xB504_F333_F9DE_6484
"""√½ as a fraction of 2^64."""
TWICE_64 = 2.0**69
"""64 times 2^63."""
RECIPROCALS = 48
"""Entry of COEFFICIENTS from which the halves of 1, 1/3, 1/5, … stand."""


@kernel
def atanh_series(
    negative: bool, e: int32, x2: uint64, x1: uint64, x0: uint64, alternating: bool
) -> tuple[bool, int32, uint64, uint64, uint64]:
    """atanh x, or atan x if `alternating`, to a relative 2^-185, for |x| < 2^-6."""
    ue, u2, u1, u0 = multiply(e, x2, x1, x0, e, x2, x1, x0)
    u2, u1, u0 = shifted(u2, u1, u0, -ue)
    u2, u1, u0 = series(RECIPROCALS, 1, 16, alternating, u2, u1, u0)
    e, x2, x1, x0 = multiply(e + 1, x2, x1, x0, 0, u2, u1, u0)
    return negative, e, x2, x1, x0


@kernel
def log(e: int32, x2: uint64, x1: uint64, x0: uint64) -> tuple[bool, int32, uint64, uint64, uint64]:
    """ln x of x > 0; relative error below 2^-180 but for that of x, which matters near 1."""
    # x = y·2^k with √½ ≤ y < √2, and y·i/64 = 1 + z, |z| < 2^-6
    k = e
    e = int32(0)
    i = int32(TWICE_64 / float64(int64(x2 >> 1)) + 0.5)
    if x2 < ROOT_HALF:
        k = k - 1
        e = int32(1)
        i = (i + 1) >> 1
    ie, ih = from_int(i)
    e, x2, x1, x0 = multiply(e, x2, x1, x0, ie - 6, ih, 0, 0)
    negative, e, x2, x1, x0 = add(False, e, x2, x1, x0, True, 1, TOP_BIT, 0, 0)
    # ln x = k·ln 2 - ln(i/64) + 2·atanh(z/(2 + z))
    _, de, d2, d1, d0 = add(negative, e, x2, x1, x0, False, 2, TOP_BIT, 0, 0)
    de, d2, d1, d0 = reciprocal(de, d2, d1, d0)
    e, x2, x1, x0 = multiply(e, x2, x1, x0, de, d2, d1, d0)
    negative, e, x2, x1, x0 = atanh_series(negative, e, x2, x1, x0, False)
    j = 3 * (i & 63)
    de, d2, d1, d0 = normalised(0, LOG_STEPS[j], LOG_STEPS[j + 1], LOG_STEPS[j + 2])
    negative, e, x2, x1, x0 = add(i > 64, de, d2, d1, d0, negative, e + 1, x2, x1, x0)
    ke, kh = from_int(k)
    ke, d2, d1, d0 = multiply(ke, kh, 0, 0, 0, LN2_HIGH, LN2_MIDDLE, LN2_LOW)
    return add(k < 0, ke, d2, d1, d0, negative, e, x2, x1, x0)
