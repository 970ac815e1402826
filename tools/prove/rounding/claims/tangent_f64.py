"""float64 tan and tanpi at HIGH.

A quotient of what is proven of sin and cos, table index by table index.

Indices and parts of a step of both signs, and half turns, change only the signs of sine and cosine
and their low parts, where the table has the symmetries that `trigonometric_f64` shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import frexp
from typing import Any

from flint import arb, arb_series
from tools.prove.rounding.cells import Proof, Within, linked, pieces, small, variable
from tools.prove.rounding.claims import trigonometric_f64 as claims
from tools.prove.rounding.claims.trigonometric_f64 import (
    ANY,
    HALF_STEP,
    INDICES,
    LARGEST_ERROR,
    LEAST,
    MOST,
    QUARTER,
    SHARE,
    TOGETHER,
    between,
    distances,
    parts,
)
from tools.prove.rounding.expansions import Expansion
from tools.prove.rounding.machine import Machine
from tools.prove.rounding.numbers import Number, constant

from samebits.mathlib.float64 import tanpi_f64, trigonometric_f64

FAR = 11
"""Where sine or cosine is near 0, an argument less than 2^FAR times the reduction's error off is
left to the exact phase: the margin, which holds error·(1 + q²), is above 2^-13·|q|."""
ERRORS = ((-109, -101), (-101, -93), (-93, -85), (-85, -82))
"""Exponents of errors taken together: from the reduction's least to its largest."""
PIECES = 32
"""Of each binade of distances from the pole."""
POLE = -54
"""The exponent of the least part of a step at a pole of tanpi, where arguments, 1/2 and more but
for half a step, are multiples of it."""
CURVED = 1 + 2.0**-6
"""How much steeper the tangent gets, times, within a part 2^(3 - FAR) of the distance."""


def _tangent(argument: Expansion, i: int) -> Expansion:
    """tan(i·π/256 + argument)."""
    if i == QUARTER:
        return argument.of(lambda d: -d.cos() / d.sin())
    return (argument + Expansion.constant(arb.pi() * i / 256)).of(arb_series.tan)


def positive(least: int, count: int) -> Iterator[Number]:
    """Distances from 2^least on, of one sign: near 0 and the pole sines and cosines are even or odd
    but for signs, and so are all sums and products, as rounding is."""
    for e in range(least, -7):
        for low, high in pieces(2.0**e, min(MOST, 2.0 ** (e + 1)), count):
            yield variable(low, high)


def tan() -> Proof:
    """A test of tan(π·n/256 + d + d_low ± SHARE·error)."""
    proof = Proof("sum", trigonometric_f64, ("SERIES_MARGIN", "MARGIN", "STEP_ERROR"))
    module, symbol = linked(trigonometric_f64.tan)
    claims.symmetric(proof)
    claims.radians(proof)

    def attempt(i: int, d: Number, error: Number, *, exact: bool = False) -> None:
        def run(d: Number) -> tuple[Any, ...]:
            assert d.ends is not None
            rest = max(map(abs, d.ends)) * 2.0**-52
            d_low = constant(0.0) if exact else small(rest, "d_low")
            cuts = {("tan", "n"): i, ("tan", "d"): d, ("tan", "d_low"): d_low,
                    ("tan", "error"): error}  # fmt: skip
            truth = _tangent(d.expansion + d_low.expansion, i)
            lost = error.expansion + truth * truth * error.expansion
            off = lost.scaled(arb(SHARE * CURVED))
            apart = Expansion.constant(arb(0)) if i in (0, QUARTER) else lost
            return Machine(module, cuts), symbol, ANY, Within(truth, off, apart)

        proof.attempt(f"step {i}, error {error.ends}", run, d)

    for i in INDICES:
        if i not in (0, QUARTER):
            error = between(0.0, LARGEST_ERROR)
            attempt(i, variable(-(2.0**TOGETHER), 2.0**TOGETHER), error)
            for d in distances(TOGETHER):
                attempt(i, d, error)
            continue
        for low, high in ERRORS:
            for d in positive(low + FAR, PIECES if i else 1):
                assert d.ends is not None
                error = min(2.0**high, 2.0 ** (frexp(d.ends[0])[1] - FAR))
                attempt(i, d, between(2.0**low, error))
    if 0 in INDICES:
        for d in positive(LEAST, 1):
            attempt(0, d, constant(0.0), exact=True)
        claims.tiny(proof, module, symbol, "tan")
    return proof


def _parts(i: int) -> Iterator[Number]:
    """Of a step: of one sign near 0 and the pole."""
    if i in (0, QUARTER):
        for e in range(POLE if i else LEAST, -9):
            low, high = 2.0**e, HALF_STEP if e == -10 else 2.0 ** (e + 1)
            for ends in pieces(low, high, PIECES if i else 1):
                yield variable(*ends)
        return
    yield variable(-(2.0**TOGETHER), 2.0**TOGETHER)
    yield from parts(TOGETHER)


def tanpi() -> Proof:
    """A test of tan(π·n/256 + π·f), f the part of a step."""
    proof = Proof("sum", trigonometric_f64, ("SERIES_MARGIN", "MARGIN"))
    module, symbol = linked(tanpi_f64.tanpi)
    claims.symmetric(proof)
    claims.reduction(proof)
    for i in INDICES:

        def run(f: Number, i: int = i) -> tuple[Any, ...]:
            cuts = {("reduce_half_turns", "f"): f, ("tanpi", "n"): i}
            return Machine(module, cuts), symbol, ANY, _tangent(f.expansion.scaled(arb.pi()), i)

        for f in _parts(i):
            proof.attempt(f"step {i}", run, f)
    return proof
