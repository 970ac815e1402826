"""float64 rsqrt and hypot at HIGH.

For every argument that a fast phase decides, binade by binade. Of hypot, first how near its sum
of two squares is, then what is made of any such sum.
"""

from __future__ import annotations

from typing import Any

from flint import arb_series
from tools.prove.rounding.cells import Proof, linked, pieces, small, variable
from tools.prove.rounding.claims import squares_f64
from tools.prove.rounding.machine import Machine
from tools.prove.rounding.numbers import Number, error_atom

from samebits.mathlib.float64 import roots_f64

EXPONENTS = range(-900, 900)
PIECES = 8
"""Of a binade."""
ANY = [variable(1.0, 2.0), variable(1.0, 2.0)]
"""Arguments where all that follows from them is replaced."""


def rsqrt() -> Proof:
    proof = Proof("sum", roots_f64, ("MARGIN",))
    module, name = linked(roots_f64.rsqrt)

    def run(x: Number) -> tuple[Any, ...]:
        return Machine(module), name, [x], x.expansion.of(arb_series.rsqrt)

    for e in EXPONENTS:
        for low, high in pieces(2.0**e, 2.0 ** (e + 1), PIECES):
            proof.attempt("x", run, variable(low, high))
    return proof


def hypot() -> Proof:
    """A test of the root of any sum in two parts."""
    proof = Proof("sum", roots_f64, ("MARGIN",))
    module, name = linked(roots_f64.hypot)

    def run(square: Number) -> tuple[Any, ...]:
        low = small(square.size * squares_f64.LOW, "square_low")
        lost = error_atom(square.size * squares_f64.SLACK, "square").expansion
        within = squares_f64.NAME
        cuts = {(within, "square"): square, (within, "square_low"): low}
        truth = (square.expansion + low.expansion + lost).of(arb_series.sqrt)
        return Machine(module, cuts), name, ANY, truth

    for e in squares_f64.SUMS:
        proof.attempt("square", run, variable(2.0**e, 2.0 ** (e + 1)))
    return proof
