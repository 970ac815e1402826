"""float32 pow, powr and pown at LOW: the product of a logarithm and y for every exponent of x, and
then 2 to the power of any number that it can be where a result is promised."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace

from flint import arb, arb_series
from tools.prove.rounding.cells import Proof, pieces, variable
from tools.prove.rounding.claims import powers_f32
from tools.prove.rounding.claims.logarithm_f64 import exponent, log1p_of
from tools.prove.rounding.claims.powers_f32 import (
    EXPONENTS,
    LN2,
    ROUNDED,
    Cuts,
    Of,
    product_of,
    significands,
)
from tools.prove.rounding.expansions import Expansion
from tools.prove.rounding.numbers import Number, constant, error_atom
from tools.prove.rounding.rounding_rules import BINARY32
from tools.prove.rounding.ulps import Cuts as Held
from tools.prove.rounding.ulps import compare, promised

from samebits.mathlib.float32 import powers_fast_f32
from samebits.mathlib.float32.exp_f32 import ROUNDER

OFF = 6.0625 * 2.0**-24
"""Times what 2 is raised to, bounds what it is off."""
FIRST, LAST = -126.0, 127.4
"""Results of which something is promised have these logarithms."""
BEYOND = 128 * OFF
"""How far from there t may be."""
NORMAL = range(-126, 128)
"""Exponents of x."""
CUTS = 8
"""Pieces of what is left of an exponent."""
TINY = 2.0**-20
"""About y, so that no product is cut off; any other is times a power of two."""
LOW = Of(
    powers_fast_f32.pow_low, "pow_low",
    lengths=tuple(pieces(TINY, 2 * TINY, 8)),
)  # fmt: skip


@cache
def exponents() -> Proof:
    """t is off by less than OFF·t, for x = 2^k·(1 + f)."""
    proof = Proof("exponent", SimpleNamespace(OFF=OFF), ("OFF",))  # type: ignore[arg-type]
    for first, last in (*EXPONENTS, (0, 0)):
        k = exponent(max(first, NORMAL[0]), last)

        def cuts(f: Number, k: Number = k) -> Cuts:
            return {("pow_low", "k"): k, ("pow_low", "f"): f}

        def truth(f: Number, k: Number = k) -> Expansion:
            return log1p_of(f.expansion).scaled(1 / LN2) + k.expansion

        if last < NORMAL[0]:
            continue
        for m in significands(near_one=first == last == 0):
            assert m.ends is not None
            f = variable(m.ends[0] - 1, m.ends[1] - 1, m.grid)
            product_of(proof, LOW, f"k from {first} to {last}", f, cuts, truth)
    return proof


def _result(function: str) -> Proof:
    proof = promised(function, "LOW", "float32")
    for n in range(-126, 128):

        def cuts(t: Number, n: int = n) -> Held:
            return {("pow_low", "t"): t, ("pow_low", "rounded"): constant(ROUNDER + n)}

        def truth(t: Expansion, n: int = n) -> Expansion:
            lost = error_atom(arb((abs(n) + 0.501) * OFF), "exponent").expansion
            left = t + lost - Expansion.constant(arb(n))
            return left.scaled(LN2).of(arb_series.exp).scaled(arb(2) ** n)

        low, high = max(n - ROUNDED, FIRST - BEYOND), min(n + ROUNDED, LAST + BEYOND)
        for ends in pieces(low, high, CUTS):
            t = variable(*ends, format=BINARY32)
            compare(proof, LOW.kernel, truth, f"count {n}", t, cuts=cuts, args=LOW.args,
                    format=BINARY32)  # fmt: skip
    return proof


def counts() -> Proof:
    return powers_f32.counts(LOW, FIRST - BEYOND, LAST + BEYOND)


def pow_result() -> Proof:
    return _result("pow")


def powr_result() -> Proof:
    return _result("powr")


def pown_result() -> Proof:
    return _result("pown")
