"""Products and quotients of 64-bit fixed-point numbers through 128 bits, as kernels.

Each gives the integer modulo 2^64 and whether it is too small (-1), too large (1) or neither: what
follows from that, and where, is the caller's to say. Nothing here traps.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import clz, max, select
from samebits.lang.values.scalars import int32, int64, uint64

LOW_32 = 0xFFFF_FFFF
TOP_BIT = 1 << 63


@kernel
def product_high(a: int64, b: int64) -> int64:
    """The high 64 bits of the 128 of a·b."""
    a1 = a >> 32
    a0 = a & LOW_32
    b1 = b >> 32
    b0 = b & LOW_32
    middle = a1 * b0 + int64(uint64(a0 * b0) >> 32)
    other = a0 * b1 + (middle & LOW_32)
    return a1 * b1 + (middle >> 32) + (other >> 32)


@kernel
def multiply(a: int64, b: int64, fraction: int64) -> tuple[int64, int32]:
    """a·b·2^-fraction to nearest, ties to even; fraction is 1 to 63."""
    low = uint64(a * b)
    shift = uint64(fraction)
    # Ties go up, and then back down to even: the sum carries into the high half at most once.
    rounded = low + (uint64(1) << (shift - 1)) - 1 + ((low >> shift) & 1)
    high = product_high(a, b) + int64(rounded < low)
    result = int64(rounded >> shift) | (high << (64 - fraction))
    over = select(high < 0, int32(-1), int32(1))
    return result, select((high >> fraction) == (result >> 63), int32(0), over)


@kernel
def root(a: int64, fraction: int64) -> tuple[int64, int32]:
    """√a of a number to nearest; fraction is 16 or 32. Below 0 it is 0, and too small.

    Digit by digit: two bits of a·2^fraction give one of the root.
    """
    bits = uint64(max(a, 0))
    q = uint64(0)
    rest = uint64(0)
    for _ in range(32 + int(fraction >> 1)):
        rest = (rest << 2) | (bits >> 62)
        bits = bits << 2
        trial = (q << 2) | 1
        take = rest >= trial
        rest = select(take, rest - trial, rest)
        q = (q << 1) | uint64(take)
    return int64(q + uint64(rest > q)), select(a < 0, int32(-1), int32(0))


@kernel
def digit(high: uint64, next: uint64, d1: uint64, d0: uint64) -> uint64:
    """One digit in base 2^32 of a quotient: (high·2^32 + next) / (d1·2^32 + d0).

    Knuth, "The Art of Computer Programming" vol. 2, algorithm D: the divisor's top bit is set and
    high is less than it, so that the estimate by d1 alone is at most 2 too large.
    """
    q = high // max(d1, 1)
    r = high - q * d1
    for _ in range(2):
        if r <= LOW_32 and (q > LOW_32 or q * d0 > ((r << 32) | next)):
            q = q - 1
            r = r + d1
    return q


@kernel
def quotient(high: uint64, low: uint64, d: uint64) -> tuple[uint64, uint64]:
    """Quotient and rest of (high·2^64 + low) / d, for high < d."""
    s = clz(d)
    d = d << s
    d1 = d >> 32
    d0 = d & LOW_32
    n = (high << s) | ((low >> 1) >> (63 - s))
    low = low << s
    n1 = low >> 32
    n0 = low & LOW_32
    q1 = digit(n, n1, d1, d0)
    n = (n << 32) + n1 - q1 * d
    q0 = digit(n, n0, d1, d0)
    rest = ((n << 32) + n0 - q0 * d) >> s
    return (q1 << 32) + q0, rest


@kernel
def divide(a: int64, b: int64, fraction: int64) -> tuple[int64, int32]:
    """a·2^fraction / b to nearest, ties to even; fraction is 1 to 63. Of b = 0 some result."""
    negative = (a ^ b) < 0
    n = uint64(select(a < 0, -a, a))
    d = max(uint64(select(b < 0, -b, b)), 1)
    shift = uint64(fraction)
    high = n >> (64 - shift)
    top = high // d
    q, rest = quotient(high - top * d, n << shift, d)
    other = d - rest
    up = uint64(rest > other or (rest == other and (q & 1) == 1))
    q = q + up
    # A quotient that rounds up to 2^64 has come round to 0.
    too_large = top != 0 or q < up or q > select(negative, uint64(TOP_BIT), uint64(TOP_BIT - 1))
    result = int64(select(negative, 0 - q, q))
    over = select(negative, int32(-1), int32(1))
    return result, select(too_large, over, int32(0))
