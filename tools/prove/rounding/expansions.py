"""Enclosures of real functions of one variable and of many small errors.

An expansion over a cell is a polynomial in t, -1 ≤ t ≤ 1, plus a sum of errors, each times a factor
between two bounds. Everything is in balls of arbitrary precision (Arb, by python-flint), so what an
operation leaves out is in the ball of the constant term: an expansion encloses, whatever happens.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from flint import arb, arb_series, ctx  # Arb: ball arithmetic with proven error bounds

ctx.prec = 320
DEGREE = 18
"""Of polynomials; what is above goes into a ball."""
ctx.cap = DEGREE + 4
PIECES = 64
"""Into which [-1, 1] is cut where a polynomial is to be bounded closely."""

Ball = Any
"""An `arb`: the package has no types for its operators."""
Series = Callable[[Any], Any]
"""A function of power series, such as `arb_series.exp`."""


@dataclass(frozen=True, eq=False, slots=True)
class Error:
    """An unknown number of magnitude `bound` at most; `name` says of which operation."""

    bound: Ball
    name: str


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


_UNIT = arb(0, 1)


@dataclass(frozen=True, eq=False)
class Expansion:
    """`coefficients` of t, constant first, and the factor of each error."""

    coefficients: tuple[Ball, ...]
    errors: dict[Error, Ball] = field(default_factory=dict[Error, Ball])

    @staticmethod
    def constant(value: Ball) -> Expansion:
        return Expansion((arb(value),))

    def __add__(self, other: Expansion) -> Expansion:
        return self.plus(other, arb(1))

    def __sub__(self, other: Expansion) -> Expansion:
        return self.plus(other, arb(-1))

    def plus(self, other: Expansion, factor: Ball) -> Expansion:
        """self + factor·other."""
        a, b = self.coefficients, other.coefficients
        n = max(len(a), len(b))
        out = [
            (a[i] if i < len(a) else arb(0)) + (factor * b[i] if i < len(b) else arb(0))
            for i in range(n)
        ]
        errors = dict(self.errors)
        for error, c in other.errors.items():
            errors[error] = errors[error] + factor * c if error in errors else factor * c
        return Expansion(tuple(out), errors)

    def scaled(self, factor: Ball) -> Expansion:
        return Expansion(
            tuple(c * factor for c in self.coefficients),
            {error: c * factor for error, c in self.errors.items()},
        )

    def __mul__(self, other: Expansion) -> Expansion:
        a, b = self.coefficients, other.coefficients
        product = [arb(0)] * (len(a) + len(b) - 1)
        for i, x in enumerate(a):
            if not x.is_zero():
                for j, y in enumerate(b):
                    product[i + j] += x * y
        rest = arb(0)
        for c in product[DEGREE + 1 :]:
            rest += magnitude(c)
        del product[DEGREE + 1 :]
        both = self.spread() * other.spread()
        product[0] += _UNIT * (rest + both)
        errors: dict[Error, Ball] = {}
        for one, there in ((self, other), (other, self)):
            if one.errors:
                ball = there.polynomial_range()
                for error, c in one.errors.items():
                    errors[error] = errors.get(error, arb(0)) + c * ball
        return Expansion(tuple(product), errors)

    def spread(self) -> Ball:
        """A bound of the errors' sum."""
        total = arb(0)
        for error, c in self.errors.items():
            total += magnitude(c) * error.bound
        return magnitude(total)

    def polynomial_range(self) -> Ball:
        """An enclosure of the polynomial."""
        rest = arb(0)
        for c in self.coefficients[1:]:
            rest += magnitude(c)
        return self.coefficients[0] + _UNIT * rest

    def range(self) -> Ball:
        """An enclosure of the whole."""
        return self.polynomial_range() + _UNIT * self.spread()

    def pieces(self) -> list[Ball]:
        """Closer enclosures of the whole over the pieces of the cell."""
        spread = _UNIT * self.spread()
        out: list[Ball] = []
        for k in range(PIECES):
            t = arb(-1) + arb(2 * k + 1) / PIECES + _UNIT / PIECES
            total = arb(0)
            for c in reversed(self.coefficients):
                total = total * t + c
            out.append(total + spread)
        return out

    def of(self, function: Series) -> Expansion:
        """f of this, by Taylor's formula about the middle of the constant term."""
        start = arb(self.coefficients[0].mid())
        change = self.plus(Expansion.constant(start), arb(-1))
        whole = self.range()
        near = _taylor(function, start, DEGREE)
        last = _taylor(function, whole, DEGREE + 1)[DEGREE + 1]
        result = Expansion.constant(near[DEGREE])
        for c in reversed(near[:DEGREE]):
            result = result * change + Expansion.constant(c)
        size = magnitude(change.range()) ** (DEGREE + 1)
        return result + Expansion.constant(_UNIT * magnitude(last) * size)


def _taylor(function: Series, at: Ball, degree: int) -> list[Ball]:
    series = function(arb_series([at, arb(1)], prec=degree + 1))
    found = [arb(c) for c in series.coeffs()[: degree + 1]]
    return found + [arb(0)] * (degree + 1 - len(found))
