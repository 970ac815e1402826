"""Software floating point of any precision: exact operations on integers, rounded separately.

Owns formats, rounding in four directions and both rules of flushing. Knows nothing of expressions.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import Literal, NamedTuple

Rounding = Literal["nearest", "up", "down", "zero"]
Flush = Literal["no", "before", "after"]
"""When a subnormal result becomes zero: never; if its exact value is tiny, as on ARM; or if it is
still tiny after rounding with an unbounded exponent, as on x86."""


class Number(NamedTuple):
    """A sign and `mantissa` × 2^`exponent`, an infinity, or a NaN with `mantissa` as its payload.

    A finite number is exact, or its last bit is sticky, far below any format's precision.
    """

    negative: bool
    mantissa: int
    exponent: int = 0
    kind: Literal["finite", "infinite", "nan"] = "finite"

    @property
    def is_nan(self) -> bool:
        return self.kind == "nan"

    @property
    def is_zero(self) -> bool:
        return self.kind == "finite" and not self.mantissa

    @property
    def signed(self) -> int:
        """The mantissa with its sign."""
        return -self.mantissa if self.negative else self.mantissa


@dataclass(frozen=True, slots=True)
class Format:
    """A binary format: bits of the significand, the least subnormal number's exponent, the first
    exponent beyond the largest number, and the width in memory, 0 if it has no encoding here."""

    name: str
    precision: int
    least: int
    limit: int
    bits: int = 0

    @property
    def smallest_normal(self) -> int:
        """The exponent of the smallest normal number."""
        return self.least + self.precision - 1


FLOAT16 = Format("float16", 11, -24, 16, 16)
BFLOAT16 = Format("bfloat16", 8, -133, 128, 16)
FLOAT32 = Format("float32", 24, -149, 128, 32)
FLOAT64 = Format("float64", 53, -1074, 1024, 64)
X87_64 = Format("80-bit", 64, -16445, 16384)
X87_53 = Format("x87 with 53-bit precision", 53, -16434, 16384)
X87_24 = Format("x87 with 24-bit precision", 24, -16405, 16384)
FORMATS = {"float16": FLOAT16, "float32": FLOAT32, "float64": FLOAT64}
"""The formats of expressions, by name."""

QUIET = 1 << 62
"""The quiet bit in a NaN's payload."""
NAN = Number(False, QUIET, 0, "nan")
"""The canonical NaN."""
_WORKING = 160
"""Bits of a quotient or root before its sticky bit: twice what any format here keeps."""


def zero(negative: bool = False) -> Number:
    return Number(negative, 0)


def infinity(negative: bool = False) -> Number:
    return Number(negative, 0, 0, "infinite")


def from_bits(pattern: int, form: Format) -> Number:
    """The number with a bit pattern; NaN keeps its sign, and its payload from the top bit down."""
    fraction_bits = form.precision - 1
    negative = bool(pattern >> (form.bits - 1))
    fraction = pattern & ((1 << fraction_bits) - 1)
    biased = (pattern >> fraction_bits) & ((1 << (form.bits - form.precision)) - 1)
    if biased == (1 << (form.bits - form.precision)) - 1:
        if not fraction:
            return infinity(negative)
        # The payload as 63 bits for every format, the quiet bit first.
        return Number(negative, fraction << (63 - fraction_bits), 0, "nan")
    if biased:
        return Number(negative, fraction | 1 << fraction_bits, biased - 1 + form.least)
    return Number(negative, fraction, form.least)


def to_bits(x: Number, form: Format) -> int:
    """The bit pattern of a number of the format. NaN becomes quiet if its payload does not fit."""
    sign = int(x.negative) << (form.bits - 1)
    fraction_bits = form.precision - 1
    top = ((1 << (form.bits - form.precision)) - 1) << fraction_bits
    if x.kind == "infinite":
        return sign | top
    if x.kind == "nan":
        return sign | top | (x.mantissa >> (63 - fraction_bits) or 1 << (fraction_bits - 1))
    mantissa, exponent = x.mantissa, x.exponent
    if not mantissa:
        return sign
    shift = mantissa.bit_length() - form.precision
    shift = max(shift, form.least - exponent)
    mantissa = mantissa >> shift if shift >= 0 else mantissa << -shift
    exponent += shift
    if mantissa >> fraction_bits:
        return sign | ((exponent - form.least) << fraction_bits) + mantissa
    return sign | mantissa


