"""float64 logaddexp at HIGH.

The power of e, index by index of the logarithm's table the logarithm of 1 and that, and the sum
of any number and any logarithm.

Of the sum nothing is known but that its logarithm is in two parts, of which the second is small,
and as near as the logarithm's margin says, of which some is left for rounding the second part.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from math import inf
from typing import Any

from flint import arb
from tools.prove.rounding.cells import (
    Measured,
    Proof,
    Within,
    binades,
    greater,
    linked,
    small,
    variable,
)
from tools.prove.rounding.claims import powers_in_two_parts_f64
from tools.prove.rounding.claims.exponent_sums_f64 import LARGEST
from tools.prove.rounding.claims.logarithm_f64 import (
    NEAR_ZERO,
    cells_of,
    ends_of,
    log1p_of,
    scaling,
)
from tools.prove.rounding.claims.powers_in_two_parts_f64 import Power
from tools.prove.rounding.claims.trigonometric_f64 import between
from tools.prove.rounding.expansions import Expansion, magnitude
from tools.prove.rounding.machine import Machine
from tools.prove.rounding.numbers import ONE, Number, ball, combined, constant
from tools.prove.rounding.rounding_rules import BINARY64

from samebits.ir.grammar import Module
from samebits.mathlib.float64 import log_f64, logaddexp_f64

POWER = 1.0703125 * 2.0**-68
"""Bounds the relative error of a power of e in two parts."""
SECOND = 2.0**-18
"""Times a power, bounds its second part."""
TINY = -982
"""All powers are 2^TINY at least: e^-680 is 2^-981.04, and reduced to 2^-982 times 1 to 2."""
SHARE = 1 - 2.0**-20
"""Of the margin of a logarithm, is what it is off with ROUNDED times its second part: what is left
is for margins that are subnormal numbers."""
ROUNDED = 1.25 * 2.0**-52
"""Times the second part of a logarithm, is left of its margin: for rounding it twice."""
BELOW = 0.875
"""Times powers of two, are the sizes of second parts that are taken together up to there: what is
added to these makes no number of another binade of them."""
OF_LOG = 2.0**-13
"""Times a logarithm, bounds its second part."""
ONES = -53
"""Powers up to 2^ONES are lost in 1: all of them is then what 1 + power lost."""
LAST = -24
"""Down to 2^LAST times a power, what is lost is told apart binade by binade."""
LOST = Fraction(1.0625 * SECOND)
"""Bounds what is lost."""
NEAR_GRID = -60
"""z·c - 1 is a multiple of 2^NEAR_GRID."""
ONE_INDEX = next(i for i in range(128) if log_f64.RECIPROCALS[i] == 1)
"""An index whose reciprocal is 1; all have the same entries."""
LEAST_MARGIN, MOST_MARGIN = 2.0**-70, 2.0**-50
"""Times a logarithm, is its margin at least, and at most."""
RANGE = 2.0**20
"""How many times as large margins may be that are taken together."""
INDICES = range(128)
SCALES = (0, *range(-984, -958))
"""Exponents of the greater summand. Another power of two from -958 on changes no more than that:
nothing that counts is subnormal."""
NAME = "logaddexp_in_two_parts"
Unit = tuple[Module, str]
"""A kernel's IR and its symbol."""
ANY = [variable(4.0, 5.0), variable(2.0, 3.0)]
"""Arguments where all that follows from them is replaced."""


def power() -> Proof:
    """e^d of every index of its table and all that may be left."""
    it = Power(
        logaddexp_f64.logaddexp, ANY, NAME, ("s", "low"), SECOND, sys.modules[__name__], "POWER"
    )
    proof = powers_in_two_parts_f64.power(it)
    if -logaddexp_f64.NEAR > LARGEST or arb(logaddexp_f64.NEAR).exp() < arb(2) ** TINY:
        proof.failures.append("the range of d")
    return proof


