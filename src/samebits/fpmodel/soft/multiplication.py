"""Products of wide values, and products with a sum, rounded once."""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.fpmodel.soft.kinds import FINITE, INFINITE, NAN, NEGATIVE
from samebits.fpmodel.soft.wide import operand_kind, rounded
from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import clz
from samebits.lang.values.scalars import int32, uint64
from samebits.mathlib.wide.fraction128 import mul_high


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
    flush_inputs: int32,
) -> tuple[uint64, int32, int32]:  # fmt: skip
    """a·b."""
    a_kind = operand_kind(a_exponent, a_kind, least, flush_inputs)
    b_kind = operand_kind(b_exponent, b_kind, least, flush_inputs)
    kind = product_kind(a_kind, b_kind)
    if kind & FINITE == 0:
        return uint64(0), int32(0), kind
    high, low, exponent = exact_product(a, b, a_exponent + b_exponent)
    return rounded(high, low, exponent, kind & NEGATIVE, precision, least, most, rounding, flush)
