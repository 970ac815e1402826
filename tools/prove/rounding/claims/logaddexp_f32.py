"""float32 logaddexp at HIGH.

What is added to the greater, for every difference d as rounded; what the rounding of d does to
it; and the test of the sum, whatever its parts are of it.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from fractions import Fraction
from math import exp

from flint import arb, arb_series
from tools.prove.rounding.cells import (
    Measured,
    Proof,
    a_float,
    length,
    linked,
    part_of,
    pieces,
    variable,
)
from tools.prove.rounding.claims.logarithm_f64 import log1p_of
from tools.prove.rounding.expansions import Expansion, magnitude
from tools.prove.rounding.machine import Machine, UndecidedError
from tools.prove.rounding.narrow import used
from tools.prove.rounding.numbers import ONE, Number, combined, constant, error_atom, expanded

from samebits.mathlib.float32 import logaddexp_f32
from samebits.mathlib.float32.exp_f32 import LOG2_E, ROUNDER

OF_REST = 1.5 * 2.0**-51
"""Times what is added, bounds what it is off for d as it is."""
OF_DIFFERENCE = 2.0**-48
"""Times the greater and what is added, each as large as it is, bounds what the rounding of d does
to their sum."""
ROUNDED = 0.5 + 2.0**-15
"""How far d/log 2 is from its count at most."""
UPPER = -0.8814, -0.8813
"""Between these, either half of the numbers from 1 to 2 may be taken."""
CUTS, SHARES = 4, 16
"""Pieces of a count's differences, and of what the sum is of its parts."""
WITHIN = "logaddexp"
LN2 = arb(2).log()
ANY = [variable(1.0, 1.5), variable(0.5, 0.75)]
"""Arguments where all that follows from them is replaced."""


def count() -> Proof:
    """The count is the integer next to d/log 2."""
    proof = Proof("count", sys.modules[__name__], ("ROUNDED",))
    module, name = linked(logaddexp_f32.logaddexp)
    for low, high in pieces(logaddexp_f32.NEAR, 0.0, CUTS):
        d = variable(low, high)
        machine = Machine(module, {(WITHIN, "d"): d})
        machine.reach(name, ANY, [("exp_below_0", "rounded")])
        proof.take(machine)
        rounded = machine.reached["exp_below_0", "rounded"]
        off = combined(rounded.form, d.form, -Fraction(LOG2_E))
        off = combined(off, {ONE: Fraction(ROUNDER)}, Fraction(-1))
        inexact = abs(1 / LN2 - arb(LOG2_E)) * d.size
        far = magnitude(expanded(off).range()) + inexact
        proof.note(far / ROUNDED, f"d from {low} to {high}")
    return proof


def rest() -> Proof:
    """What is added, log(1 + e^d)."""
    proof = Proof("what is added", sys.modules[__name__], ("OF_REST",))
    module, name = linked(logaddexp_f32.logaddexp)
    for n in range(-159, 1):
        low, high = (float(LN2) * (n + side * ROUNDED * (1 + 2.0**-20)) for side in (-1, 1))
        low, high = max(low, logaddexp_f32.NEAR), min(high, 0.0)
        for upper in (False, True):
            first = max(low, UPPER[0]) if upper else low
            last = high if upper else min(high, UPPER[1])
            if first >= last:
                continue

            def measure(d: Number, n: int = n, upper: bool = upper) -> Measured:
                cuts = {
                    (WITHIN, "d"): d,
                    (WITHIN, "upper"): upper,
                    ("exp_below_0", "rounded"): constant(ROUNDER + n),
                }
                machine = Machine(module, cuts)
                scale = arb(2) ** n
                left = d.expansion - Expansion.constant(LN2 * n)
                truth = log1p_of(left.of(arb_series.exp).scaled(scale))

                def part() -> float:
                    machine.reach(name, ANY, [(WITHIN, "rest")])
                    found = machine.reached[WITHIN, "rest"]
                    if not isinstance(found, Number):
                        raise UndecidedError("what is added")
                    return part_of(found.expansion - truth, truth.scaled(arb(OF_REST)))

                return machine, part

            for ends in pieces(first, last, CUTS):
                proof.bound(f"count {n}", measure, variable(*ends))
    return proof


def difference() -> Proof:
    """d = small - big is rounded by half of its spacing at most, and by |big|, as small is a
    number; that times what is added, which is e^d at most, is what the sum is further off. Of |big|
    and what is added the greater is no more than what |sum| and what is added are together. So it
    is no more of that than half the spacing, and than e^d."""
    proof = Proof("difference", sys.modules[__name__], ("OF_DIFFERENCE",))
    for e in range(-149, 7):
        half_spacing = 2.0 ** (e - 53)
        proof.cells += 1
        proof.note(arb(min(half_spacing, exp(-(2.0**e)) * (1 + 2.0**-50))) / OF_DIFFERENCE,
                   f"d from {-(2.0 ** (e + 1))} to {-(2.0**e)}")  # fmt: skip
    return proof


def total() -> Proof:
    """A test of big + rest, of which the sum is as much as it may be, of either sign."""
    proof = Proof("sum", logaddexp_f32, ("MARGIN",))
    module, name = linked(logaddexp_f32.logaddexp)
    whole = length(1.0, 2.0)
    for sign in (1, -1):

        def measure(share: Number, sign: int = sign) -> Measured:
            wide = _positive(share.expansion * whole)
            if sign < 0:
                wide = Machine(module)._neg(wide)
            added = _positive((Expansion.constant(arb(1)) - share.expansion) * whole)
            cuts = {(WITHIN, "wide"): wide, (WITHIN, "rest"): added, (WITHIN, "d"): constant(-1.0)}
            off = error_atom(arb(OF_DIFFERENCE + OF_REST + 2.0**-52), "parts").expansion
            machine = Machine(module, cuts)
            truth = wide.expansion + off * whole
            return machine, lambda: used(machine.test(name, ANY), truth)

        for ends in pieces(0.0, 1.0, SHARES):
            proof.bound(f"sum {sign:+d}", measure, variable(*ends))
    return proof


def _positive(of: Expansion) -> Number:
    found = a_float(of, "part")
    assert found.ends is not None
    return replace(found, ends=(max(found.ends[0], 0.0), found.ends[1]))
