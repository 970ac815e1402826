"""The wide value: three scalars that hold any number of up to 64 bits; its sign and its rounding.

`mantissa` (uint64, its top bit set), `exponent` (int32) and `kind` (int32) are the finite number
±mantissa × 2^(exponent − 63), which lies from 2^exponent to 2^(exponent + 1). `kind` holds the sign
and the class in bits of their own; of zeros, infinities and NaN the mantissa and the exponent are
zero, and NaN has no sign, so that equal values are equal scalars.

128 bits are rounded to a format, with gradual underflow, overflow and both rules of flushing. A
format is three int32: `precision`, 11 to 64 bits, and the exponents of its smallest normal and of
its largest numbers, `least` and `most`.
"""

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import clz, max, min
from samebits.lang.values.scalars import int32, uint64

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.


NEGATIVE = 1
"""The sign bit of a kind."""
FINITE = 2
"""The class of a finite number that is not zero; zeros have no bit but that of the sign."""
INFINITE = 4
NAN = 8
TOP_BIT = 1 << 63
"""The least mantissa; as a tail, half a unit."""

NEAREST, ZERO, UP, DOWN = 0, 1, 2, 3
"""Roundings. Rounding `UP + sign` is the one that goes away from zero."""
KEPT, FLUSHED_BEFORE, FLUSHED_AFTER = 0, 1, 2
"""What becomes of a subnormal result: kept, or a zero by its value before or after rounding."""
UNORDERED = 2
"""What `compare` gives for a NaN."""
ALL_ONES = (1 << 64) - 1


@kernel
def tail_below(high: uint64, low: uint64, cut: uint64) -> uint64:
    """What `cut` low bits of `high`, from 0 to 65, and `low` are of a unit of the other bits, in
    2^-64; the last bit is set where there is more."""
    if cut == 0:
        return low
    return (high << (64 - cut)) | (high >> (cut - 64)) | uint64(low != 0)


@kernel
def grows(last: uint64, tail: uint64, rounding: int32, sign: int32) -> bool:
    """Whether a mantissa that ends in the bits `last`, and then `tail`, is rounded away from 0."""
    if rounding == NEAREST:
        return tail > TOP_BIT - (last & 1)
    return rounding == UP + sign and tail != 0


@kernel
def reaches_normal(
    high: uint64, low: uint64, precision: int32, rounding: int32, sign: int32
) -> bool:
    """Whether rounding to so many bits, whatever the exponent, gives the next power of two."""
    cut = uint64(64 - precision)
    kept = high >> cut
    ones = kept == uint64(ALL_ONES) >> cut
    return ones and grows(kept, tail_below(high, low, cut), rounding, sign)


@kernel
def rounded(
    high: uint64, low: uint64, exponent: int32, sign: int32,
    precision: int32, least: int32, most: int32, rounding: int32, flush: int32,
) -> tuple[uint64, int32, int32]:  # fmt: skip
    """The mantissa `high`, its top bit set, with `low` behind it, rounded once to a wide value.

    The last bit of `low` may stand for all bits that follow. `sign` is 0 or 1.
    """
    if flush != KEPT and exponent < least:
        if flush == FLUSHED_BEFORE or exponent + 1 != least:
            return uint64(0), int32(0), sign
        if not reaches_normal(high, low, precision, rounding, sign):
            return uint64(0), int32(0), sign
    drop = 64 - precision + max(least - exponent, 0)
    cut = uint64(min(drop, 65))
    kept = high >> cut
    if grows(kept, tail_below(high, low, cut), rounding, sign):
        kept += 1
        if kept == 0:
            kept = uint64(TOP_BIT)
            exponent += 1
    if kept == 0:
        return uint64(0), int32(0), sign
    zeros = clz(kept)
    exponent = exponent + drop - int32(zeros)
    if exponent <= most:
        return kept << zeros, exponent, FINITE | sign
    if rounding == NEAREST or rounding == UP + sign:
        return uint64(0), int32(0), INFINITE | sign
    return uint64(ALL_ONES) << uint64(64 - precision), most, FINITE | sign


@kernel
def round_wide(
    mantissa: uint64, exponent: int32, kind: int32,
    precision: int32, least: int32, most: int32, rounding: int32, flush: int32,
) -> tuple[uint64, int32, int32]:  # fmt: skip
    """A wide value rounded to another format."""
    if kind & FINITE == 0:
        return mantissa, exponent, kind
    return rounded(mantissa, 0, exponent, kind & NEGATIVE, precision, least, most, rounding, flush)


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
    """An operand, or a zero of its sign where it is subnormal and inputs are flushed."""
    if flush_inputs != 0 and exponent < least and kind & FINITE != 0:
        return uint64(0), int32(0), kind & NEGATIVE
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
