"""Computed floats: what each is exactly, in terms of real functions and rounding errors.

A number's form is a sum with rational factors of atoms, which are the cell's variables, results of
products, quotients and roots before they are rounded, and rounding errors. Sums and differences
cancel in it as they do in real arithmetic: `q - (u - x)` of `u = x + q` is the error of that sum.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from math import frexp
from typing import Any

from flint import arb, fmpq
from tools.prove.rounding import expansions
from tools.prove.rounding.expansions import NO_UNIT, Ball, Expansion, Unit, magnitude


@dataclass(frozen=True, eq=False)
class Atom:
    """A real function over the cell, or an error: what it is, enclosed."""

    expansion: Expansion
    name: str = ""
    is_float: bool = False
    """Whether its value is a float: a variable's, or the error of a sum."""
    given: tuple[Fraction, Fraction] | None = None
    """Of a variable: its ends."""

    @cached_property
    def interval(self) -> tuple[Fraction, Fraction]:
        """Its least and greatest value, exact for a variable and an error."""
        if self.given is not None:
            return self.given
        found = self.expansion.range()
        return fraction(found.lower()), fraction(found.upper())

    @cached_property
    def ends(self) -> tuple[Any, Any]:
        """The same as `fmpq`s, whose sums are ten times as fast as Python's."""
        low, high = self.interval
        return fmpq(low.numerator, low.denominator), fmpq(high.numerator, high.denominator)

    def __repr__(self) -> str:
        return self.name


def error_atom(bound: Ball, name: str, *, is_float: bool = False, unit: Unit = NO_UNIT) -> Atom:
    """An unknown number of magnitude `bound` at most."""
    return Atom(Expansion.error(bound, name, unit), name, is_float)


ONE = Atom(Expansion.constant(arb(1)), "1")
Form = Mapping[Atom, Fraction]


def combined(a: Form, b: Form, factor: Fraction) -> Form:
    """a + factor·b."""
    out = dict(a)
    for atom, c in b.items():
        term = c if factor == 1 else -c if factor == -1 else factor * c
        if atom not in out:
            total = term
        else:
            total = out[atom] + term
        if total:
            out[atom] = total
        else:
            out.pop(atom, None)
    return out


def ball(value: Fraction) -> Ball:
    """An enclosure of a rational number, exact where it is dyadic."""
    if value.denominator == 1:
        return expansions.ONE if value.numerator == 1 else arb(value.numerator)
    return arb(fmpq(value.numerator, value.denominator))


def fraction(exact: Ball) -> Fraction:
    """A ball without a radius as a rational number."""
    mantissa, e = map(int, exact.mid().man_exp())
    return Fraction(mantissa << e) if e >= 0 else Fraction(mantissa, 1 << -e)


def interval(form: Form, whole: Expansion) -> tuple[Fraction, Fraction]:
    """Between what a form is, without the rounding of balls: each atom being anywhere, and where
    their sum `whole` is a line, on it."""
    low = high = fmpq(0)
    for atom, c in form.items():
        factor = fmpq(c.numerator, c.denominator)
        one, other = (factor * end for end in atom.ends)
        if factor < 0:
            one, other = other, one
        low, high = low + one, high + other
    ends = Fraction(int(low.p), int(low.q)), Fraction(int(high.p), int(high.q))
    line = whole.ends()
    if line is not None:
        return max(ends[0], fraction(line[0])), min(ends[1], fraction(line[1]))
    return ends


def unit_of(form: Form) -> Unit:
    """Of the first atom: all have the same."""
    return next((atom.expansion.unit for atom in form), NO_UNIT)


def expanded(form: Form) -> Expansion:
    """The sum; UnitError where its atoms count different units."""
    if len(form) == 1:
        ((atom, factor),) = form.items()
        if factor == 1:
            return atom.expansion  # with what is known of it already
    return Expansion.sum((atom.expansion, ball(c)) for atom, c in form.items())


def exponent(bound: Ball) -> int:
    """The least e found with bound ≤ 2^e; of 0, one below all floats."""
    if bound.is_zero():
        return -2000
    mantissa, e = arb(bound.abs_upper()).mid().man_exp()
    return int(e) + int(mantissa).bit_length() - (1 if _is_power(int(mantissa)) else 0)


def _is_power(n: int) -> bool:
    return n & (n - 1) == 0


def floor_exponent(bound: Ball) -> int | None:
    """The greatest e found with 2^e ≤ every magnitude in the ball; None where 0 may be in it."""
    low = bound.abs_lower()
    if not low > 0:
        return None
    mantissa, e = arb(low).mid().man_exp()
    return int(e) + int(mantissa).bit_length() - 1


@dataclass(frozen=True, eq=False)
class Number:
    """A float of the kernel. It is a multiple of 2^grid.

    `made` is the operation and its operands, of which some theorems speak."""

    form: Form
    grid: int
    made: tuple[object, ...] = ()
    error: Atom | None = None
    """What the operation's rounding added to it."""
    limit: Ball | None = None
    """A range known otherwise than by the form."""
    ends: tuple[float, float] | None = None
    """Floats between which it is; of a variable, the least and the greatest in the cell."""

    @cached_property
    def expansion(self) -> Expansion:
        return expanded(self.form)

    @cached_property
    def range(self) -> Ball:
        found = self.expansion.range()
        if self.ends is not None:
            low, high = self.ends
            return found.intersection(arb(low).union(arb(high)))
        if self.limit is not None:
            found = found.intersection(self.limit)
        return found

    @cached_property
    def size(self) -> Ball:
        """An upper bound of the magnitude."""
        size = magnitude(self.range)
        if self.ends is not None:
            return min(size, arb(max(map(abs, self.ends))))
        return size

    @cached_property
    def least(self) -> int | None:
        """The exponent of a lower bound of the magnitude, where it is not 0."""
        if self.ends is not None and (self.ends[0] > 0 or self.ends[1] < 0):
            return frexp(min(map(abs, self.ends)))[1] - 1
        return floor_exponent(self.range)

    def on(self, grid: int) -> Number:
        """The same number, known to be a multiple of 2^grid."""
        found = Number(self.form, grid, self.made, self.error, self.range, self.ends)
        found.expand(self.expansion)
        return found

    def expand(self, expansion: Expansion) -> None:
        """Keep what is known already to be the form's expansion."""
        self.__dict__["expansion"] = expansion

    @property
    def value(self) -> Fraction | None:
        """The number, where it is the same all over the cell."""
        if not self.form:
            return Fraction(0)
        if len(self.form) == 1 and ONE in self.form:
            return self.form[ONE]
        return None


@cache
def constant(value: float | Fraction) -> Number:
    """The same object for the same number."""
    exact = Fraction(value)
    if not exact:
        return Number({}, 2000, ends=(0.0, 0.0))
    bits = exact.denominator.bit_length() - 1
    grid = (exact.numerator & -exact.numerator).bit_length() - 1 - bits
    return Number({ONE: exact}, grid, ends=(float(exact), float(exact)))
