"""float64 tgamma at HIGH.

Γ(1 + |x|) as a power of e or from a table, sin πx, and the quotients of these.

Of numbers in two parts nothing is known to quotients but how small the second are and how near both
are to what they stand for: of another power of two all sums and products are those of 2^0 times
that, but for what underflows, most where divisors are least. Of a negative sine both parts of the
quotient are those of its magnitude but for signs.
"""

from __future__ import annotations

import sys
from fractions import Fraction
from functools import cache, partial
from typing import Any

from flint import arb
from tools.prove.rounding.cells import (
    Proof,
    Within,
    a_float,
    length,
    linked,
    pieces,
    small,
    variable,
)
from tools.prove.rounding.claims import (
    exponent_sums_f64,
    powers_in_two_parts_f64,
    sines_f64,
    stirling_f64,
)
from tools.prove.rounding.claims.powers_in_two_parts_f64 import POWERS, Power
from tools.prove.rounding.claims.sines_f64 import LEAST_SINE
from tools.prove.rounding.claims.stirling_f64 import LOG_KEPT, Formula
from tools.prove.rounding.claims.trigonometric_f64 import between
from tools.prove.rounding.expansions import Expansion
from tools.prove.rounding.machine import Machine
from tools.prove.rounding.numbers import Atom, Number

from samebits.mathlib.float64 import tgamma_f64 as kernels

POWER = 1.125 * 2.0**-68
"""Bounds the relative error of a power of e in two parts."""
EXPONENTS = (2, 3), (4, 7), (8, 8)
"""Of z from 8 to LARGEST: each of these ranges is one cell."""
LARGEST = max(kernels.LARGEST, -kernels.LEAST)
ROOM = 1 + 2.0**-20
"""Times relative errors of factors, bounds that of a product."""
LARGEST_LOG = 715.0
"""Bounds ln Γ(1 + z) of z up to LARGEST."""
SECOND = 2.0**-52
"""Times a number, bounds its second part."""
RELATIVE = 2.0**-58
"""Bounds relative margins of factors."""
CUTS = 16
"""Pieces of a binade of divisors."""
GAMMA, NAME = "gamma_of_1_more", "gamma_in_two_parts"
FAR = [variable(9.0, 10.0)]
"""An argument beyond the table, where all that follows from it is replaced."""
HALF = Expansion.constant(arb(0.5))
NEGATIVE = [variable(-1.75, -1.5)]
"""The same below 0."""


@cache
def log() -> Proof:
    return stirling_f64.log(EXPONENTS)


@cache
def stirling() -> Proof:
    """ln Γ(1 + z) from 8 on."""
    parts = ("reduce_exp_sum", "x"), ("reduce_exp_sum", "x_low")
    logs, within = ("log", "log_low"), (1.0, LARGEST_LOG)
    it = Formula(kernels.gamma_of_1_more, GAMMA, logs, parts, False, 0.0, within)
    return stirling_f64.formula(it, stirling_f64.arguments(3, LARGEST))


@cache
def power() -> Proof:
    """The power of e of that, of every index of the table and all that may be left."""
    proof = powers_in_two_parts_f64.power(Power(
        kernels.gamma_of_1_more, FAR, GAMMA, ("f", "f_low"), SECOND, sys.modules[__name__], "POWER"
    ))  # fmt: skip
    _margins(proof)
    return proof


def _margins(proof: Proof) -> None:
    """Of Γ(1 + z) they are what is known of the table; and of Stirling's formula, its logarithm and
    its power, with room for what relative errors of these make of each other. None exceeds
    RELATIVE."""
    module, name = linked(kernels.gamma_of_1_more)
    machine = Machine(module)
    machine.reach(name, [variable(1.0, 2.0)], [(GAMMA, "margin")])
    if machine.reached[GAMMA, "margin"].value != Fraction(kernels.TABLE_MARGIN):
        proof.failures.append("the margin of the table")
    for ends in stirling_f64.arguments(3, LARGEST):
        z = variable(*ends)
        for of_log in stirling_f64.margins(stirling_f64.logarithm(z.expansion)[0]):
            machine = Machine(module, {(GAMMA, "of_log"): of_log})
            machine.reach(name, [z], [(GAMMA, "margin")])
            margin = machine.reached[GAMMA, "margin"]
            factor = (z.expansion + HALF).scaled(arb(LOG_KEPT))
            rest = margin.expansion - factor * of_log.expansion
            enough = rest.range() > (kernels.STIRLING_MARGIN + POWER) * ROOM
            if not (enough and margin.size <= RELATIVE):
                proof.failures.append(f"the margin of z in {ends}")


@cache
def reduction() -> Proof:
    """Of exponents."""
    return exponent_sums_f64.up_to(LARGEST_LOG)


def _second(unit: Expansion, name: str) -> Number:
    """Of a float that is a length."""
    low = Expansion.error(arb(unit.unit.low) * SECOND, name, unit.unit)
    return Number({Atom(low, name, is_float=True): Fraction(1)}, -2000)


@cache
def positive() -> Proof:
    """A test of any Γ(1 + z), divided by any z."""
    proof = Proof("quotient", kernels, ("QUOTIENT_MARGIN",))
    module, name = linked(kernels.tgamma)
    unit = length(*POWERS)

    def run(x: Number) -> tuple[Any, ...]:
        f, f_low, margin = a_float(unit, "f"), _second(unit, "f_low"), between(0.0, RELATIVE)
        held = {"k": 0, "f": f, "f_low": f_low, "margin": margin}
        truth = (f.expansion + f_low.expansion) * x.expansion.inverse()
        off = truth * margin.expansion
        cuts = {(NAME, slot): value for slot, value in held.items()}
        return Machine(module, cuts), name, [x], Within(truth, off, off)

    for least in kernels.SMALLEST, 1.0:
        for ends in pieces(least, 2 * least, CUTS):
            proof.attempt("z", run, variable(*ends))
    return proof


@cache
def negative() -> Proof:
    """A test of -π divided by any Γ(1 + z) and any sine."""
    proof = Proof("quotient of π", kernels, ("QUOTIENT_MARGIN",))
    sines_f64.rounded(proof, kernels.gamma_in_two_parts, NAME, NEGATIVE, size=False)
    module, name = linked(kernels.tgamma)

    def run(unit: Expansion, f: Number) -> tuple[Any, ...]:
        f_low = small(f.size * SECOND, "f_low")
        sine, sine_low, margin = a_float(unit, "sine"), _second(unit, "low"), between(0.0, RELATIVE)
        half = arb(RELATIVE) / 2
        of_sine = unit.scaled(half) + Expansion.error(half * unit.unit.low, "s_margin", unit.unit)
        s_margin = Number({Atom(of_sine, "s_margin"): Fraction(1)}, -2000)
        held = {"k": 0, "f": f, "f_low": f_low, "margin": margin, "sine": sine,
                "sine_low": sine_low, "s_margin": s_margin}  # fmt: skip
        over = (f.expansion + f_low.expansion) * (sine.expansion + sine_low.expansion)
        truth = over.inverse().scaled(-arb.pi())
        relative = margin.expansion + of_sine * sine.expansion.inverse()
        off = (truth * relative).scaled(arb(-1))
        cuts = {(NAME, slot): value for slot, value in held.items()}
        return Machine(module, cuts), name, NEGATIVE, Within(truth, off, off)

    for ends in pieces(1.0, 2.0, CUTS):
        for least in LEAST_SINE, 1.0:
            unit = length(least * POWERS[0], least * POWERS[1])
            proof.attempt("Γ(1 + z)", partial(run, unit), variable(*ends))
    return proof
