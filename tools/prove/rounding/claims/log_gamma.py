"""ln Γ of an expansion, enclosed: Arb's own series encloses nothing where its argument is wide."""

from __future__ import annotations

from fractions import Fraction

from flint import arb, arb_series
from tools.prove.rounding.expansions import DEGREE, Ball, Expansion, magnitude
from tools.prove.rounding.numbers import ball


def coefficients(at: Ball, count: int) -> list[Ball]:
    """Of ln Γ about an exact number."""
    series = arb_series([at, arb(1)], prec=count).lgamma()
    return [arb(series[n]) for n in range(count)]


def bound(least: Ball, n: int) -> Ball:
    """Of the magnitude of the coefficient n ≥ 2 about all from a positive number on: it is
    ζ(n, x)/n, which falls."""
    return magnitude(coefficients(arb(least.lower()), n + 1)[n])


def polynomial(found: list[Ball], h: Expansion, missed: Ball) -> Expansion:
    """Of h, within `missed`."""
    total = Expansion.constant(found[-1])
    for c in reversed(found[:-1]):
        total = total * h + Expansion.constant(c)
    return total + Expansion.constant(arb(0, 1) * missed)


def log_gamma(x: Expansion) -> Expansion:
    """ln Γ(x) of a polynomial x > 0, by Taylor's formula."""
    assert not x.errors
    middle = arb(x.polynomial[0].mid())
    h = x - Expansion.constant(middle)
    missed = bound(x.range(), DEGREE + 1) * magnitude(h.range()) ** (DEGREE + 1)
    return polynomial(coefficients(middle, DEGREE + 1), h, missed)


def scaled_log_gamma(c: Fraction, h: Expansion) -> Expansion:
    """ln Γ(1 + w)/(w·(w - 1)) of w = c + h: the quotient by the distance from the nearer zero, by
    Taylor's formula about c, and that by the other. With g(w) = f(w)/(w - a) the mean of f' from a
    to w, g's coefficient n is bounded by f's coefficient n + 1 between these."""
    zero = 0 if c < 0.5 else 1
    logs, distance = coefficients(ball(1 + c), DEGREE + 2), ball(c - zero)
    if c == zero:
        found = logs[1:]
    else:
        found = [logs[0] / distance]
        for n in range(1, DEGREE + 1):
            found.append((logs[n] - found[-1]) / distance)
    most = magnitude(h.range())
    least = min(arb((ball(1 + c) - most).lower()), arb(1 + zero))
    total = polynomial(found, h, bound(least, DEGREE + 2) * most ** (DEGREE + 1))
    other = h + Expansion.constant(ball(c - 1 + zero))
    return total * other.inverse()
