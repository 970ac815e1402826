"""float64 log2p1 and log10p1 at HIGH: cut as log1p, of which they are a multiple.

Below 2^-900 their arguments are left to the exact phase.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import arb
from tools.prove.rounding.cells import Proof, linked, small
from tools.prove.rounding.claims import log1p_f64
from tools.prove.rounding.claims.log1p_f64 import INDICES, LOST
from tools.prove.rounding.claims.logarithm_f64 import (
    ANY,
    EXPONENTS,
    NEAR_ZERO,
    cells_of,
    ends_of,
    exponent,
    log1p_of,
    scaling,
)
from tools.prove.rounding.expansions import Ball, Expansion
from tools.prove.rounding.machine import Machine
from tools.prove.rounding.numbers import Number, ball, constant

from samebits.lang.kernel import Kernel
from samebits.mathlib.float64 import log2p1_f64, log_f64

REDUCTION = "reduce_log1p"


def _proof(kernel: Kernel, within: str, unit: Ball) -> Proof:
    """For every index and exponent: a test of log(1 + x)·unit. `within` is the function that takes
    the reduction's results."""
    proof = Proof("sum", log2p1_f64, ("SCALED_MARGIN_R", "MARGIN_S"))
    module, name = linked(kernel)
    scaling(proof)
    for i in INDICES:
        c = Fraction(log_f64.RECIPROCALS[i])
        log_c = ball(c).log()
        low, high, grid = ends_of(proof, i, c)
        cells = [*cells_of(low, high, grid, NEAR_ZERO)]
        for first, last in EXPONENTS:
            if c == 1 and first == last == 0:
                continue
            e = exponent(first, last)

            def run(
                near: Number, i: int = i, e: Number = e, c: Fraction = c, log_c: Ball = log_c
            ) -> tuple[Any, ...]:
                lost = small(LOST, "lost")
                u = i << 45
                cuts = {
                    (REDUCTION, "u"): u, (REDUCTION, "near"): near, (REDUCTION, "lost"): lost,
                    (REDUCTION, "down"): constant(1.0), (within, "u"): u, (within, "e"): e,
                }  # fmt: skip
                truth = log1p_of(near.expansion + lost.expansion.scaled(ball(c)))
                truth = truth + e.expansion.scaled(arb(2).log()) - Expansion.constant(log_c)
                return Machine(module, cuts), name, ANY, truth.scaled(unit)

            for near in cells:
                proof.attempt(f"index {i}, e from {first} to {last}", run, near)

    def run_near_zero(x: Number) -> tuple[Any, ...]:
        return Machine(module), name, [x], log1p_of(x.expansion).scaled(unit)

    for x in log1p_f64.near_zero(signed=True):
        proof.attempt("x", run_near_zero, x)
    return proof


def log2p1() -> Proof:
    return _proof(log2p1_f64.log2p1, "log2p1_in_two_parts", 1 / arb(2).log())


def log10p1() -> Proof:
    return _proof(log2p1_f64.log10p1, "log10p1_in_two_parts", 1 / arb(10).log())
