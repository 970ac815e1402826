"""The conversion of a wide number (see `wide`) to float32, rounded once."""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import bitcast, clamp, select
from samebits.lang.values.scalars import float32, float64, int32, uint64
from samebits.mathlib.wide.arithmetic import HALF_NOISE, NOISE_BITS, TOP_BIT

FRACTION = 0xF_FFFF_FFFF_FFFF


@kernel
def to_float32(negative: bool, e: int32, x2: uint64, x1: uint64, x0: uint64) -> float32:
    """Rounded to nearest, ties to even, into subnormals and infinities as well.

    First to 168 bits, so that a number that ought to lie on a boundary does, and to an odd float64,
    so that the next rounding is the only one.
    """
    x0 = x0 + HALF_NOISE
    carry = uint64(x0 < HALF_NOISE)
    x1 = x1 + carry
    carry = uint64(x1 < carry)
    x2 = x2 + carry
    if x2 < carry:
        x2 = uint64(TOP_BIT)
        e = e + 1
    inexact = (x2 & 0x7FF) | x1 | (x0 >> NOISE_BITS)
    bits = ((x2 >> 11) & FRACTION) | uint64(inexact != 0)
    result = float32(bitcast(float64, bits | (uint64(clamp(e, -300, 300) + 1022) << 52)))
    return select(negative, -result, result)
