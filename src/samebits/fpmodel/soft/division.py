"""Quotients and square roots of wide values, rounded once.

Division is by digits of 32 bits: D. E. Knuth, "The Art of Computer Programming" 2, 4.3.1,
algorithm D. The root's second half follows from the first: P. Zimmermann, "Karatsuba Square Root",
INRIA RR-3805, 1999.
"""

# pyright: reportReturnType=false, reportOperatorIssue=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.fpmodel.soft.arithmetic import product_kind
from samebits.fpmodel.soft.wide import (
    FINITE,
    INFINITE,
    NAN,
    NEGATIVE,
    TOP_BIT,
    rounded,
)
from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import max
from samebits.lang.values.scalars import int32, uint64

LOW_32 = 0xFFFF_FFFF


@kernel
def reciprocal_kind(kind: int32) -> int32:
    """The kind of 1/x."""
    if kind & (FINITE | NAN) != 0:
        return kind
    return kind ^ INFINITE


@kernel
def root_kind(kind: int32) -> int32:
    """The kind of √x."""
    if kind & NEGATIVE != 0 and kind != NEGATIVE:
        return int32(NAN)
    return kind


@kernel
def digit(rest: uint64, following: uint64, divisor: uint64) -> tuple[uint64, uint64]:
    """The quotient of rest·2^32 + following, and what it leaves; `rest` is below the divisor,
    whose top bit is set."""
    first = max(divisor >> 32, 1)
    second = divisor & LOW_32
    quotient = rest // first
    left = rest - quotient * first
    # Too large by 2 at most, and by less if what is left has more than 32 bits.
    if quotient * second > (left << 32) + following:
        quotient -= 1
        left += first
        if left <= LOW_32 and quotient * second > (left << 32) + following:
            quotient -= 1
    return quotient, (rest << 32) + following - quotient * divisor


@kernel
def div(
    a: uint64, a_exponent: int32, a_kind: int32, b: uint64, b_exponent: int32, b_kind: int32,
    precision: int32, least: int32, most: int32, rounding: int32, flush: int32,
) -> tuple[uint64, int32, int32]:  # fmt: skip
    """a / b."""
    kind = product_kind(a_kind, reciprocal_kind(b_kind))
    if kind & FINITE == 0:
        return uint64(0), int32(0), kind
    exponent = a_exponent - b_exponent
    low = uint64(0)
    if a < b:
        exponent -= 1
    else:
        low = a << 63
        a = a >> 1
    high, rest = digit(a, low >> 32, b)
    second, rest = digit(rest, 0, b)
    # No quotient of 64 bits by 64 ends in half a unit.
    tail = uint64(rest != 0)
    if rest > b - rest:
        tail = uint64(TOP_BIT | 1)
    return rounded(
        (high << 32) | second, tail, exponent, kind & NEGATIVE,
        precision, least, most, rounding, flush,
    )  # fmt: skip


@kernel
def root_of_word(x: uint64) -> tuple[uint64, uint64]:
    """The root of x ≥ 2^62, rounded down, and what it leaves.

    Four of Newton's steps from above, from half the sum of x/2^32 and 2^32, which is a quarter too
    large at most: the last one is less than 1 above.
    """
    root = (x >> 33) + (uint64(1) << 31)
    root = (root + x // max(root, 1)) >> 1
    root = (root + x // max(root, 1)) >> 1
    root = (root + x // max(root, 1)) >> 1
    root = (root + x // max(root, 1)) >> 1
    if root * root > x:
        root -= 1
    return root, x - root * root


@kernel
def sqrt(
    x: uint64, exponent: int32, kind: int32,
    precision: int32, least: int32, most: int32, rounding: int32, flush: int32,
) -> tuple[uint64, int32, int32]:  # fmt: skip
    """√x."""
    kind = root_kind(kind)
    if kind & FINITE == 0:
        return uint64(0), int32(0), kind
    high = x
    low = uint64(0)
    if exponent & 1 == 0:
        low = x << 63
        high = x >> 1
    first, rest = root_of_word(high)
    # The rest and the next 32 bits, of which the first alone can be set, over twice the first half.
    dividend = (rest << 31) + (low >> 33)
    second = dividend // max(first, 1)
    rest = (dividend - second * first) << 1
    root = (first << 32) + second
    # What is left is `over` and `left`, 128 bits; of a second half that is too large, negative.
    square = second * second
    left = rest << 32
    over = (rest >> 32) - (second >> 32) - uint64(left < square)
    left = left - square
    if over >> 63 != 0:
        root -= 1
        twice = (root << 1) + 1
        left = left + twice
        over = over + (root >> 63) + uint64(left < twice)
    tail = uint64((left | over) != 0)
    if over != 0 or left > root:
        tail = uint64(TOP_BIT | 1)
    return rounded(root, tail, exponent >> 1, 0, precision, least, most, rounding, flush)