def rounded(x: Number, form: Format, rounding: Rounding = "nearest", flush: Flush = "no") -> Number:
    """`x` in the format, rounded once."""
    negative, magnitude, exponent, kind = x
    if kind != "finite" or not magnitude:
        return x
    length = magnitude.bit_length()
    if flush != "no" and length + exponent <= (normal := form.smallest_normal):
        if flush == "before":
            return zero(negative)
        free = _shortened(magnitude, exponent, length - form.precision, negative, rounding)
        if free[0].bit_length() + free[1] <= normal:
            return zero(negative)
    drop = length - form.precision
    if drop < form.least - exponent:
        drop = form.least - exponent
    if drop > 0:
        magnitude, exponent = _shortened(magnitude, exponent, drop, negative, rounding)
    if magnitude.bit_length() + exponent > form.limit:
        grows = {"nearest": True, "up": not negative, "down": negative, "zero": False}[rounding]
        if grows:
            return infinity(negative)
        return Number(negative, (1 << form.precision) - 1, form.limit - form.precision)
    return _plain(negative, magnitude, exponent)


def _plain(negative: bool, magnitude: int, exponent: int) -> Number:
    """The number with an odd mantissa, so that equal numbers are equal tuples."""
    if not magnitude:
        return zero(negative)
    low = (magnitude & -magnitude).bit_length() - 1
    return Number(negative, magnitude >> low, exponent + low)


def _shortened(
    magnitude: int, exponent: int, drop: int, negative: bool, rounding: Rounding
) -> tuple[int, int]:
    if drop <= 0:
        return magnitude, exponent
    kept, rest = magnitude >> drop, magnitude & ((1 << drop) - 1)
    if rest:
        if rounding == "nearest":
            half = 1 << (drop - 1)
            kept += rest > half or (rest == half and kept & 1)
        elif rounding == "up":
            kept += not negative
        elif rounding == "down":
            kept += negative
    return kept, exponent + drop


def negated(x: Number) -> Number:
    return Number(not x.negative, x.mantissa, x.exponent, x.kind)


def added(a: Number, b: Number, rounding: Rounding = "nearest") -> Number:
    """a + b, exact; neither is NaN. A zero sum has the sign that IEEE 754 requires."""
    if a.kind == "infinite" or b.kind == "infinite":
        if a.kind == b.kind and a.negative != b.negative:
            return NAN
        return a if a.kind == "infinite" else b
    if not (a.mantissa or b.mantissa):
        return zero(a.negative if a.negative == b.negative else rounding == "down")
    exponent = min(a.exponent, b.exponent)
    total = (a.signed << (a.exponent - exponent)) + (b.signed << (b.exponent - exponent))
    if not total:
        return zero(rounding == "down")
    return Number(total < 0, abs(total), exponent)


def multiplied(a: Number, b: Number) -> Number:
    """a × b, exact; neither is NaN."""
    negative = a.negative != b.negative
    if a.kind == "infinite" or b.kind == "infinite":
        return NAN if a.is_zero or b.is_zero else infinity(negative)
    return Number(negative, a.mantissa * b.mantissa, a.exponent + b.exponent)


def divided(a: Number, b: Number) -> Number:
    """a ÷ b, exact or with a sticky last bit; neither is NaN."""
    negative = a.negative != b.negative
    if a.kind == "infinite":
        return NAN if b.kind == "infinite" else infinity(negative)
    if b.kind == "infinite":
        return zero(negative)
    if not b.mantissa:
        return infinity(negative) if a.mantissa else NAN
    shift = max(0, _WORKING + b.mantissa.bit_length() - a.mantissa.bit_length())
    quotient, rest = divmod(a.mantissa << shift, b.mantissa)
    return Number(negative, quotient | (rest != 0), a.exponent - b.exponent - shift)


def square_root(x: Number) -> Number:
    """√x, exact or with a sticky last bit; x is not NaN."""
    if x.is_zero:
        return x
    if x.negative:
        return NAN
    if x.kind == "infinite":
        return x
    shift = 2 * _WORKING + (x.exponent & 1)
    root = isqrt(x.mantissa << shift)
    inexact = root * root != x.mantissa << shift
    return Number(False, root | inexact, (x.exponent - shift) // 2)


def compare(a: Number, b: Number) -> int:
    """−1, 0 or 1 as a < b, a = b or a > b; zeros are equal, neither is NaN."""
    difference = added(a, negated(b))
    # Equal infinities have no difference.
    if difference.is_nan or difference.is_zero:
        return 0
    return -1 if difference.negative else 1
