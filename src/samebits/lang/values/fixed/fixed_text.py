"""Fixed-point numbers as decimal text: exact reading, shortest and exact writing.

Owns the grammar of the text. A number is an integer that counts steps of 2^-fraction.
"""

from __future__ import annotations

import re
from fractions import Fraction

from samebits.errors import ArgumentError

MAX_LENGTH = 400
"""Longest text that is read."""

_NUMBER = re.compile(r"([+-]?)(\d+)(?:\.(\d*))?|([+-]?)\.(\d+)", re.ASCII)


def parse(text: str, fraction: int) -> int:
    """The step nearest to a decimal number, ties to even: `"-12.375"`, `".5"`, `"3"`.

    Digits with an optional sign and point, no exponent. Raises ArgumentError for any other text
    and for more than 400 characters.
    """
    found = _NUMBER.fullmatch(text) if len(text) <= MAX_LENGTH else None
    if found is None:
        raise ArgumentError(
            f"{text!r:.60} is no decimal number", fix='write digits and a point, such as "-0.25"'
        )
    sign = found[1] or found[4]
    digits = found[3] or found[5] or ""
    whole = int((found[2] or "0") + digits)
    steps = round(Fraction(whole << fraction, 10 ** len(digits)))
    return -steps if sign == "-" else steps


def shortest(steps: int, fraction: int) -> str:
    """The text of fewest digits that `parse` reads back, nearest to the number among those."""
    size = abs(steps)
    for places in range(1, fraction + 1):
        scaled = round(Fraction(size * 10**places, 1 << fraction))
        text = _text(steps < 0, scaled, places)
        if parse(text, fraction) == steps:
            return text
    return exact(steps, fraction)


def exact(steps: int, fraction: int) -> str:
    """All digits of the number: at most `fraction` behind the point."""
    scaled = abs(steps) * 5**fraction
    text = _text(steps < 0, scaled, fraction)
    whole, _, digits = text.partition(".")
    return f"{whole}.{digits.rstrip('0') or '0'}"


def _text(negative: bool, scaled: int, places: int) -> str:
    whole, digits = divmod(scaled, 10**places)
    return f"{'-' * negative}{whole}.{digits:0{places}d}"
