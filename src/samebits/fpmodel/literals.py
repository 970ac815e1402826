"""Numbers as a user writes them, bits in hex, hex floats or decimals, rounded once to a format."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

from samebits.errors import ArgumentError
from samebits.fpmodel.softfloat import (
    NAN,
    Format,
    Number,
    divided,
    from_bits,
    infinity,
    rounded,
    to_bits,
)

_BITS = re.compile(r"0x([0-9a-f]+)", re.IGNORECASE)
_HEX_FLOAT = re.compile(r"([+-]?)0x([0-9a-f]*)(?:\.([0-9a-f]*))?p([+-]?\d{1,6})", re.IGNORECASE)
_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,5})?", re.IGNORECASE)
_LONGEST = 2_000


@lru_cache(maxsize=256)
def exact(text: str) -> Number | None:
    """The value of a decimal or hex float before any rounding; None where it is neither."""
    if len(text) > _LONGEST:
        return None
    if match := _HEX_FLOAT.fullmatch(text):
        sign, whole, part, power = match.groups(default="")
        if not whole + part:
            return None
        return Number(sign == "-", int(whole + part, 16), int(power) - 4 * len(part))
    if _DECIMAL.fullmatch(text):
        # The exponent of five digits is refused below where it would make a huge integer.
        mantissa, _, power = text.lower().partition("e")
        if power and abs(int(power)) > _LONGEST:
            return None
        value = Fraction(text)
        number = divided(Number(False, abs(value.numerator)), Number(False, value.denominator))
        return number._replace(negative=mantissa.startswith("-"))
    return None


def pattern(text: str, form: Format, what: str) -> int:
    """The bits that `text` means in a format. Raises ArgumentError, about `what`, otherwise."""
    digits = form.bits // 4
    text = text.strip().replace("_", "")
    if match := _BITS.fullmatch(text):
        if len(match[1]) == digits:
            return int(match[1], 16)
        other = {4: "float16", 8: "float32", 16: "float64"}.get(len(match[1]))
        raise ArgumentError(
            f"{what} has {len(match[1])} hex digits, and the bits of a {form.name} are {digits}",
            fix=f"add `--type {other}`" if other else f"write 0x and {digits} digits",
        )
    sign, name = text.startswith("-"), text.lstrip("+-").lower()
    if name in ("inf", "infinity"):
        return to_bits(infinity(sign), form)
    if name == "nan":
        return to_bits(NAN._replace(negative=sign), form)
    number = exact(text)
    if number is None:
        raise ArgumentError(
            f"{what} is not a number: {text!r:.60}",
            fix=f"write its bits (0x and {digits} hex digits), a hex float (0x1.8p-3), a decimal "
            "(0.1), inf or nan",
        )
    return to_bits(rounded(number, form), form)


def value(text: str, form: Format, what: str) -> Number:
    """The number of the format that `text` means."""
    return from_bits(pattern(text, form, what), form)
