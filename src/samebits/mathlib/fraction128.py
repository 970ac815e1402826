"""Fractions in [0, 1) of 128 bits, each a high and a low uint64, and their product."""

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.scalars import uint64

LOW_32 = 0xFFFF_FFFF


@kernel
def mul_high(a: uint64, b: uint64) -> uint64:
    """The high 64 bits of the 128 of a·b."""
    a1 = a >> 32
    a0 = a & LOW_32
    b1 = b >> 32
    b0 = b & LOW_32
    middle = a1 * b0 + ((a0 * b0) >> 32)
    other = a0 * b1 + (middle & LOW_32)
    return a1 * b1 + (middle >> 32) + (other >> 32)


@kernel
def mul_fraction(
    a_high: uint64, a_low: uint64, b_high: uint64, b_low: uint64
) -> tuple[uint64, uint64]:
    """a·b cut to 128 bits, less than three units in the last place too small."""
    low = a_high * b_high
    high = mul_high(a_high, b_high)
    first = mul_high(a_high, b_low)
    second = mul_high(a_low, b_high)
    low = low + first
    high = high + uint64(low < first)
    low = low + second
    high = high + uint64(low < second)
    return high, low