def logarithm() -> Proof:
    """log(1 + power), of which `lost` is 1 + power less h and rounds once, and r, what is left of
    the table's index, in two parts."""
    proof = Proof("logarithm", log_f64, ("MARGIN_R", "MARGIN_S"))
    unit = linked(logaddexp_f64.logaddexp)
    scaling(proof)
    _two_parts(proof, unit)
    for i in INDICES:
        c = Fraction(log_f64.RECIPROCALS[i])
        low, high, _ = ends_of(proof, i, c)
        # 1 + power is from 1 to 2: z·2^e with z from 1 on, or z up to 1.
        first = (low + 1) / c
        for e in (*(0,) * (first >= 1 and c != 1), *(1,) * (first <= 1)):
            for r in cells_of(low - LOST, high + LOST, BINARY64.least, NEAR_ZERO):
                proof.bound(f"index {i}, e = {e}", partial(_far, unit, i, e, c), r)
    for low, high in binades(TINY, -8):
        x = variable(low * (1 - SECOND), high * (1 + SECOND))
        for part in _parts(low, high):
            proof.bound("power", partial(_near, unit, part), x)
    return proof


def _two_parts(proof: Proof, unit: Unit) -> None:
    """h and `lost` are 1 + power but for one rounding, r and r_low near + rest exactly."""
    module, name = unit
    for ends in binades(TINY, -1):
        power = variable(*ends)
        held = {"power": power, "low": constant(0.0)}
        machine = Machine(module, {(NAME, slot): value for slot, value in held.items()})
        machine.reach(name, ANY, [(NAME, "lost")])
        proof.take(machine)
        h, lost = machine.reached[NAME, "h"], machine.reached[NAME, "lost"]
        whole = combined(h.form, lost.form, Fraction(1))
        if whole != combined(power.form, {ONE: Fraction(1)}, Fraction(1)):
            proof.failures.append(f"1 + power in {ends}")
    near = small(2.0**-7, "near", NEAR_GRID)
    for lost in (small(float(LOST), "lost"), small(2.0**-60, "lost")):
        held = {"near": near, "lost": lost, "down": constant(1.0)}
        machine = Machine(module, {(NAME, slot): value for slot, value in held.items()})
        slots = [(NAME, "rest"), (NAME, "r"), ("log_in_two_parts", "r_low")]
        machine.reach(name, ANY, slots)
        proof.take(machine)
        rest, r, r_low = (machine.reached[slot].form for slot in slots)
        if combined(r, r_low, Fraction(1)) != combined(near.form, rest, Fraction(1)):
            proof.failures.append("r in two parts")


def _parts(low: float, high: float) -> Iterator[tuple[float, float] | None]:
    """Of powers between these: between what `lost` is; None where it is all that is left."""
    if low < 2.0**ONES:
        yield None
        return
    tiny = low * 2.0**LAST
    yield -tiny, tiny
    while tiny < 2.0**ONES + 2 * high * SECOND:
        yield tiny, 2 * tiny
        yield -2 * tiny, -tiny
        tiny *= 2


def _far(unit: Unit, i: int, e: int, c: Fraction, r: Number) -> Measured:
    """Of 1 + power = h + lost, h = z·2^e, and r + r_low = z·c - 1 + lost·c·2^-e."""
    scale = Fraction(2) ** e
    form = combined({ONE: scale / c - 1}, r.form, scale / c)
    power = Number(combined(form, small(float(LOST), "lost").form, Fraction(1)), BINARY64.least)
    lost = small(float(LOST), "lost")
    # Lost and its product with c, both rounded: what 1 + power loses, and the power's second part.
    rest = Expansion.error(arb(2.0**-104), "lost rounded")
    missed = power.expansion * Expansion.error(arb(SECOND * 2.0**-52), "lost rounded")
    rest = rest + missed + power.expansion * Expansion.error(arb(POWER), "power")
    r_low = small(2.0**-60, "r_low")
    held = {"power": power, "u": i << 45, "e": constant(float(e)), "lost": lost, "r": r}
    argument = r.expansion + r_low.expansion + rest.scaled(ball(c / scale))
    truth = log1p_of(argument) + Expansion.constant(arb(2).log() * e - ball(c).log())
    return _measured(unit, held, r_low, truth)


