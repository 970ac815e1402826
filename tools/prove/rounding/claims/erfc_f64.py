"""float64 erfc at HIGH: a power of e, what it is times step by step of the table, and 2 less that.

Of a power nothing is known but that it is between 1 and 2, give or take: of another power of two
all sums and products are those of 2^0 times that.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from fractions import Fraction
from math import inf, nextafter
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
from tools.prove.rounding.claims import powers_in_two_parts_f64
from tools.prove.rounding.claims.exponent_sums_f64 import LARGEST
from tools.prove.rounding.claims.powers_in_two_parts_f64 import POWERS, Power
from tools.prove.rounding.claims.trigonometric_f64 import between
from tools.prove.rounding.expansions import Expansion, magnitude
from tools.prove.rounding.machine import Machine
from tools.prove.rounding.numbers import Atom, Number

from samebits.mathlib.float64 import erfc_f64

POWER = 2.0**-67.25
"""Bounds the relative error of a power of e in two parts."""
TINY = -60
"""Products below 2^TINY are taken together."""
CUTS = 4
"""Pieces of a binade of results."""
SECOND = 1.4 * 2.0**-51
"""Times a number, bounds its second part, and OFF its margin."""
OFF = 2.0**-60
NEAR_STEPS = range(65)
FAR_STEPS = range(erfc_f64.LAST_STEP + 1)
NAME = "erfc_in_two_parts"
ANY = [variable(1.0, 2.0)]
"""An argument where all that follows from it is replaced."""
ONE = Expansion.constant(arb(1))


def power() -> Proof:
    """2^(i/STEPS)·e^r of every index of the table and all that may be left."""
    kernel, source = erfc_f64.erfc_in_two_parts, sys.modules[__name__]
    proof = powers_in_two_parts_f64.power(
        Power(kernel, ANY, NAME, ("s", "s_low"), 2.0**-52, source, "POWER")
    )
    if erfc_f64.LARGEST_NORMAL**2 > LARGEST:
        proof.failures.append("the range of x")
    return proof


def _steps() -> Iterator[Number]:
    """All arguments, step by step: floats that have a count in common."""
    for n in NEAR_STEPS:
        ends = Fraction(2 * n - 1, 256), Fraction(2 * n + 1, 256)
        low, high = max(0.0, float(ends[0])), min(float(ends[1]), nextafter(0.5, 0.0))
        if n % 2:  # a tie goes to an even count
            low, high = nextafter(low, inf), nextafter(high, 0.0)
        yield variable(low, high)
    for n in FAR_STEPS:
        low, high = (2.0 ** (m // 64 - 1) * (1 + m % 64 / 64) for m in (n, n + 1))
        if low <= erfc_f64.LARGEST_NORMAL:
            yield variable(low, min(nextafter(high, 0.0), erfc_f64.LARGEST_NORMAL))


def positive() -> Proof:
    """A test of any power times e^(x²)·erfc(x)."""
    proof = Proof("sum", erfc_f64, ("REST_MARGIN", "MARGIN"))
    module, name = linked(erfc_f64.erfc)
    unit = length(*POWERS)

    def run(x: Number) -> tuple[Any, ...]:
        s = a_float(unit, "s")
        low = Expansion.error(arb(POWERS[0]) * 2.0**-52, "s_low", unit.unit)
        missed = Expansion.error(arb(POWERS[0]) * POWER, "power", unit.unit)
        s_low = Number({Atom(low, "s_low", is_float=True): Fraction(1)}, -2000)
        truth = (s.expansion + low + missed) * x.expansion.of(_scaled)
        return Machine(module, {(NAME, "s"): s, (NAME, "s_low"): s_low}), name, [x], truth

    for x in _steps():
        proof.attempt("x", run, x)
        machine, *_ = run(x)
        slots = [("erfc", slot) for slot in ("s", "low", "margin")]
        machine.reach(name, [x], slots)
        y, low, margin = (machine.reached[slot] for slot in slots)
        inverse = y.expansion.inverse()
        parts = [magnitude((part.expansion * inverse).range()) for part in (low, margin)]
        if not all(part <= most for part, most in zip(parts, (SECOND, OFF), strict=True)):
            proof.failures.append(f"parts of x in {x.ends}")
    return proof


def _scaled(x: Any) -> Any:
    return (x * x).exp() * x.erfc()


def negative() -> Proof:
    """A test of 2 less any number in two parts that is as near erfc |x| as its margin says."""
    proof = Proof("2 less that", erfc_f64, ("OTHER_MARGIN",))
    module, name = linked(erfc_f64.erfc)

    def run(far: Number) -> tuple[Any, ...]:
        far_low, margin = (
            small(far.size * SECOND, "far_low"),
            between(0.0, float(far.size.upper()) * OFF),
        )
        cuts = {("erfc", "far"): far, ("erfc", "far_low"): far_low, ("erfc", "far_margin"): margin}
        truth = ONE + ONE - far.expansion - far_low.expansion
        within = Within(truth, margin.expansion, margin.expansion)
        return Machine(module, cuts), name, [variable(-2.0, -1.0)], within

    proof.attempt("far", run, variable(0.0, 2.0**TINY))
    for low, high in binades(TINY, 0):
        for ends in pieces(low, min(high, 1.01), CUTS):
            proof.attempt("far", run, variable(*ends))
    return proof
