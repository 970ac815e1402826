"""`f32("…")`: decimal text as float32, rounded once.

`float32(0.1)` rounds twice: Python reads 0.1 as float64, and that is rounded to float32. The two
differ for some decimal numbers that are nearer to the middle of two float32 numbers than any other
float64 is.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction

from samebits.bits import round_scaled
from samebits.errors import ArgumentError, folding
from samebits.lang.values.environment import in_default_environment
from samebits.lang.values.scalars import float32

MAX_LENGTH = 400
"""Longest text that is read."""

_DECIMAL = re.compile(r"([+-]?)(?=\.?\d)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?", re.ASCII)
_FARTHEST = 4 * MAX_LENGTH
"""An exponent beyond it gives what this one gives: 0 or too large, whatever the digits."""
_EXTRA_BITS = 64
"""Of the quotient, more than binary32 has; whether something is left decides ties."""


@folding
@in_default_environment
def f32(text: str) -> float32:
    """The float32 nearest to a decimal number, ties to even: `f32("0.1")`, `f32("-6.02e23")`.

    Digits with an optional sign, point and exponent; what is too small gives a subnormal number
    or a zero of its sign. Raises ArgumentError for any other text, for more than
    400 characters, and for numbers that round beyond the largest float32, 3.4028235e38.
    """
    return float32(nearest(text))


def nearest(text: object) -> float:
    """The same as a Python float, which has every float32."""
    if isinstance(text, str) and len(text) > MAX_LENGTH:
        raise ArgumentError(
            f"{text!r:.60}… has {len(text)} characters; f32() takes {MAX_LENGTH} at most",
            fix="write fewer digits",
        )
    found = _DECIMAL.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        raise ArgumentError(
            f"{text!r:.60} is no decimal number" if isinstance(text, str)
            else f"f32() takes text, got {type(text).__name__}",
            fix='write digits in quotes, such as f32("-0.25") or f32("1e-3"); of a number x write '
            "float32(x)",
        )  # fmt: skip
    sign, whole, places, power = found.groups(default="")
    shift = max(-_FARTHEST, min(int(power or 0), _FARTHEST)) - len(places)
    exact = int(whole + places) * Fraction(10) ** shift
    bits = _EXTRA_BITS + max(0, exact.denominator.bit_length() - exact.numerator.bit_length())
    quotient, rest = divmod(exact.numerator << bits, exact.denominator)
    size = round_scaled(quotient << 1 | (rest != 0), -bits - 1, 32)
    if size == math.inf:
        raise ArgumentError(
            f"{text!r:.60} is beyond the largest float32, 3.4028235e38",
            fix="write float32(math.inf) for infinity",
        )
    return -size if sign == "-" else size
