"""Sums, differences, products and a·b + c of wide values, each rounded once."""

from __future__ import annotations

from samebits.fpmodel.soft.wide import (
    DOWN,
    FINITE,
    INFINITE,
    NAN,
    NEGATIVE,
    TOP_BIT,
    round_wide,
    rounded,
)
from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import clz
from samebits.lang.values.scalars import int32, uint64
from samebits.mathlib.wide.arithmetic import difference
from samebits.mathlib.wide.fraction128 import mul_high

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.


@kernel
def behind(high: uint64, low: uint64, distance: int32) -> tuple[uint64, uint64, uint64]:
    """128 bits shifted right by `distance` in 192 bits; the last one is sticky."""
    if distance > 128:
        return uint64(0), uint64(0), uint64(1)
    n = uint64(distance)
    return (
        high >> n,
        (low >> n) | (high << (64 - n)) | (high >> (n - 64)),
        (low << (64 - n)) | (low >> (n - 64)) | (high << (128 - n))
        | uint64(low << (128 - n) != 0),
    )  # fmt: skip


@kernel
def joined(
    high: uint64, low: uint64, exponent: int32, sign: int32,
    b_high: uint64, b_exponent: int32, b_sign: int32,
    precision: int32, least: int32, most: int32, rounding: int32, flush: int32,
) -> tuple[uint64, int32, int32]:  # fmt: skip
    """The sum of a number of 128 bits and one of 64; neither is zero."""
    b_low = uint64(0)
    if exponent < b_exponent or (exponent == b_exponent and high < b_high):
        high, low, exponent, sign, b_high, b_low, b_exponent, b_sign = (
            b_high, b_low, b_exponent, b_sign, high, low, exponent, sign,
        )  # fmt: skip
    y2, y1, y0 = behind(b_high, b_low, exponent - b_exponent)
    if sign == b_sign:
        # Without the last bits of y a carry changes nothing but the first two words.
        middle = low + y1
        carry = uint64(middle < low)
        top = high + y2
        over = top < high
        top = top + carry
        if over or top < carry:
            y0 = y0 | (middle & 1)
            middle = (middle >> 1) | (top << 63)
            top = (top >> 1) | TOP_BIT
            exponent += 1
        return rounded(
            top, middle | uint64(y0 != 0), exponent, sign,
            precision, least, most, rounding, flush,
        )  # fmt: skip
    x2, x1, x0 = difference(high, low, 0, y2, y1, y0)
    if x2 == 0:
        # The last word is zero where the second is: at most it holds the last bit of half a
        # product, which, below 2^127 - 2^64, is nowhere near the other number, 2^127 or more.
        if x1 == 0:
            return uint64(0), int32(0), int32(rounding == DOWN)
        x2 = x1
        x1 = x0
        x0 = uint64(0)
        exponent -= 64
    zeros = clz(x2)
    return rounded(
        (x2 << zeros) | (x1 >> (64 - zeros)),
        (x1 << zeros) | (x0 >> (64 - zeros)) | uint64(x0 << zeros != 0),
        exponent - int32(zeros), sign, precision, least, most, rounding, flush,
    )  # fmt: skip


@kernel
def fma(
    a: uint64, a_exponent: int32, a_kind: int32, b: uint64, b_exponent: int32, b_kind: int32,
    c: uint64, c_exponent: int32, c_kind: int32,
    precision: int32, least: int32, most: int32, rounding: int32, flush: int32,
) -> tuple[uint64, int32, int32]:  # fmt: skip
    """a·b + c."""
    kind = product_kind(a_kind, b_kind)
    sign = kind & NEGATIVE
    if kind & FINITE == 0:
        return special_sum(
            0, 0, kind, c, c_exponent, c_kind, precision, least, most, rounding, flush
        )
    high, low, exponent = exact_product(a, b, a_exponent + b_exponent)
    if c_kind & FINITE == 0:
        if c_kind > NEGATIVE:
            return uint64(0), int32(0), c_kind
        return rounded(high, low, exponent, sign, precision, least, most, rounding, flush)
    return joined(
        high, low, exponent, sign, c, c_exponent, c_kind & NEGATIVE,
        precision, least, most, rounding, flush,
    )  # fmt: skip