def _near(unit: Unit, part: tuple[float, float] | None, r: Number) -> Measured:
    """Where z is 1 + power, rounded, and its index one of those whose reciprocal is 1; power and
    what its second part adds make r."""
    assert r.ends is not None
    form = {atom: by * (1 - Fraction(SECOND)) for atom, by in r.form.items()}
    least = Number(form, BINARY64.least)
    r_low = small(r.size * 2.0**-53, "r_low")
    rounded = Expansion.error(arb(2.0**-53 * (1 + SECOND)), "lost rounded")
    if part is None:
        lost, rest = r, r.expansion * rounded
    else:
        lost, rest = between(*part), rounded.scaled(arb(max(map(abs, part))))
    rest = rest + r.expansion * Expansion.error(arb(POWER * (1 + 2 * SECOND)) + 2.0**-90, "power")
    held = {"power": least, "u": ONE_INDEX << 45, "e": constant(0.0), "lost": lost, "r": r}
    truth = log1p_of(r.expansion + r_low.expansion + rest)
    return _measured(unit, held, r_low, truth)


def _measured(unit: Unit, held: dict[str, Any], r_low: Number, truth: Expansion) -> Measured:
    """How much of its margin a logarithm is off, with ROUNDED times its second part."""
    module, name = unit
    cuts = {(NAME, slot): value for slot, value in held.items()}
    machine = Machine(module, {**cuts, ("log_in_two_parts", "r_low"): r_low})
    slots = [(NAME, slot) for slot in ("a", "a_low", "margin")]

    def part() -> float:
        machine.reach(name, ANY, slots)
        a, rest, margin = (machine.reached[slot] for slot in slots)
        off = a.expansion + rest.expansion - truth
        least = arb(a.range.lower())
        known = margin.range.lower() >= a.size * LEAST_MARGIN
        if not (known and rest.size <= least * OF_LOG and margin.size <= least * MOST_MARGIN):
            return inf
        worst = 0.0
        lists = (x.pieces() for x in (off, rest.expansion, margin.expansion))
        for error, second, most in zip(*lists, strict=True):
            if not most > 0:
                return inf
            whole = magnitude(error) + magnitude(second) * ROUNDED
            worst = greater(worst, whole / (arb(most.lower()) * SHARE))
        return worst

    return machine, part


def logaddexp() -> Proof:
    """A test of big + a + a_low, of any number and any logarithm."""
    proof = Proof("sum", logaddexp_f64, ("SUM_MARGIN",))
    unit = linked(logaddexp_f64.logaddexp)
    for e in SCALES:
        first, last = 2.0**e, 2.0 ** (e + 1)
        for second in _seconds(e):
            for ends in ((first, last), (-last, -first)):
                for margin in _margins(max(second[0] * ROUNDED, 2.0**TINY * LEAST_MARGIN), last):
                    run = partial(_sum, unit, second, margin, between(0.0, last), is_big=True)
                    proof.attempt("the greater", run, variable(*ends))
            for margin in _margins(max(second[0] * ROUNDED, first * LEAST_MARGIN), last):
                run = partial(_sum, unit, second, margin, between(-last, last), is_big=False)
                proof.attempt("logarithm", run, variable(first, last))
    return proof


def _seconds(e: int) -> Iterator[tuple[float, float]]:
    """Between what the size of a_low is, beside a sum of 2^e to 2^(e + 1)."""
    tiny = max(e - 110, -1052)
    yield 0.0, 2.0**tiny * BELOW
    for low, high in binades(tiny, e - 12):
        yield low * BELOW, high * BELOW


def _margins(least: float, last: float) -> Iterator[tuple[float, float]]:
    """Between what margins of a logarithm up to `last` are."""
    while True:
        yield least, least * RANGE
        if least * RANGE >= last * MOST_MARGIN:
            return
        least *= RANGE


def _sum(
    unit: Unit, second: tuple[float, float], margins: tuple[float, float], other: Number,
    x: Number, *, is_big: bool,
) -> tuple[Any, ...]:  # fmt: skip
    (module, name), (big, a) = unit, (x, other) if is_big else (other, x)
    a_low, margin = small(second[1], "a_low"), between(*margins)
    held = {"big": big, "a": a, "a_low": a_low, "margin": margin, "lost": constant(0.0),
            "power": constant(0.0)}  # fmt: skip
    rounded = Expansion.constant(arb(second[0] * ROUNDED))
    off = margin.expansion.scaled(arb(SHARE)) - rounded
    truth = big.expansion + a.expansion + a_low.expansion
    cuts = {(NAME, slot): value for slot, value in held.items()}
    return Machine(module, cuts), name, ANY, Within(truth, off, off)
