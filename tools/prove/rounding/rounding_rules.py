"""Rules of rounding: when an operation on floats is exact, and how far it rounds where it is not.

Each rule is a theorem about binary floating point with rounding to nearest; the numbers of digits
and the least exponent are the type's. Sources: Sterbenz 1974, Dekker 1971, Knuth 1969 (2Sum), and
Boldo, Graillat, Muller, "On the robustness of the 2Sum and Fast2Sum algorithms", ACM Transactions
on Mathematical Software 44(1), 2017.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import frexp

from flint import arb
from tools.prove.rounding.expansions import Ball, magnitude
from tools.prove.rounding.numbers import (
    Form,
    Number,
    combined,
    expanded,
    exponent,
    fraction,
    interval,
)


@dataclass(frozen=True)
class Format:
    """A binary type: `digits` of its significand, and the exponent of its least number."""

    digits: int
    least: int

    def half_ulp(self, size: Ball) -> Ball:
        """Half of the spacing of numbers up to `size`: how far rounding goes there. Up to half a
        spacing above a power of two, all is rounded down to that."""
        e = exponent(size)
        half = arb(2) ** (max(e - self.digits, self.least) - 1)
        above = size - arb(2) ** (e - 1)
        if e - self.digits > self.least and above <= half:
            return max(half / 2, magnitude(above))
        return half

    def rounded(
        self, exact: Ball, known: tuple[Fraction, Fraction] | None = None
    ) -> tuple[float, float] | None:
        """Between which numbers of the type rounds what is in a ball, and between two numbers
        where these are known; None where that overflows."""
        low, high = fraction(exact.lower()), fraction(exact.upper())
        if known is not None:
            low, high = max(low, known[0]), min(high, known[1])
        return self.rounded_ends(low, high)

    def rounded_ends(self, low: Fraction, high: Fraction) -> tuple[float, float] | None:
        """The same of two exact numbers."""
        try:
            return self.round(low), self.round(high)
        except OverflowError:
            return None

    def round(self, exact: Fraction) -> float:
        """The nearest number, ties to even; OverflowError beyond the greatest."""
        if self.digits == BINARY64.digits:
            return float(exact)
        if not exact:
            return 0.0
        e = exact.numerator.bit_length() - exact.denominator.bit_length() - 1
        unit = Fraction(2) ** max(e - self.digits, self.least)
        while abs(exact) >= unit * 2**self.digits:
            unit *= 2
        found = round(exact / unit) * unit
        if abs(found) >= Fraction(2) ** (3 - self.digits - self.least):
            raise OverflowError("beyond the greatest number")
        return float(found)

    def spacing(self, least: int) -> int:
        """The exponent of the spacing of numbers of at least 2^least."""
        return max(least - self.digits + 1, self.least)


BINARY64 = Format(53, -1074)
BINARY32 = Format(24, -149)


def is_exact_sum(
    format: Format, a: Number, b: Number, form: Form, size: Ball, sign: int
) -> str | None:
    """By which rule a ± b, of which `form` is the exact value, rounds nothing."""
    if not form:
        return "zero"
    if len(form) == 1:
        ((atom, factor),) = form.items()
        if abs(factor) == 1 and atom.is_float:
            return "a float, or the error of a rounded operation, which is one"
    grid = min(a.grid, b.grid)
    if exponent(size) <= format.digits + grid:
        return "few digits"
    if sign < 0 and _is_leading(format, a, b):
        return "fast two-sum"
    if sign < 0 and _is_leading(format, b, a):
        return "fast two-sum"
    return None


def is_absorbed(format: Format, a: Number, b: Number) -> bool:
    """Whether a ± b rounds to a, of which b is less than half a unit in the last place; or, should
    a be a power of two, at most half a unit of the numbers below."""
    least = a.least
    if least is None or least - format.digits - 1 < format.least or not b.form:
        return False
    unit = arb(2) ** (least - format.digits - 1)
    if a.ends is not None and min(map(abs, a.ends)) > 2.0**least:
        return bool(b.size < 2 * unit)
    return bool(b.size <= unit)


def _is_leading(format: Format, total: Number, part: Number) -> bool:
    """Whether `total - part` gives what of the other summand is in the sum `total`."""
    if not total.made or total.made[0] not in ("add", "sub"):
        return False
    _, first, second = total.made
    assert isinstance(first, Number)
    assert isinstance(second, Number)
    if part is first:
        other = second
    elif part is second and total.made[0] == "add":
        other = first
    else:
        return False
    return is_greater(format, part, other)


def is_greater(format: Format, a: Number, b: Number) -> bool:
    """Whether all over the cell |a| ≥ |b|, or a is a multiple of b's unit in the last place."""
    if not a.form or not b.form:
        return True
    if format.spacing(exponent(b.size)) <= a.grid:
        return True
    if b.ends is not None and format.spacing(frexp(max(map(abs, b.ends)))[1] - 1) <= a.grid:
        return True  # below a power of two, numbers are spaced more closely
    if a.least is not None and exponent(b.size) <= a.least:
        return True
    if a.range >= 0:
        turned = Fraction(-1)
    elif a.range <= 0:
        turned = Fraction(1)
    else:
        return False
    # |a| - b and |a| + b, each with what they have in common cancelled.
    upright = combined({}, a.form, -turned)
    sums = (combined(upright, b.form, sign) for sign in (Fraction(-1), Fraction(1)))
    wholes = ((form, expanded(form)) for form in sums)
    return all(whole.range() >= 0 or interval(form, whole)[0] >= 0 for form, whole in wholes)


def is_two_sum(x: Number, y: Number) -> Number | None:
    """The rounded sum s of which x + y is the error, as Knuth's algorithm finds it:
    (a - (s - (s - a))) + (b - (s - a))."""
    for da, db in ((x, y), (y, x)):
        if not (_is(da, "sub") and _is(db, "sub")):
            continue
        a, aa = da.made[1:]
        b, bb = db.made[1:]
        if not (_is(aa, "sub") and aa.made[2] is bb and _is(bb, "sub")):
            continue
        s = aa.made[1]
        if bb.made[1] is not s or bb.made[2] is not a or not _is(s, "add"):
            continue
        if {id(n) for n in s.made[1:]} == {id(a), id(b)}:
            return s
    return None


def is_two_difference(x: Number, y: Number) -> Number | None:
    """The rounded difference s = a - b of which x - y is the error: (a - (s - v)) - (b + v) with
    v = s - a, which is Knuth's algorithm for the sum of a and -b."""
    if not (_is(x, "sub") and _is(y, "add")):
        return None
    a, rest = x.made[1:]
    b, v = y.made[1:]
    if not (_is(rest, "sub") and rest.made[2] is v and _is(v, "sub")):
        return None
    s = rest.made[1]
    if v.made[1] is s and v.made[2] is a and _is(s, "sub") and s.made[1] is a and s.made[2] is b:
        return s
    return None


def _is(n: object, opcode: str) -> bool:
    return isinstance(n, Number) and bool(n.made) and n.made[0] == opcode


def rounding_bound(format: Format, size: Ball, *others: Number) -> Ball:
    """How far a result of at most `size` rounds: no further than to 0; a sum no further than to
    either summand."""
    bound = min(format.half_ulp(size), size)
    for other in others:
        if other.size < bound:
            bound = other.size
    return magnitude(bound)