@kernel
def special_sum(
    a: uint64, a_exponent: int32, a_kind: int32, b: uint64, b_exponent: int32, b_kind: int32,
    precision: int32, least: int32, most: int32, rounding: int32, flush: int32,
) -> tuple[uint64, int32, int32]:  # fmt: skip
    """a + b, if one of them is zero, infinite or NaN."""
    if (a_kind | b_kind) & NAN != 0:
        return uint64(0), int32(0), int32(NAN)
    if (a_kind | b_kind) & INFINITE != 0:
        if a_kind ^ b_kind == NEGATIVE:
            return uint64(0), int32(0), int32(NAN)
        return uint64(0), int32(0), a_kind if a_kind & INFINITE != 0 else b_kind
    if a_kind & FINITE != 0:
        return round_wide(a, a_exponent, a_kind, precision, least, most, rounding, flush)
    if b_kind & FINITE != 0:
        return round_wide(b, b_exponent, b_kind, precision, least, most, rounding, flush)
    return uint64(0), int32(0), a_kind if a_kind == b_kind else int32(rounding == DOWN)


@kernel
def add(
    a: uint64, a_exponent: int32, a_kind: int32, b: uint64, b_exponent: int32, b_kind: int32,
    precision: int32, least: int32, most: int32, rounding: int32, flush: int32,
) -> tuple[uint64, int32, int32]:  # fmt: skip
    """a + b; a zero sum has the sign that IEEE 754 requires."""
    if a_kind & b_kind & FINITE == 0:
        return special_sum(
            a, a_exponent, a_kind, b, b_exponent, b_kind,
            precision, least, most, rounding, flush,
        )  # fmt: skip
    return joined(
        a, 0, a_exponent, a_kind & NEGATIVE, b, b_exponent, b_kind & NEGATIVE,
        precision, least, most, rounding, flush,
    )  # fmt: skip


@kernel
def sub(
    a: uint64, a_exponent: int32, a_kind: int32, b: uint64, b_exponent: int32, b_kind: int32,
    precision: int32, least: int32, most: int32, rounding: int32, flush: int32,
) -> tuple[uint64, int32, int32]:  # fmt: skip
    """a − b."""
    return add(
        a, a_exponent, a_kind, b, b_exponent, b_kind ^ NEGATIVE,
        precision, least, most, rounding, flush,
    )  # fmt: skip


@kernel
def product_kind(a_kind: int32, b_kind: int32) -> int32:
    """The kind of a·b."""
    sign = (a_kind ^ b_kind) & NEGATIVE
    if a_kind & b_kind & FINITE != 0:
        return FINITE | sign
    either = a_kind | b_kind
    if either & NAN != 0:
        return int32(NAN)
    if either & INFINITE == 0:
        return sign
    # Infinity times zero, which has no bit of a class.
    if a_kind <= NEGATIVE or b_kind <= NEGATIVE:
        return int32(NAN)
    return INFINITE | sign


@kernel
def exact_product(a: uint64, b: uint64, exponent: int32) -> tuple[uint64, uint64, int32]:
    """a·b in 128 bits, the first of them set, and its exponent; `exponent` is the operands' sum."""
    high = mul_high(a, b)
    low = a * b
    zeros = clz(high)
    return (high << zeros) | (low >> (64 - zeros)), low << zeros, exponent + 1 - int32(zeros)


@kernel
def mul(
    a: uint64, a_exponent: int32, a_kind: int32, b: uint64, b_exponent: int32, b_kind: int32,
    precision: int32, least: int32, most: int32, rounding: int32, flush: int32,
) -> tuple[uint64, int32, int32]:  # fmt: skip
    """a·b."""
    kind = product_kind(a_kind, b_kind)
    if kind & FINITE == 0:
        return uint64(0), int32(0), kind
    high, low, exponent = exact_product(a, b, a_exponent + b_exponent)
    return rounded(high, low, exponent, kind & NEGATIVE, precision, least, most, rounding, flush)
