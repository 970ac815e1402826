"""float32 pow at MEDIUM: as at HIGH, and what is shown of its result is how far it is off."""

from __future__ import annotations

from math import nextafter
from types import SimpleNamespace

from flint import arb, arb_series
from tools.prove.rounding.cells import Proof, pieces, variable
from tools.prove.rounding.claims import powers_f32
from tools.prove.rounding.claims.powers_f32 import LN2, Cuts, Of
from tools.prove.rounding.expansions import Expansion
from tools.prove.rounding.numbers import Number, constant, error_atom
from tools.prove.rounding.rounding_rules import BINARY32
from tools.prove.rounding.ulps import compare, promised

from samebits.mathlib.float32 import powers_fast_f32
from samebits.mathlib.float32.exp_f32 import ROUNDER

OFF = 1.25 * 2.0**-37
"""Times what 2 is raised to, bounds what it is off."""
LIMIT = nextafter(126.0, 0.0)
"""Beyond, the result is that of the exact phase."""
ROUNDED = powers_f32.ROUNDED
CUTS = 8
"""Pieces of what is left of an exponent."""
MEDIUM = Of(powers_fast_f32.pow_medium, "pow_medium")


def exponent() -> Proof:
    source = SimpleNamespace(OFF=OFF)
    proof = Proof(powers_f32.PLACE, source, ("OFF",))  # type: ignore[arg-type]
    return powers_f32.exponents(MEDIUM, proof)


def count() -> Proof:
    return powers_f32.counts(MEDIUM, -LIMIT, LIMIT)


def result() -> Proof:
    """Of t of every count."""
    proof = promised("pow", "MEDIUM", "float32")
    for n in range(-126, 127):

        def cuts(t: Number, n: int = n) -> Cuts:
            return {("pow_medium", "t"): t, ("pow_medium", "rounded"): constant(ROUNDER + n)}

        def truth(t: Expansion, n: int = n) -> Expansion:
            lost = error_atom(arb((abs(n) + 1) * OFF), "exponent").expansion
            left = t + lost - Expansion.constant(arb(n))
            return left.scaled(LN2).of(arb_series.exp).scaled(arb(2) ** n)

        for ends in pieces(max(n - ROUNDED, -LIMIT), min(n + ROUNDED, LIMIT), CUTS):
            compare(proof, MEDIUM.kernel, truth, f"count {n}", variable(*ends), cuts=cuts,
                    args=MEDIUM.args, format=BINARY32)  # fmt: skip
    return proof
