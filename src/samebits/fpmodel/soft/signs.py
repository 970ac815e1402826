"""The operations on wide values that do not round: of the sign bit alone, and comparison."""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.fpmodel.soft.kinds import FINITE, NAN, NEGATIVE
from samebits.fpmodel.soft.wide import operand_kind
from samebits.lang.decorators import kernel
from samebits.lang.values.scalars import int32, uint64

UNORDERED = 2


@kernel
def neg(mantissa: uint64, exponent: int32, kind: int32) -> tuple[uint64, int32, int32]:
    """−x; a NaN as it is."""
    return mantissa, exponent, kind if kind & NAN != 0 else kind ^ NEGATIVE


@kernel
def abs(mantissa: uint64, exponent: int32, kind: int32) -> tuple[uint64, int32, int32]:
    """|x|."""
    return mantissa, exponent, kind & ~NEGATIVE


@kernel
def flushed_input(
    mantissa: uint64, exponent: int32, kind: int32, least: int32, flush_inputs: int32
) -> tuple[uint64, int32, int32]:
    """An operand, or a zero of its sign where it is subnormal and inputs are flushed: what
    operations other than those of this package read."""
    given = operand_kind(exponent, kind, least, flush_inputs)
    if given != kind:
        return uint64(0), int32(0), given
    return mantissa, exponent, kind


@kernel
def magnitude_order(
    a: uint64, a_exponent: int32, a_kind: int32, b: uint64, b_exponent: int32, b_kind: int32
) -> int32:
    """−1, 0 or 1 as |a| < |b|, |a| = |b| or |a| > |b|; neither is a NaN."""
    # Zeros, finite and infinite numbers have larger classes in this order.
    a_class = a_kind & ~NEGATIVE
    b_class = b_kind & ~NEGATIVE
    if a_class != b_class:
        return int32(-1) if a_class < b_class else int32(1)
    if a_class & FINITE == 0:
        return int32(0)
    if a_exponent != b_exponent:
        return int32(-1) if a_exponent < b_exponent else int32(1)
    return int32(a > b) - int32(a < b)


@kernel
def compare(
    a: uint64, a_exponent: int32, a_kind: int32, b: uint64, b_exponent: int32, b_kind: int32
) -> int32:
    """−1, 0 or 1 as a < b, a = b or a > b; `UNORDERED` with a NaN. Zeros are equal."""
    if (a_kind | b_kind) & NAN != 0:
        return int32(UNORDERED)
    order = magnitude_order(a, a_exponent, a_kind, b, b_exponent, b_kind)
    if (a_kind ^ b_kind) & NEGATIVE == 0:
        return order if a_kind & NEGATIVE == 0 else -order
    if (a_kind | b_kind) & ~NEGATIVE == 0:
        return int32(0)
    return int32(1) if a_kind & NEGATIVE == 0 else int32(-1)
