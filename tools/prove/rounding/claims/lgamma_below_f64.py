"""float64 lgamma below 0 at HIGH.

The product of a sine and what the table of Γ gives, its logarithm index by index, and what is
left of ln π less that and Stirling's formula.

Results next to zeros need no margin of their own: margins are those of what is taken away.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from fractions import Fraction
from functools import cache, partial
from math import inf, nextafter
from typing import Any

from flint import arb
from tools.prove.rounding.cells import (
    Measured,
    Proof,
    Within,
    a_float,
    binades,
    length,
    linked,
    part_of,
    pieces,
    small,
    variable,
)
from tools.prove.rounding.claims import gamma_steps_f64, sines_f64, stirling_f64
from tools.prove.rounding.claims.gamma_steps_f64 import is_rest
from tools.prove.rounding.claims.logarithm_f64 import (
    EXPONENTS,
    NEAR_ZERO,
    cells_of,
    ends_of,
    exponent,
    log1p_of,
    scaling,
)
from tools.prove.rounding.claims.sines_f64 import LEAST_SINE, OF_SINE
from tools.prove.rounding.claims.stirling_f64 import LOG_KEPT, Formula
from tools.prove.rounding.claims.trigonometric_f64 import between
from tools.prove.rounding.expansions import Expansion, magnitude
from tools.prove.rounding.machine import Firsts, Machine
from tools.prove.rounding.numbers import Atom, Number, ball, combined, constant
from tools.prove.rounding.rounding_rules import BINARY64

from samebits.ir.grammar import Module
from samebits.mathlib.float64 import lgamma_f64 as kernels
from samebits.mathlib.float64 import log_f64

SECOND = 2.0**-52
"""Times a number, bounds its second part, and half of that one of 1 to 2, a rounding's rest."""
PRODUCT = 2.0**-101
"""Bounds the relative error of a product in two parts, and PRODUCT_AND_REST what it makes of
z·c, with what its second part times c is rounded."""
PRODUCT_AND_REST = 1.15 * PRODUCT
REST = 1.5 * 2.0**-53
"""Times a product, bounds its second part."""
LOST = 2.0**-50
"""Bounds what that adds to z·c."""
LARGEST_Z = 1.375
PRODUCTS = -900, 17
"""Exponents of products."""
NEAR_ONE = -60
"""Where the logarithm is near 0, distances below 2^NEAR_ONE are taken together."""
LOG_SECOND = 2.0**-21
"""Bounds the second part of its logarithm, and OF_LOG the margin with all that is added to it."""
OF_LOG = 2.0**-58
OF_STIRLING = 2.0**-66
"""Times Stirling's formula, bounds what the margin of its logarithm makes in it."""
ABSOLUTE = 2.0**-99
"""Times a logarithm and 2, is left of its margin for sums; times Stirling's formula, is what that
may be off beyond its own."""
TABLE = 0.6
"""Of TABLE_MARGIN, is the error of the table of Γ."""
TINY = -10
"""Logarithms below 2^TINY are taken together."""
LARGEST_LOG = 10
"""The exponent of what no logarithm of a product reaches."""
STIRLINGS = range(3, 46)
"""The exponents of Stirling's formula of 8 on."""
INDICES = range(128)
CUTS = 8
"""Pieces of a binade of factors."""
NAME = "lgamma_below_0"
NEAR, FAR = [variable(-1.75, -1.5)], [variable(-9.75, -9.5)]
"""Arguments where all that follows from them is replaced: above -8, and below."""
Unit = tuple[Module, str]


@cache
def product() -> Proof:
    """Of any sine and any Γ(1 + a), in two parts: of other powers of two they are those times that,
    but for what underflows, most where sines are least."""
    proof = Proof("product", sys.modules[__name__], ("PRODUCT",))
    sines_f64.rounded(proof, kernels.lgamma_below_0, NAME, NEAR, size=True)
    unit = linked(kernels.lgamma_below_0)
    for ends in pieces(1.0, 2.0, CUTS):
        for least in LEAST_SINE, 1.0:
            for sine in pieces(least, 2 * least, CUTS):
                proof.bound(f"Γ in {ends}", partial(_product, unit, ends, least), variable(*sine))
    return proof


