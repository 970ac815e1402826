"""Scalars as other programs write them: bits, values, decimal text with too few digits for bits.

Owns which numbers a decimal text may stand for. Knows nothing of files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import isinf, isnan, nextafter

from samebits.bits import CANONICAL_NAN, bits_to_float, float_to_bits
from samebits.types import BOOL, FLOAT16, FixedPointType, ScalarType

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
_BITS = re.compile(r"0[xX]([0-9a-fA-F]+)")
_SPECIAL = re.compile(r"([+-]?)(nan|inf)(?:inity)?(?:\([^)]*\))?", re.IGNORECASE)
_BOOLS = {"true": 1, "false": 0, "1": 1, "0": 0}
_LONGEST = 1100
"""Characters of a number: float64 has 1,074 behind the point at most."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a file says of a scalar: a bit pattern; `text` where that is the nearest to a decimal
    text, and not more than that is known."""

    pattern: int
    text: str = ""


def told(t: ScalarType, value: object) -> Told:
    """A scalar of type `t` as JSON or text has it. Raises ValueError: what is wrong, what to write
    instead."""
    if isinstance(value, bool):
        value = str(value).lower()
    if value is None:
        raise ValueError("is null", 'write "nan" or "inf" as text where JSON has no number')
    if not isinstance(value, str):
        raise ValueError(f"is no {t.name}", _FIX)
    text = value.strip()
    if bits := _BITS.fullmatch(text):
        return Told(_canonical(t, _pattern(t, bits[1])))
    if t == BOOL:
        if text.lower() not in _BOOLS:
            raise ValueError(f"is {text[:40]!a}, and the field is a bool", "write true or false")
        return Told(_BOOLS[text.lower()])
    if _is_real(t) and (special := _SPECIAL.fullmatch(text)):
        return Told(_special(t, special[1] == "-", special[2].lower()))
    if len(text) > _LONGEST or not _NUMBER.fullmatch(text):
        raise ValueError(f"is {text[:40]!a}, and the field is {t.name}", _FIX)
    return _number(t, text)


_FIX = 'write a number, or its bits as text, such as "0x3f800000"'


def _is_real(t: ScalarType) -> bool:
    return t.is_ieee or t == FLOAT16


def _pattern(t: ScalarType, digits: str) -> int:
    found = int(digits, 16) if len(digits) <= 16 else 1 << 64
    if found >> (8 * t.size):
        raise ValueError(
            f"is 0x{digits[:20]}, and the field is {t.name}, which has {8 * t.size} bits",
            f"write {2 * t.size} hexadecimal digits",
        )
    return found


def _canonical(t: ScalarType, pattern: int) -> int:
    """The pattern as states have it: one NaN, and bools of 0 and 1."""
    if t == BOOL:
        return int(pattern != 0)
    if _is_real(t) and isnan(bits_to_float(pattern, t.bits)):
        return CANONICAL_NAN[t.bits]
    return pattern


def _special(t: ScalarType, is_negative: bool, what: str) -> int:
    if what == "nan":
        return CANONICAL_NAN[t.bits]
    return float_to_bits(-float("inf") if is_negative else float("inf"), t.bits)


def _number(t: ScalarType, text: str) -> Told:
    exact = Fraction(text)
    if isinstance(t, FixedPointType):
        steps = round(exact * (1 << t.fraction))
        return Told(_in_range(t, steps, text), text)
    if _is_real(t):
        return Told(_nearest(t, text, exact), text)
    if exact.denominator != 1:
        raise ValueError(f"is {text[:40]}, and the field is {t.name}", "write a whole number")
    return Told(_in_range(t, int(exact), text))


def _in_range(t: ScalarType, number: int, text: str) -> int:
    if not t.minimum <= number <= t.maximum:
        raise ValueError(
            f"is {text[:40]}, which {t.name} does not hold", "dump the field of this simulation"
        )
    return number & ((1 << t.bits) - 1)


def _nearest(t: ScalarType, text: str, exact: Fraction) -> int:
    """The bits of the nearest float, ties to even, rounded once."""
    value = float(text)
    if not isinf(value) and Fraction(value) != exact and not _is_odd(value):
        # A float64 rounded to odd keeps on which side of a tie of a narrower type the text is.
        toward = float("inf") if exact > Fraction(value) else -float("inf")
        value = value if t.bits == 64 else nextafter(value, toward)
    try:
        pattern = float_to_bits(value, t.bits)
    except OverflowError:
        pattern = float_to_bits(float("inf"), t.bits)
    if isinf(bits_to_float(pattern, t.bits)):
        raise ValueError(f"is {text[:40]}, which is beyond {t.name}", 'write "inf" for infinity')
    return pattern


def _is_odd(value: float) -> bool:
    return bool(float_to_bits(value, 64) & 1)


class Rounding:
    """How far the decimal texts of one file may be from what was there: by the digits that they
    have, or by those of the longest of them, since many programs leave out zeros at the end."""

    def __init__(self, texts: Iterable[tuple[ScalarType, str]]) -> None:
        found: dict[ScalarType, list[Decimal]] = {}
        for t, text in texts:
            found.setdefault(t, []).append(Decimal(text))
        self._digits = {
            t: max(len(number.as_tuple().digits) for number in numbers)
            for t, numbers in found.items()
        }
        self._is_fixed = {t: _are_fixed(numbers) for t, numbers in found.items()}

    def is_exact(self, t: ScalarType, told: Told) -> bool:
        """Whether nothing but the bits of `told` may have been written as its text."""
        beside = [told.pattern - 1, told.pattern + 1]
        last = (1 << t.bits) - 1
        return not any(self.may_be(t, told.text, each) for each in beside if 0 <= each <= last)

    def may_be(self, t: ScalarType, text: str, pattern: int) -> bool:
        """Whether a bit pattern may have been written as this text."""
        value = _value(t, pattern)
        if value is None:
            return False
        return abs(value - Fraction(text)) <= self._unit(t, Decimal(text)) / 2

    def _unit(self, t: ScalarType, number: Decimal) -> Fraction:
        last = _last_place(number)
        if not self._is_fixed[t]:
            if not number:
                return Fraction(0)
            last = number.adjusted() - self._digits[t] + 1
        return Fraction(10) ** last


def _last_place(number: Decimal) -> int:
    place = number.as_tuple().exponent
    assert isinstance(place, int)
    return place


def _are_fixed(numbers: Iterable[Decimal]) -> bool:
    """Whether all numbers have as many digits behind the point, as `%.6f` writes them."""
    places = {_last_place(number) for number in numbers}
    return len(places) == 1 and min(places) < 0


def _value(t: ScalarType, pattern: int) -> Fraction | None:
    """The value of a bit pattern; None of NaN and infinity."""
    if isinstance(t, FixedPointType):
        return Fraction(pattern - (pattern >> (t.bits - 1) << t.bits), 1 << t.fraction)
    value = bits_to_float(pattern, t.bits)
    return None if isnan(value) or isinf(value) else Fraction(value)
