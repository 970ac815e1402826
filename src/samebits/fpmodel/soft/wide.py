"""Rounding of 128 bits to a format, with gradual underflow, overflow and both rules of flushing.

A format is three int32: `precision`, 11 to 64 bits, and the exponents of its smallest normal and
of its largest numbers, `least` and `most`. Knows nothing of where the bits come from.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.fpmodel.soft.kinds import (
    FINITE,
    FLUSHED_BEFORE,
    INFINITE,
    KEPT,
    NEAREST,
    NEGATIVE,
    TOP_BIT,
    UP,
)
from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import clz, max, min
from samebits.lang.values.scalars import int32, uint64

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
def operand_kind(exponent: int32, kind: int32, least: int32, flush_inputs: int32) -> int32:
    """The kind of an operand, that of a zero where it is subnormal and inputs are flushed."""
    if flush_inputs != 0 and exponent < least and kind & FINITE != 0:
        return kind & NEGATIVE
    return kind