def _product(unit: Unit, ends: tuple[float, float], least: float, sine: Number) -> Measured:
    module, name = unit
    of = length(*ends)
    low = Expansion.error(arb(SECOND / 2), "g_low", of.unit)
    g = a_float(of, "g")
    g_low = Number({Atom(low, "g_low", is_float=True): Fraction(1)}, -2000)
    sine_low = small(least * SECOND / 2, "sine_low")
    held = {"sine": sine, "sine_low": sine_low, "g": g, "g_low": g_low}
    machine = Machine(module, {(NAME, slot): value for slot, value in held.items()})
    slots = [(NAME, slot) for slot in ("over", "over_low")]

    def part() -> float:
        machine.reach(name, NEAR, slots)
        over, rest = (machine.reached[slot] for slot in slots)
        whole = (sine.expansion + sine_low.expansion) * (g.expansion + low)
        off = over.expansion + rest.expansion - whole
        inside = rest.size <= arb(over.range.lower()) * REST
        return part_of(off, whole.scaled(arb(PRODUCT))) if inside else inf

    return machine, part


@cache
def logarithm() -> Proof:
    """Of any product in two parts, within its margin and ABSOLUTE."""
    proof = Proof("logarithm", log_f64, ("MARGIN_R", "MARGIN_S"))
    scaling(proof)
    _scaling_back(proof)
    unit = linked(kernels.lgamma_below_0)
    for i in INDICES:
        c = Fraction(log_f64.RECIPROCALS[i])
        low, high, grid = ends_of(proof, i, c)
        _reduction(proof, unit, i, c, variable(low, high, grid))
        for first, last in EXPONENTS:
            e = exponent(first, last)
            lost, near_one = Fraction(LOST), c == 1 and first == last == 0
            least = NEAR_ONE if near_one else NEAR_ZERO
            for r in cells_of(low - lost, high + lost, BINARY64.least, least):
                cell = f"index {i}, e from {first} to {last}"
                proof.bound(cell, partial(_logarithm, unit, i, e, c), r)
    return proof


def _scaling_back(proof: Proof) -> None:
    """`down` is z divided by the product's first part."""
    module, name = linked(kernels.lgamma_below_0)
    for e in range(PRODUCTS[0], PRODUCTS[1] + 1):
        for ends in (0.6875, nextafter(1.0, 0.0)), (1.0, nextafter(LARGEST_Z, 0.0)):
            over = variable(2.0**e * ends[0], 2.0**e * ends[1])
            machine = Machine(module, {(NAME, "over"): over})
            machine.reach(name, NEAR, [(NAME, "e"), (NAME, "down")])
            proof.take(machine)
            found, down = machine.reached[NAME, "e"].value, machine.reached[NAME, "down"].value
            if (found, down) != (e, Fraction(2) ** -e):
                proof.failures.append(f"a product of {ends} times 2^{e}")


def _reduction(proof: Proof, unit: Unit, i: int, c: Fraction, near: Number) -> None:
    """r and r_low are z·c - 1 and what the second part of a product adds, but for one rounding of
    that; r_low is what rounding r left."""
    module, name = unit
    over_low = small(LARGEST_Z * REST, "over_low")
    cuts = {(NAME, "u"): i << 45, (NAME, "e"): constant(0.0), (NAME, "near"): near,
            (NAME, "down"): constant(1.0), (NAME, "over_low"): over_low}  # fmt: skip
    machine = Machine(module, cuts, Firsts())
    slots = (NAME, "rest"), (NAME, "r"), ("log_in_two_parts", "r_low")
    machine.reach(name, NEAR, slots)
    proof.take(machine)
    rest, r, r_low = (machine.reached[slot] for slot in slots)
    exact = combined(near.form, rest.form, Fraction(1))
    exact = combined(r.form, r_low.form, Fraction(1)) == exact and is_rest(r_low, r)
    rounded = rest.expansion - over_low.expansion.scaled(ball(c))
    off = (near.range + 1 + LOST) * PRODUCT + magnitude(rounded.range())
    if not (exact and 2 * rest.size <= LOST and off <= PRODUCT_AND_REST):
        proof.failures.append(f"the reduction of index {i}")


