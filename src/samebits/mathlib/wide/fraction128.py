"""The product of two uint64 in 128 bits, from products of 32 bits."""

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.values.scalars import uint64

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
