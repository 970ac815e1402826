"""float64 rsqrt at HIGH: for every argument that its fast phase decides, binade by binade."""

from __future__ import annotations

from typing import Any

from flint import arb_series
from tools.prove.rounding.cells import Proof, linked, pieces, variable
from tools.prove.rounding.machine import Machine
from tools.prove.rounding.numbers import Number

from samebits.mathlib.float64 import roots_f64

EXPONENTS = range(-900, 900)
PIECES = 8
"""Of a binade."""


def rsqrt() -> Proof:
    proof = Proof("sum", roots_f64, ("MARGIN",))
    module, name = linked(roots_f64.rsqrt)

    def run(x: Number) -> tuple[Any, ...]:
        return Machine(module), name, [x], x.expansion.of(arb_series.rsqrt)

    for e in EXPONENTS:
        for low, high in pieces(2.0**e, 2.0 ** (e + 1), PIECES):
            proof.attempt("x", run, variable(low, high))
    return proof
