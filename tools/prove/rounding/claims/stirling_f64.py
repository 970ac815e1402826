"""float64 Stirling's formula in two parts.

The logarithm that it takes, index by index of the table and for every exponent, and the formula,
for any logarithm that is as near as that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import inf

from flint import arb, arb_poly, arb_series, fmpq
from tools.prove.rounding.cells import (
    Measured,
    Proof,
    a_float,
    linked,
    part_of,
    pieces,
    variable,
)
from tools.prove.rounding.claims.log_gamma import log_gamma
from tools.prove.rounding.claims.logarithm_f64 import (
    NEAR_ZERO,
    cells_of,
    ends_of,
    exponent,
    log1p_of,
    scaling,
)
from tools.prove.rounding.claims.trigonometric_f64 import between
from tools.prove.rounding.expansions import DEGREE, UNIT, Ball, Expansion, magnitude
from tools.prove.rounding.machine import Machine
from tools.prove.rounding.numbers import Atom, Number, ball

from samebits.ir.grammar import Module
from samebits.lang.kernel import Kernel
from samebits.mathlib.float64 import log_f64, tgamma_f64

INDICES = range(128)
NEAR_ONE = 0.75
"""From here to 8, nobody asks for logarithms."""
LOG_SHARE = 1 - 2.0**-10
"""Of the margin of a logarithm, is what it is off, and LOG_KEPT of what that is times an argument
when rounded."""
LOG_KEPT = 1 - 2.0**-11
SECOND = 2.0**-52
"""Times a logarithm, bounds its second part."""
LEAST_OF_LOG, OF_LOG = 2.0**-85, 2.0**-69
"""Times a logarithm, is its margin at least, and at most."""
RANGE = 16.0
"""How many times as large margins of a logarithm may be that are taken together."""
ROOM = 1 + 2.0**-40
"""Times bounds, holds for what is relative to a logarithm's first part, or rounded."""
SHARE = 1 - 2.0**-20
"""Of a margin of Stirling's formula, is what it is off."""
SERIES = 64.0
"""From here on Stirling's series is what its first TERMS are, within the next one."""
TERMS = 8
CUTS, FEW = 8, 40
"""Pieces of a binade of arguments, up to 2^FEW."""


def log(exponents: Iterable[tuple[int, int]]) -> Proof:
    """A logarithm of numbers z·2^e, 11/16 ≤ z < 11/8, but those from NEAR_ONE to 11/8."""
    proof = Proof("logarithm", log_f64, ("MARGIN_R",))
    scaling(proof)
    unit = linked(tgamma_f64.log_of_normal)
    for i in INDICES:
        c = Fraction(log_f64.RECIPROCALS[i])
        low, high, grid = ends_of(proof, i, c)
        for first, last in exponents:
            if first == last == 0 and (low + 1) / c >= NEAR_ONE:
                continue
            e = exponent(first, last)
            for r in cells_of(low, high, grid, NEAR_ZERO):
                proof.bound(f"index {i}, e from {first} to {last}", partial(_log, unit, i, e, c), r)
    return proof


def _log(unit: tuple[Module, str], i: int, e: Number, c: Fraction, r: Number) -> Measured:
    module, name = unit
    held = {"u": i << 45, "e": e, "r": r}
    machine = Machine(module, {("log_of_normal", slot): value for slot, value in held.items()})

    def part() -> float:
        log, rest, margin = machine.call(name, [variable(1.0, 2.0)])
        truth = log1p_of(r.expansion) + e.expansion.scaled(arb(2).log())
        off = log.expansion + rest.expansion - truth + Expansion.constant(ball(c).log())
        least = arb(log.range.abs_lower())
        inside = rest.size <= least * SECOND and margin.size <= least * OF_LOG
        inside = inside and margin.range.lower() >= log.size * LEAST_OF_LOG
        return part_of(off, margin.expansion.scaled(arb(LOG_SHARE))) if inside else inf

    return machine, part


def rest(z: Expansion) -> Expansion:
    """ln Γ(z) - (z - 1/2)·ln z + z - ln(2π)/2: between two partial sums of its series, as z > 0."""
    if not z.range() >= SERIES:
        half_log_turn = (2 * arb.pi()).log() / 2
        other = z.of(lambda s: (s - arb(0.5)) * s.log() - s + half_log_turn)
        return log_gamma(z) - other
    w = z.inverse()
    square, power, total = w * w, w, Expansion.constant(arb(0))
    for n in range(1, TERMS + 1):
        total = total + power.scaled(_coefficient(n))
        power = power * square
    return total + power * Expansion.error(abs(_coefficient(TERMS + 1)), "series")


