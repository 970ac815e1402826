"""Enclosures of real functions of one variable and of many small errors.

An expansion over a cell is a polynomial in t, -1 ≤ t ≤ 1, plus a sum of errors, each times a
polynomial in t. Everything is in balls of arbitrary precision (Arb, by python-flint), so what an
operation leaves out is in the ball of a constant term: an expansion encloses, whatever happens.

Of two variables, one may be a factor alone, a length: where it has another value, all that is
computed is as many times as large, or its square, and so on. Such an expansion is in powers of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from flint import arb, arb_poly, arb_series, ctx  # Arb: ball arithmetic with proven error bounds

ctx.prec = 320
DEGREE = 18
"""Of polynomials; what is above goes into a ball."""
FACTOR_DEGREE = 6
"""The same of the factors of errors."""
ctx.cap = DEGREE + 4
PIECES = 32
"""Into which [-1, 1] is cut where a polynomial is to be bounded closely."""

Ball = Any
"""An `arb`: the package has no types for its operators."""
Polynomial = Any
"""An `arb_poly`."""
Series = Callable[[Any], Any]
"""A function of power series, such as `arb_series.exp`."""
UNIT = arb(0, 1)
ONE = arb(1)


@dataclass(frozen=True, eq=False, slots=True)
class Error:
    """An unknown number of units, `bound` at most in magnitude; `name` says of which operation."""

    bound: Ball
    name: str
    ball: Ball = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ball", UNIT * self.bound)


def magnitude(ball: Ball) -> Ball:
    """The least known upper bound of a ball's magnitudes, as an exact number."""
    return arb(ball.abs_upper())


def product_range(a: Ball, b: Ball) -> Ball:
    """An enclosure of the products of what is in two balls, closer than `a * b` where they are
    wide."""
    ends = [arb(x) * arb(y) for x in (a.lower(), a.upper()) for y in (b.lower(), b.upper())]
    found = ends[0]
    for end in ends[1:]:
        found = found.union(end)
    return found


class UnitError(Exception):
    """What depends on how long a length is."""


@dataclass(frozen=True)
class Unit:
    """What an expansion counts: a power of a length that is between two positive numbers."""

    power: int = 0
    low: float = 1.0
    high: float = 1.0

    def __mul__(self, other: Unit) -> Unit:
        if self.power and other.power and (self.low, self.high) != (other.low, other.high):
            raise UnitError("two lengths")
        of = self if self.power else other
        return of.to(self.power + other.power)

    def to(self, power: int) -> Unit:
        """This power of the same length."""
        return Unit(power, self.low, self.high) if power else NO_UNIT

    @property
    def range(self) -> Ball:
        return (arb(self.low) ** self.power).union(arb(self.high) ** self.power)

    @property
    def least(self) -> Ball:
        """The least that the power is."""
        return arb(self.range.abs_lower())


NO_UNIT = Unit()


