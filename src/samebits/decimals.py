"""Fixed-point numbers written as decimal text: shortest and exact.

A number is an integer that counts steps of 2^-fraction.
"""

from __future__ import annotations

from fractions import Fraction


def shortest(steps: int, fraction: int) -> str:
    """The text of fewest digits that is read back as the number, nearest to it among those."""
    size = abs(steps)
    for places in range(1, fraction + 1):
        scaled = round(Fraction(size * 10**places, 1 << fraction))
        if round(Fraction(scaled << fraction, 10**places)) == size:
            return _text(steps < 0, scaled, places)
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