def _logarithm(unit: Unit, i: int, e: Number, c: Fraction, r: Number) -> Measured:
    module, name = unit
    r_low = small(r.size * 2.0**-53, "r_low")
    cuts = {(NAME, "u"): i << 45, (NAME, "e"): e, (NAME, "r"): r, (NAME, "over"): constant(1.0),
            ("log_in_two_parts", "r_low"): r_low, (NAME, "sine"): constant(1.0),
            (NAME, "s_margin"): constant(0.0)}  # fmt: skip
    machine = Machine(module, cuts)
    slots = [(NAME, slot) for slot in ("log", "log_low", "margin")]

    def part() -> float:
        machine.reach(name, NEAR, slots)
        log, rest, margin = (machine.reached[slot] for slot in slots)
        whole = r.expansion + r_low.expansion + Expansion.error(arb(PRODUCT_AND_REST), "product")
        truth = log1p_of(whole) + e.expansion.scaled(arb(2).log()) - Expansion.constant(c_log)
        off = log.expansion + rest.expansion - truth
        kept = arb(kernels.TABLE_MARGIN) + (log.size + 2) * ABSOLUTE
        inside = rest.size <= LOG_SECOND and log.size <= arb(2) ** LARGEST_LOG
        inside = inside and margin.size <= OF_LOG - 2 * OF_SINE
        return part_of(off, margin.expansion - Expansion.constant(kept)) if inside else inf

    c_log = ball(c).log()
    return machine, part


@cache
def stirling() -> Proof:
    """ln Γ(1 + a) from 8 on."""
    parts = (NAME, "f"), (NAME, "f_low")
    logs, within = ("of_z", "of_z_low"), (2.0 ** STIRLINGS[0], 2.0 ** (STIRLINGS[-1] + 1))
    it = Formula(kernels.lgamma_below_0, NAME, logs, parts, True, ABSOLUTE, within)
    proof = stirling_f64.formula(it, stirling_f64.arguments(3, -kernels.LEAST))
    for ends in stirling_f64.arguments(3, -kernels.LEAST):
        z = arb(ends[0]).union(arb(ends[1]))
        of_log = (z + 0.5) * z.log() * stirling_f64.OF_LOG * stirling_f64.ROOM
        if not of_log < (arb(ends[0]) + 1).lgamma() * OF_STIRLING:
            proof.failures.append(f"the margin of a logarithm of z in {ends}")
    return proof


@cache
def below() -> Proof:
    """A test of ln π less any logarithm of a product, and any ln Γ(1 + a) from 8 on."""
    proof = Proof("difference", kernels, ("TABLE_MARGIN", "LOW_MARGIN"))
    unit = linked(kernels.lgamma_rest)
    if not gamma_steps_f64.gamma().worst <= TABLE:
        proof.failures.append("the table of Γ")
    for log in _logarithms():
        proof.attempt("above -8", partial(_above, unit), log)
        for e in STIRLINGS:
            proof.attempt(f"Stirling of 2^{e}", partial(_below, unit, e), log)
    return proof


def _logarithms() -> Iterator[Number]:
    yield variable(-(2.0**TINY), 2.0**TINY)
    for low, high in binades(TINY, LARGEST_LOG - 1):
        yield variable(low, high)
        yield variable(-high, -low)


def _above(unit: Unit, log: Number) -> tuple[Any, ...]:
    (module, name), (held, truth, off) = unit, _difference(log)
    cuts = {(NAME, slot): value for slot, value in held.items()}
    return Machine(module, cuts), name, NEAR, Within(truth, off, off)


def _below(unit: Unit, e: int, log: Number) -> tuple[Any, ...]:
    (module, name), (held, truth, off) = unit, _difference(log)
    f, most = between(2.0**e, 2.0 ** (e + 1)), 2.0 ** (e + 1)
    f_low, of_log = small(most * SECOND, "f_low"), between(0.0, most * OF_STIRLING)
    held |= {"f": f, "f_low": f_low, "of_log": of_log, "y": constant(1.0)}
    truth = truth - f.expansion - f_low.expansion
    formula = Expansion.constant(arb(kernels.STIRLING_MARGIN * stirling_f64.SHARE))
    formula = formula + f.expansion.scaled(arb(ABSOLUTE))
    off = off + formula + of_log.expansion.scaled(arb(LOG_KEPT))
    cuts = {(NAME, slot): value for slot, value in held.items()}
    return Machine(module, cuts), name, FAR, Within(truth, off, off)


def _difference(log: Number) -> tuple[dict[str, Number], Expansion, Expansion]:
    """What slots hold, what ln π - log is, and how far off it may be."""
    log_low = small(LOG_SECOND, "log_low")
    margin = between(kernels.TABLE_MARGIN, OF_LOG)
    truth = Expansion.constant(arb.pi().log()) - log.expansion - log_low.expansion
    kept = arb(kernels.TABLE_MARGIN * (1 - TABLE)) + (arb(log.range.abs_lower()) + 2) * ABSOLUTE / 2
    off = margin.expansion - Expansion.constant(kept)
    return {"log": log, "log_low": log_low, "margin": margin}, truth, off
