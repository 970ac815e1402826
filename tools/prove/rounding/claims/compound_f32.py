"""float32 compound at HIGH: n·log2(1 + x) for every exponent of 1 + x, and the power, as pown's."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from fractions import Fraction
from math import ceil, floor, inf, nextafter

from tools.prove.rounding.cells import Proof, binades, pieces, variable
from tools.prove.rounding.claims.logarithm_f64 import log1p_of
from tools.prove.rounding.claims.powers_f32 import (
    CUTS,
    HIGH,
    LAST,
    LN2,
    LOW,
    PLACE,
    Cuts,
    Of,
    counts,
    no_logarithm,
    powers,
    product_of,
)
from tools.prove.rounding.expansions import Expansion
from tools.prove.rounding.numbers import Number, constant
from tools.prove.rounding.rounding_rules import BINARY32

from samebits.mathlib.float32 import rootn_f32

COUNTS = range(-24, 129)
"""Exponents of 1 + x: of the least, 2^-24, and of the greatest."""
FEW = -17
"""Below, there are so few numbers with an exponent that each is a cell."""
COMPOUND = Of(rootn_f32.compound)


def _outwards(x: Fraction, side: float) -> float:
    found = float(x)
    return found if Fraction(found) == x else nextafter(found, side)


def ends_of(k: int) -> tuple[float, float]:
    """Between which x is where 1 + x, rounded to float32, has the exponent k."""
    half = Fraction(2) ** (k - 24)
    low, high = (Fraction(m) * Fraction(2) ** k - 1 for m in (LOW, HIGH))
    low, high = max(low - half, Fraction(2) ** -24 - 1), min(high + half, Fraction(LAST))
    return _outwards(low, -inf), _outwards(high, inf)


def arguments(k: int) -> Iterator[Number]:
    """All of these, but 0."""
    low, high = ends_of(k)
    if k < FEW:
        first, last = (Fraction(end) * 2**24 for end in (low, high))
        yield from (constant(n * 2.0**-24) for n in range(ceil(first), floor(last) + 1))
        return
    if k:
        yield from (variable(*ends, format=BINARY32) for ends in pieces(low, high, 2 * CUTS))
        return
    for a, b in binades(-149, -2):
        for first, last in ((a, min(b, high)), (-min(b, -low), -a)):
            yield variable(first, last, format=BINARY32)


def _truth(x: Number) -> Expansion:
    return log1p_of(x.expansion).scaled(1 / LN2)


def compound_exponent() -> Proof:
    proof = Proof(PLACE, sys.modules[no_logarithm.__module__], ("OF_EXPONENT",))
    for k in COUNTS:

        def cuts(x: Number, k: int = k) -> Cuts:
            return {("split_log1p", "k"): k}

        for x in arguments(k):
            product_of(proof, COMPOUND, f"exponent {k}", x, cuts, _truth, is_argument=True)
    no_logarithm(proof, COMPOUND, {}, [constant(0.0)])
    return proof


def compound_count() -> Proof:
    return counts(COMPOUND)


def compound_power() -> Proof:
    return powers(COMPOUND)
