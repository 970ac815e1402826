"""float64 Γ(1 + z) and ln Γ(1 + w)/(w·(w - 1)) from their tables.

Step by step, for every distance from one.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from math import inf

from flint import arb, arb_series
from tools.prove.rounding.cells import Measured, Proof, linked, part_of, pieces, variable
from tools.prove.rounding.claims.log_gamma import log_gamma, scaled_log_gamma
from tools.prove.rounding.expansions import Expansion
from tools.prove.rounding.machine import UNCLEAR, Machine
from tools.prove.rounding.numbers import ONE, Number, combined

from samebits.lang.kernel import Kernel
from samebits.mathlib.float64 import lgamma_f64, tgamma_f64

STEPS = range(257)
LOG_STEPS = range(233)
HALF_STEP = 2.0**-6 * (1 + 2.0**-20)
GRID = -58
"""Distances but those from 0 are multiples of 2^GRID."""
CUTS = 2
"""Pieces of the distances from a step."""
SECOND = 2.0**-52
"""Times a number, bounds its second part."""
SHARE = 1 - 2.0**-30
"""Of a margin, is the error, relative to the first part, and KEPT that relative to both."""
KEPT = 1 - 2.0**-31
QUOTIENTS = 0.2, 0.67
"""Between these is ln Γ(1 + w)/(w·(w - 1)) for -1/4 ≤ w ≤ 7, in both parts or the first alone."""
GAMMAS = 0.8, 2.0**16
"""The same of Γ(1 + z) for 0 ≤ z ≤ 8."""
Ends = tuple[float, float]
Truth = Callable[[Expansion], Expansion]


def _reduction(proof: Proof, kernel: Kernel, within: str, first: float, last: float) -> None:
    """The argument is a count of steps and h, exactly, and h at most half a step."""
    module, name = linked(kernel)
    for k in range(int(first * 32), int(last * 32)):
        for ends in pieces(k / 32, (k + 1) / 32, 2):
            x = variable(*ends)
            machine = Machine(module, {(within, "i"): UNCLEAR})  # no more is asked for
            machine.reach(name, [x], [(within, "h")])
            proof.take(machine)
            rounded, h = machine.reached[within, "rounded"], machine.reached[within, "h"]
            rounder = {ONE: Fraction(tgamma_f64.STEPS_ROUNDER)}
            steps = combined(rounded.form, rounder, Fraction(-1))
            exact = h.form == combined(x.form, steps, Fraction(-1))
            few = h.size <= HALF_STEP and (h.grid >= GRID or not steps)
            if not (exact and few and rounded.grid >= -5):
                proof.failures.append(f"the reduction of {ends}")


def _series(
    proof: Proof, kernel: Kernel, cell: str, at: int, truth: Truth, most: float, within: Ends,
    *, coarse: bool,
) -> None:  # fmt: skip
    """The two parts of a step, its entries in the table from `at` on, are as near `truth` of any
    distance as `most`, relatively. The second is what rounding the first left."""
    module, name = linked(kernel)
    function = name.rpartition(".")[2]

    def measure(h: Number) -> Measured:
        machine = Machine(module, {(function, "i"): at, (function, "h"): h})

        def part() -> float:
            s, low = machine.call(name, [variable(0.5, 0.75)])
            off = s.expansion + low.expansion - truth(h.expansion)
            least, largest = arb(s.range.lower()), arb(s.range.upper())
            inside = within[0] * (1 + SECOND) < least and largest * (1 + SECOND) < within[1]
            inside = inside and low.size <= least * SECOND and is_rest(low, s)
            return part_of(off, s.expansion.scaled(arb(most * SHARE))) if inside else inf

        return machine, part

    for ends in pieces(-HALF_STEP, HALF_STEP, CUTS):
        proof.bound(cell, measure, variable(*ends, GRID if coarse else None))


def is_rest(low: Number, s: Number) -> bool:
    """Whether a number is what rounding another left, which so is half a unit in the last place of
    that at most."""
    return s.error is not None and low.form == {s.error: Fraction(-1)}


@cache
def gamma() -> Proof:
    """Γ(1 + z) for 0 ≤ z < 8."""
    proof = Proof("steps of Γ", tgamma_f64, ("TABLE_MARGIN",))
    _reduction(proof, tgamma_f64.gamma_of_steps, "gamma_of_steps", 0, 8)
    for i in STEPS:
        c = Expansion.constant(arb(i) / 32 + 1)

        def truth(h: Expansion, c: Expansion = c) -> Expansion:
            return log_gamma(h + c).of(arb_series.exp)

        _series(proof, tgamma_f64.gamma_of_steps, f"step {i}", 15 * i, truth,
                tgamma_f64.TABLE_MARGIN, GAMMAS, coarse=i > 0)  # fmt: skip
    return proof


@cache
def scaled_log() -> Proof:
    """ln Γ(1 + w)/(w·(w - 1)) for -1/4 ≤ w < 7."""
    kernel = lgamma_f64.scaled_log_of_steps
    proof = Proof("steps of ln Γ", lgamma_f64, ("MARGIN",))
    _reduction(proof, kernel, "scaled_log_of_steps", -0.25, 7)
    for i in LOG_STEPS:
        c = Fraction(i - lgamma_f64.BELOW_0, 32)
        _series(proof, kernel, f"step {i}", 15 * i, partial(scaled_log_gamma, c), lgamma_f64.MARGIN,
                QUOTIENTS, coarse=bool(c))  # fmt: skip
    return proof