@dataclass(frozen=True, eq=False)
class Expansion:
    """A polynomial of t, and each error's factor, times the unit."""

    polynomial: Polynomial
    errors: dict[Error, Polynomial] = field(default_factory=dict[Error, Polynomial])
    unit: Unit = NO_UNIT

    @staticmethod
    def of_ends(middle: Ball, radius: Ball) -> Expansion:
        """middle + radius·t."""
        return Expansion(arb_poly([middle, radius]))

    @staticmethod
    def constant(value: Ball) -> Expansion:
        return Expansion(arb_poly([value]))

    @staticmethod
    def error(bound: Ball, name: str, unit: Unit = NO_UNIT) -> Expansion:
        """An unknown number of magnitude `bound` at most."""
        error = Error(bound if unit is NO_UNIT else magnitude(bound / unit.least), name)
        return Expansion(arb_poly([]), {error: arb_poly([1])}, unit)

    @property
    def is_zero(self) -> bool:
        return self.polynomial.degree() < 0 and not self.errors

    def __add__(self, other: Expansion) -> Expansion:
        return self.plus(other, ONE)

    def __sub__(self, other: Expansion) -> Expansion:
        return self.plus(other, arb(-1))

    def plus(self, other: Expansion, factor: Ball) -> Expansion:
        """self + factor·other; UnitError where they count different units."""
        return Expansion.sum([(self, ONE), (other, factor)])

    @staticmethod
    def sum(terms: Iterable[tuple[Expansion, Ball]]) -> Expansion:
        """The sum of expansions times factors; UnitError where they count different units."""
        unit: Unit | None = None
        polynomial = arb_poly([])
        errors: dict[Error, Polynomial] = {}
        for term, factor in terms:
            if term.is_zero:
                continue
            if unit is None:
                unit = term.unit
            elif unit is not term.unit and unit != term.unit:
                raise UnitError("a sum of different units")
            once = factor is ONE or factor == 1
            for error, c in term.errors.items():
                part = c if once else factor * c
                errors[error] = errors[error] + part if error in errors else part
            polynomial = polynomial + (term.polynomial if once else factor * term.polynomial)
        return Expansion(polynomial, errors, unit or NO_UNIT)

    def scaled(self, factor: Ball) -> Expansion:
        errors = {error: c * factor for error, c in self.errors.items()}
        return Expansion(self.polynomial * factor, errors, self.unit)

    def __mul__(self, other: Expansion) -> Expansion:
        product = _cut(self.polynomial * other.polynomial, DEGREE)
        if self.errors and other.errors:
            product = product + self._whole_spread * other._whole_spread
        errors: dict[Error, Polynomial] = {}
        for one, there in ((self, other), (other, self)):
            if one.errors:
                factor = _cut(there.polynomial, FACTOR_DEGREE)
                for error, c in one.errors.items():
                    part = _cut(c * factor, FACTOR_DEGREE)
                    errors[error] = errors[error] + part if error in errors else part
        unit = self.unit if self.unit is other.unit is NO_UNIT else self.unit * other.unit
        return Expansion(product, errors, unit)

    @cached_property
    def _whole_spread(self) -> Ball:
        """An enclosure of the errors' sum all over the cell."""
        return self._spread_at(UNIT)

    def _spread_at(self, t: Ball) -> Ball:
        """An enclosure of the errors' sum over a piece of the cell."""
        total = arb(0)
        for error, c in self.errors.items():
            total += c(t) * error.ball
        return total

    def range(self) -> Ball:
        """An enclosure of the whole."""
        return self._range

    @cached_property
    def _range(self) -> Ball:
        found = self.polynomial(UNIT) + self._whole_spread
        return found if self.unit is NO_UNIT else product_range(found, self.unit.range)

    def ends(self) -> tuple[Ball, Ball] | None:
        """Exact numbers between which it is, where a line: balls have radii of 30 bits."""
        if self.polynomial.degree() > 1:
            return None
        at, slope = self.polynomial[0], magnitude(self.polynomial[1])
        spread = slope + magnitude(self._whole_spread)
        low, high = arb((at - spread).lower()), arb((at + spread).upper())
        corners = [end * arb(u) ** self.unit.power for end in (low, high)
                   for u in (self.unit.low, self.unit.high)]  # fmt: skip
        lows, highs = [arb(c.lower()) for c in corners], [arb(c.upper()) for c in corners]
        return min(lows), max(highs)

    def pieces(self) -> list[Ball]:
        """Closer enclosures over the pieces of the cell, counted in units."""
        return self._pieces

    @cached_property
    def _pieces(self) -> list[Ball]:
        return [self.polynomial(t) + self._spread_at(t) for t in _CUT]

    def inverse(self) -> Expansion:
        return self._of(lambda s: s.inv(), self.unit.to(-self.unit.power))

    def root(self) -> Expansion:
        """The square root; UnitError of an odd power of a length."""
        if self.unit.power % 2:
            raise UnitError("the root of an odd power")
        return self._of(arb_series.sqrt, self.unit.to(self.unit.power // 2))

    def of(self, function: Series) -> Expansion:
        """f of this; UnitError of what counts a unit."""
        if self.unit.power:
            raise UnitError("a function of a length")
        return self._of(function, NO_UNIT)

    def _of(self, function: Series, unit: Unit) -> Expansion:
        """f of how many units this is, by Taylor's formula about the middle of the constant term:
        of the errors, to first order with f' as their factor."""
        start = arb(self.polynomial[0].mid())
        change = self.polynomial - start
        whole = self.polynomial(UNIT) + self._whole_spread
        series = _taylor(function, start, DEGREE)
        last = _taylor(function, self.polynomial(UNIT), DEGREE + 1)[DEGREE + 1]
        rest = UNIT * magnitude(last) * magnitude(change(UNIT)) ** (DEGREE + 1)
        result = _composed(series, change, DEGREE) + rest
        if not self.errors:
            return Expansion(result, unit=unit)
        slopes = [n * c for n, c in enumerate(_taylor(function, start, FACTOR_DEGREE + 1))][1:]
        last = _taylor(function, self.polynomial(UNIT), FACTOR_DEGREE + 2)[-1]
        rest = UNIT * magnitude(last) * magnitude(change(UNIT)) ** (FACTOR_DEGREE + 1)
        slope = _composed(slopes, _cut(change, FACTOR_DEGREE), FACTOR_DEGREE)
        slope = slope + rest * (FACTOR_DEGREE + 2)
        spread = self._whole_spread
        bend = _taylor(function, whole, 2)[2] * (spread * spread)
        errors = {error: _cut(c * slope, FACTOR_DEGREE) for error, c in self.errors.items()}
        return Expansion(result + bend, errors, unit)


def _cut(p: Polynomial, degree: int) -> Polynomial:
    """An enclosure of a polynomial by one that has this degree at most."""
    if p.degree() <= degree:
        return p
    coefficients = p.coeffs()
    rest = arb_poly(coefficients[degree + 1 :])(UNIT) * UNIT
    return arb_poly(coefficients[: degree + 1]) + rest


def _composed(series: list[Ball], p: Polynomial, degree: int) -> Polynomial:
    result = arb_poly([series[-1]])
    for c in reversed(series[:-1]):
        result = _cut(result * p, degree) + c
    return result


_CUT = [arb(-1) + arb(2 * k + 1) / PIECES + UNIT / PIECES for k in range(PIECES)]
"""The pieces of [-1, 1]."""


def _taylor(function: Series, at: Ball, degree: int) -> list[Ball]:
    series = function(arb_series([at, arb(1)], prec=degree + 1))
    found = [arb(c) for c in series.coeffs()[: degree + 1]]
    return found + [arb(0)] * (degree + 1 - len(found))
