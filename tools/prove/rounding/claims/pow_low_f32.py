"""float32 pow, powr and pown at LOW.

The product of a logarithm and y for every exponent of x, and then 2 to the power of any number
that it can be where a result is promised.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from types import SimpleNamespace

from flint import arb, arb_series
from tools.prove.rounding.cells import Proof, linked, pieces, variable
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
from tools.prove.rounding.machine import Machine
from tools.prove.rounding.numbers import ONE, Number, combined, constant, error_atom
from tools.prove.rounding.rounding_rules import BINARY32
from tools.prove.rounding.ulps import Cuts as Held
from tools.prove.rounding.ulps import compare, promised

from samebits.mathlib.float32 import log_fast_f32, powers_fast_f32
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


def scaling(proof: Proof) -> None:
    """`split_low` gives k and f with x = 2^k·(1 + f), for all normal numbers with one k."""
    module, name = linked(log_fast_f32.split_low)
    for e in NORMAL:
        scale = Fraction(2) ** e
        grid = scale / 2**23
        turn = Fraction(powers_f32.HIGH) * scale
        for k, low, high in ((e, scale, turn), (e + 1, turn + grid, 2 * scale - grid)):
            x, machine = variable(low, high, format=BINARY32), Machine(module)
            found, f = machine.call(name, [x])
            proof.take(machine)
            by = {atom: c / Fraction(2) ** k for atom, c in x.form.items()}
            known = isinstance(found, Number) and isinstance(f, Number)
            exact = combined(by, {ONE: Fraction(1)}, Fraction(-1))
            if not (known and found.value == k and f.form == exact):
                proof.failures.append(f"split_low of {float(low)}")


def exponents_from(proof: Proof, first: int, last: int) -> None:
    """t is off by less than the proof's bound times t, for x = 2^k·(1 + f) with such k."""
    low, high = max(first, NORMAL[0]), last
    k = exponent(low, high)

    def cuts(f: Number) -> Cuts:
        return {("pow_low", "k"): k, ("pow_low", "f"): f}

    def truth(f: Number) -> Expansion:
        return log1p_of(f.expansion).scaled(1 / LN2) + k.expansion

    for m in significands(near_one=first == last == 0):
        assert m.ends is not None
        f = variable(m.ends[0] - 1, m.ends[1] - 1, m.grid)
        product_of(proof, LOW, f"k from {low} to {high}", f, cuts, truth)


@cache
def exponents() -> Proof:
    """t is off by less than OFF·t."""
    proof = Proof("exponent", SimpleNamespace(OFF=OFF), ("OFF",))  # type: ignore[arg-type]
    scaling(proof)
    for first, last in (*EXPONENTS, (0, 0)):
        if last >= NORMAL[0]:
            exponents_from(proof, first, last)
    powers_f32.no_logarithm(
        proof, LOW, {("pow_low", "k"): constant(0.0), ("pow_low", "f"): constant(0.0)}, []
    )
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
