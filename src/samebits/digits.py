"""Numbers that a user types: digits from 0 to 9 alone, and the most frames of a run.

Python's int() and float() take the digits of every script, and underscores; what stands on a
command line is read the same way everywhere.
"""

from __future__ import annotations

MOST_FRAMES = 10**9
"""The most frames of one run: half a year at 60 frames a second."""
_LONGEST = 19
"""Digits of a whole number: as many as int64 has."""


def whole(text: str) -> int | None:
    """The whole number that the text writes, without a sign; None if it is none, or longer than 19
    digits."""
    if text.isascii() and text.isdecimal() and len(text) <= _LONGEST:
        return int(text)
    return None


def what_is_no_digit(text: str) -> str | None:
    """What keeps the text from being a number where Python's float() would take it, for a note."""
    if any(c.isdigit() and not c.isascii() for c in text):
        return "digits are 0 to 9; those of other scripts are not read"
    if "_" in text:
        return "a number has no underscores here"
    return None
