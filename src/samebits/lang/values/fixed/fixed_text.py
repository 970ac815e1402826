"""Decimal text read as fixed-point numbers, exactly; `samebits.decimals` writes it.

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