def _coefficient(n: int) -> Ball:
    return arb(fmpq.bernoulli(2 * n)) / (2 * n * (2 * n - 1))


def about(exact: Expansion, by: Ball, name: str) -> Number:
    """Any float that is off by no more from a function without errors. What its enclosure is off is
    an error too, and what would be beyond the degree of a product with the argument, so that these
    cancel as errors do."""
    found = exact.polynomial.coeffs()[:DEGREE]
    middle = arb_poly([arb(c.mid()) for c in found])
    missed = magnitude((exact.polynomial - middle)(UNIT))
    return a_float(Expansion(middle) + Expansion.error(magnitude(by + missed), name), name)


def logarithm(z: Expansion) -> tuple[Number, Number]:
    """Any two parts that are as near ln z as the logarithm above."""
    exact = z.of(arb_series.log)
    most = magnitude(exact.range())
    log = about(exact, most * (SECOND + OF_LOG) * ROOM, "log")
    second = Expansion.error(most * SECOND * ROOM, "log_low")
    return log, Number({Atom(second, "log_low", is_float=True): Fraction(1)}, -1074)


def margins(log: Number) -> Iterator[Number]:
    """Of any such logarithm."""
    least = float(log.range.abs_lower()) * LEAST_OF_LOG / ROOM
    most = float(log.range.abs_upper()) * OF_LOG * ROOM
    while least < most:
        yield between(least, min(RANGE * least, most))
        least *= RANGE


def truth(z: Expansion, shift: int, log: Number, log_low: Number) -> Expansion:
    """(z + shift/2)·ln z - z + ln(2π)/2 + 1/(12z) - … of a logarithm in two parts."""
    factor = z + Expansion.constant(arb(shift) / 2)
    turn = Expansion.constant((2 * arb.pi()).log() / 2)
    return factor * (log.expansion + log_low.expansion) - z + turn + rest(z)


@dataclass(frozen=True)
class Formula:
    """A kernel's ln Γ(1 + z) in two slots, of an argument z or -z."""

    kernel: Kernel
    function: str
    logs: tuple[str, str]
    """The slots of ln z."""
    parts: tuple[tuple[str, str], tuple[str, str]]
    negative: bool
    relative: float
    """Times the formula, is what it may be off besides STIRLING_MARGIN."""
    within: tuple[float, float]
    """Between what its first part is."""


def formula(it: Formula, cells: Iterable[tuple[float, float]]) -> Proof:
    """It is off by no more but for what the logarithm is."""
    proof = Proof("Stirling", tgamma_f64, ("STIRLING_MARGIN",))
    unit = linked(it.kernel)
    for ends in cells:
        proof.bound("z", partial(_formula, unit, it), variable(*ends))
    return proof


def _formula(unit: tuple[Module, str], it: Formula, z: Number) -> Measured:
    module, name = unit
    log, log_low = logarithm(z.expansion)
    held = dict(zip(it.logs, (log, log_low), strict=True))
    machine = Machine(module, {(it.function, slot): value for slot, value in held.items()})
    assert z.ends is not None
    argument = z if not it.negative else _opposite(z)

    def part() -> float:
        machine.reach(name, [argument], it.parts)
        s, low = (machine.reached[slot] for slot in it.parts)
        off = s.expansion + low.expansion - truth(z.expansion, 1, log, log_low)
        margin = Expansion.constant(arb(tgamma_f64.STIRLING_MARGIN))
        margin = margin + s.expansion.scaled(arb(it.relative))
        inside = it.within[0] < s.range.lower() and s.range.upper() < it.within[1]
        inside = inside and low.size <= arb(s.range.lower()) * SECOND
        return part_of(off, margin.scaled(arb(SHARE))) if inside else inf

    return machine, part


def _opposite(z: Number) -> Number:
    assert z.ends is not None
    low, high = z.ends
    form = {atom: -by for atom, by in z.form.items()}
    return Number(form, z.grid, limit=-z.range, ends=(-high, -low))


def arguments(first: int, largest: float) -> Iterator[tuple[float, float]]:
    """From 2^first on."""
    e = first
    while 2.0**e < largest:
        for low, high in pieces(2.0**e, 2.0 ** (e + 1), CUTS if e < FEW else 1):
            if low < largest:
                yield low, min(high, largest)
        e += 1
