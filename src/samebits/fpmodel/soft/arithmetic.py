"""a·b + c of wide values, rounded once."""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.fpmodel.soft.addition import special_sum
from samebits.fpmodel.soft.kinds import DOWN, FINITE, NEGATIVE, TOP_BIT
from samebits.fpmodel.soft.multiplication import exact_product, product_kind
from samebits.fpmodel.soft.wide import operand_kind, rounded
from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import clz
from samebits.lang.values.scalars import int32, uint64
from samebits.mathlib.wide.arithmetic import difference


@kernel
def behind(high: uint64, low: uint64, distance: int32) -> tuple[uint64, uint64, uint64]:
    """128 bits over 2^distance in 192, of which the last stands for all that were shifted out."""
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
    b_high: uint64, b_low: uint64, b_exponent: int32, b_sign: int32,
    precision: int32, least: int32, most: int32, rounding: int32, flush: int32,
) -> tuple[uint64, int32, int32]:  # fmt: skip
    """The sum of two numbers of 128 bits, the first of which is not the smaller one."""
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
    flush_inputs: int32,
) -> tuple[uint64, int32, int32]:  # fmt: skip
    """a·b + c."""
    a_kind = operand_kind(a_exponent, a_kind, least, flush_inputs)
    b_kind = operand_kind(b_exponent, b_kind, least, flush_inputs)
    c_kind = operand_kind(c_exponent, c_kind, least, flush_inputs)
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
    c_sign = c_kind & NEGATIVE
    if exponent < c_exponent or (exponent == c_exponent and high < c):
        return joined(
            c, 0, c_exponent, c_sign, high, low, exponent, sign,
            precision, least, most, rounding, flush,
        )  # fmt: skip
    return joined(
        high, low, exponent, sign, c, 0, c_exponent, c_sign,
        precision, least, most, rounding, flush,
    )  # fmt: skip
