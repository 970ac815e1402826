"""float64 lgamma above 0 at HIGH.

Stirling's formula from 8 on, below a product with what the table gives, and what is left of that
less a logarithm below 3/4.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache, partial
from math import nextafter
from typing import Any

from flint import arb
from tools.prove.rounding.cells import (
    Proof,
    Within,
    a_float,
    binades,
    length,
    linked,
    pieces,
    small,
    variable,
)
from tools.prove.rounding.claims import stirling_f64
from tools.prove.rounding.claims.gamma_steps_f64 import KEPT, QUOTIENTS
from tools.prove.rounding.claims.log_gamma import scaled_log_gamma
from tools.prove.rounding.claims.power_f64 import EXPONENTS
from tools.prove.rounding.claims.stirling_f64 import LOG_SHARE
from tools.prove.rounding.expansions import Expansion
from tools.prove.rounding.machine import Machine
from tools.prove.rounding.numbers import Atom, Number, ball

from samebits.ir.grammar import Module
from samebits.mathlib.float64 import lgamma_f64 as kernels
from samebits.mathlib.float64.tgamma_f64 import LARGEST_STEP

SECOND = 2.0**-52
"""Times a number, bounds its second part."""
OFF = 1 + 2.0**-10
"""Times the second part of a quotient, bounds what the first is off."""
SMALLEST = -900
"""The exponent of the least argument."""
BELOW_NEAR = nextafter(kernels.NEAR, 0.0)
CUTS = 8
"""Pieces of a binade of arguments."""
NAME = "lgamma_in_two_parts"
MINUS_ONE = Expansion.constant(arb(-1))
Unit = tuple[Module, str]


@cache
def log() -> Proof:
    """Of all arguments but those next to 1; below 0 too."""
    return stirling_f64.log(EXPONENTS)


@cache
def far() -> Proof:
    """A test of ln Γ(x) from 8 on."""
    proof = Proof("Stirling", kernels, ("STIRLING_MARGIN", "QUOTIENT_MARGIN"))
    unit = linked(kernels.lgamma)
    for ends in stirling_f64.arguments(3, kernels.LARGEST):
        x = variable(*ends)
        for of_log in _margins(x):
            proof.attempt("x", partial(_far, unit, of_log), x)
    return proof


def _margins(x: Number) -> Iterator[Number]:
    log, _ = stirling_f64.logarithm(x.expansion)
    return stirling_f64.margins(log)


def _far(unit: Unit, of_log: Number, x: Number) -> tuple[Any, ...]:
    log, log_low = stirling_f64.logarithm(x.expansion)
    held = {"log": log, "log_low": log_low, "of_log": of_log}
    truth = stirling_f64.truth(x.expansion, -1, log, log_low)
    factor = x.expansion + Expansion.constant(arb(-0.5))
    off = (factor * of_log.expansion).scaled(arb(LOG_SHARE))
    return *_held(unit, held), [x], Within(truth, off, off)


def _held(unit: Unit, held: dict[str, Any]) -> tuple[Machine, str]:
    module, name = unit
    return Machine(module, {(NAME, slot): value for slot, value in held.items()}), name


@cache
def middle() -> Proof:
    """A test of w·(w - 1) times any quotient, from 3/4 to 8 but for 1 and 2, where that is 0."""
    proof = Proof("product", kernels, ("MARGIN",))
    run = partial(_middle, linked(kernels.lgamma))
    for x in _around_zeros():
        proof.attempt("x", run, x)
    return proof


def _around_zeros() -> Iterator[Number]:
    """Arguments but 1 and 2, binade by binade of the distance from the nearer."""
    for zero, first, last, grid in ((1.0, -3, -2, -53), (2.0, -2, -1, -52)):
        for low, high in binades(grid, first):
            yield variable(zero - high, zero - low, grid)
        for low, high in binades(grid + 1, last):
            yield variable(zero + low, zero + high, grid + 1)
    for ends in pieces(3.0, nextafter(LARGEST_STEP, 0.0), 5 * CUTS):
        yield variable(*ends)


def _middle(unit: Unit, x: Number) -> tuple[Any, ...]:
    of = length(*QUOTIENTS)
    t = a_float(of, "t")
    low = Expansion.error(arb(QUOTIENTS[0]) * SECOND, "t_low", of.unit)
    t_low = Number({Atom(low, "t_low", is_float=True): Fraction(1)}, -2000)
    truth = _product(x.expansion + MINUS_ONE) * (t.expansion + t_low.expansion)
    size = truth if x.range.lower() >= 2 or x.range.upper() <= 1 else truth.scaled(arb(-1))
    off = size.scaled(arb(kernels.MARGIN * KEPT))
    return *_held(unit, {"t": t, "t_low": t_low}), [x], Within(truth, off, off)


def _product(w: Expansion) -> Expansion:
    """w·(w - 1)."""
    return w * (w + MINUS_ONE)


@cache
def near() -> Proof:
    """A test of that below 3/4, of any quotient, less any logarithm."""
    proof = Proof("product less a logarithm", kernels, ("MARGIN",))
    unit = linked(kernels.lgamma)
    for ends in _below_three_quarters():
        x = variable(*ends)
        for of_log in _margins(x):
            proof.attempt("x", partial(_near, unit, of_log), x)
    return proof


def _below_three_quarters() -> Iterator[tuple[float, float]]:
    for low, high in binades(SMALLEST, -1):
        yield from pieces(low, min(high, BELOW_NEAR), CUTS if low > 0.1 else 1)


def _near(unit: Unit, of_log: Number, x: Number) -> tuple[Any, ...]:
    assert x.ends is not None
    c = Fraction(sum(x.ends)) / 2 if x.ends[0] > 0.1 else Fraction(0)
    quotient = scaled_log_gamma(c, x.expansion - Expansion.constant(ball(c)))
    log, log_low = stirling_f64.logarithm(x.expansion)
    most = arb(QUOTIENTS[1]) * SECOND * OFF
    t = stirling_f64.about(quotient, most, "t")
    t_low = small(most, "t_low")
    held = {"log": log, "log_low": log_low, "of_log": of_log, "t": t, "t_low": t_low}
    product = _product(x.expansion) * (t.expansion + t_low.expansion)
    truth = product - log.expansion - log_low.expansion
    off = product.scaled(arb(-kernels.MARGIN * KEPT))
    off = off + of_log.expansion.scaled(arb(LOG_SHARE))
    return *_held(unit, held), [x], Within(truth, off, off)
