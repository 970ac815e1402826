"""Sums and differences of wide values, rounded once."""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.fpmodel.soft.kinds import DOWN, FINITE, INFINITE, NAN, NEGATIVE, TOP_BIT
from samebits.fpmodel.soft.wide import operand_kind, round_wide, rounded
from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import clz, min
from samebits.lang.values.scalars import int32, uint64


@kernel
def special_sum(
    a: uint64, a_exponent: int32, a_kind: int32, b: uint64, b_exponent: int32, b_kind: int32,
    precision: int32, least: int32, most: int32, rounding: int32, flush: int32,
) -> tuple[uint64, int32, int32]:  # fmt: skip
    """a + b where one of them is zero, infinite or a NaN."""
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
    flush_inputs: int32,
) -> tuple[uint64, int32, int32]:  # fmt: skip
    """a + b; a sum of zero is −0 only where IEEE 754 says so."""
    a_kind = operand_kind(a_exponent, a_kind, least, flush_inputs)
    b_kind = operand_kind(b_exponent, b_kind, least, flush_inputs)
    if a_kind & b_kind & FINITE == 0:
        return special_sum(
            a, a_exponent, a_kind, b, b_exponent, b_kind,
            precision, least, most, rounding, flush,
        )  # fmt: skip
    if a_exponent < b_exponent or (a_exponent == b_exponent and a < b):
        a, a_exponent, a_kind, b, b_exponent, b_kind = b, b_exponent, b_kind, a, a_exponent, a_kind
    # b behind a, in 128 bits whose last stands for all that were shifted out.
    n = uint64(min(a_exponent - b_exponent, 128))
    high = b >> n
    low = (b << (64 - n)) | (b >> (n - 64)) | uint64(b << (128 - n) != 0)
    exponent = a_exponent
    if (a_kind ^ b_kind) & NEGATIVE == 0:
        high = a + high
        if high < a:
            # Then b was moved by less than 64 bits, and the last bit of low is zero.
            low = (low >> 1) | (high << 63)
            high = (high >> 1) | TOP_BIT
            exponent += 1
    else:
        high = a - high - uint64(low != 0)
        low = -low
        if high == 0:
            if low == 0:
                return uint64(0), int32(0), int32(rounding == DOWN)
            high = low
            low = uint64(0)
            exponent -= 64
        zeros = clz(high)
        high = (high << zeros) | (low >> (64 - zeros))
        low = low << zeros
        exponent -= int32(zeros)
    return rounded(high, low, exponent, a_kind & NEGATIVE, precision, least, most, rounding, flush)


@kernel
def sub(
    a: uint64, a_exponent: int32, a_kind: int32, b: uint64, b_exponent: int32, b_kind: int32,
    precision: int32, least: int32, most: int32, rounding: int32, flush: int32,
    flush_inputs: int32,
) -> tuple[uint64, int32, int32]:  # fmt: skip
    """a − b."""
    return add(
        a, a_exponent, a_kind, b, b_exponent, b_kind ^ NEGATIVE,
        precision, least, most, rounding, flush, flush_inputs,
    )  # fmt: skip
