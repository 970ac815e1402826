"""float64 erf at HIGH: step by step of the table, for every distance from one."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import frexp
from typing import Any

from flint import arb, arb_series
from tools.prove.rounding.cells import Proof, binades, linked, variable
from tools.prove.rounding.expansions import Expansion
from tools.prove.rounding.machine import Machine
from tools.prove.rounding.numbers import ONE, Number, combined, constant, fraction

from samebits.mathlib.float64 import erf_f64

STEP_EXPONENT = -6
"""Steps are of 2^STEP_EXPONENT."""
COUNTS = range(385)
HALF_STEP = 2.0**-7 * (1 + 2.0**-20)
"""A little more, as balls have radii of 30 bits."""
GRID = -60
"""Distances from a step but 0 are multiples of 2^GRID."""
TOGETHER = 2.0**-12
"""Distances below are taken together, but of 0."""
LEAST = -900
"""Arguments below 2^LEAST are left to the exact phase."""
NAME = "erf_in_two_parts"
ANY = [variable(1.0, 2.0)]
"""An argument where all that follows from it is replaced."""


def _magnitudes(least: int, largest: float) -> Iterator[tuple[float, float]]:
    for low, high in binades(least, frexp(largest)[1] - 1):
        if low < largest:
            yield low, min(high, largest)


def reduction(proof: Proof) -> None:
    """x is a count of steps and h, exactly, and h at most half a step."""
    module, name = linked(erf_f64.erf)
    slots = ((NAME, "rounded"), (NAME, "h"))
    for low, high in ((0.0, 2.0**-9), *_magnitudes(-9, erf_f64.LARGEST)):
        x = variable(low, high)
        machine = Machine(module)
        machine.reach(name, [x], slots)
        proof.take(machine)
        rounded, h = (machine.reached[slot] for slot in slots)
        steps = combined(rounded.form, {ONE: Fraction(erf_f64.STEPS_ROUNDER)}, Fraction(-1))
        exact = h.form == combined(x.form, steps, Fraction(-1)) and h.size <= HALF_STEP
        whole = rounded.grid >= STEP_EXPONENT and (h.grid >= GRID or not steps)
        if not (exact and whole):
            proof.failures.append(f"the reduction of x in {x.ends}")


def erf() -> Proof:
    """A test of erf(i/64 + h). From LARGEST on it is 1, rounded."""
    proof = Proof("sum", erf_f64, ("REST_MARGIN", "MARGIN"))
    module, symbol = linked(erf_f64.erf)
    reduction(proof)
    if float(fraction(arb(arb(erf_f64.LARGEST).erf().lower()))) != 1:
        proof.failures.append("LARGEST")
    for i in COUNTS:
        c = Fraction(i, 64)

        def run(h: Number, i: int = i, c: Fraction = c) -> tuple[Any, ...]:
            cuts = {(NAME, "i"): i, (NAME, "c"): constant(c), (NAME, "h"): h}
            x = h.expansion + Expansion.constant(arb(float(c)))
            return Machine(module, cuts), symbol, ANY, x.of(arb_series.erf)

        if i:
            proof.attempt(f"step {i}", run, variable(-TOGETHER, TOGETHER, GRID))
        for low, high in _magnitudes(frexp(TOGETHER)[1] - 1 if i else LEAST, HALF_STEP):
            proof.attempt(f"step {i}", run, variable(low, high, GRID if i else None))
            if i:
                proof.attempt(f"step {i}", run, variable(-high, -low, GRID))
    return proof
