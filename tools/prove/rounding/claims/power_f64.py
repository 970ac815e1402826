"""float64 pow, pown, powr, rootn and compound at HIGH.

The logarithm, index by index of its table and for every exponent; its product with any y, or its
quotient by any n; the power of e of that.

Of a logarithm and of y nothing is known but their product: where one is larger, the other is as
much smaller, and of what is computed of them nothing else changes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from math import inf
from typing import Any

from flint import arb, arb_series
from tools.prove.rounding.cells import (
    Measured,
    Proof,
    Within,
    a_float,
    length,
    linked,
    part_of,
    pieces,
    small,
    variable,
)
from tools.prove.rounding.claims import exponent_sums_f64 as sums
from tools.prove.rounding.claims import log1p_f64
from tools.prove.rounding.claims.logarithm_f64 import (
    NEAR_ZERO,
    cells_of,
    ends_of,
    exponent,
    log1p_of,
    scaling,
)
from tools.prove.rounding.claims.trigonometric_f64 import between
from tools.prove.rounding.expansions import Ball, Expansion
from tools.prove.rounding.machine import Machine
from tools.prove.rounding.numbers import Atom, Number, ball, constant

from samebits.ir.grammar import Module
from samebits.lang.kernel import Kernel
from samebits.mathlib.float64 import exp_f64, log_f64, pow_f64, rootn_f64

INDICES = range(128)
EXPONENTS = (*((2**k, 2 ** (k + 1) - 1) for k in range(10)), (1024, 1024), (0, 0),
             *((1 - 2 ** (k + 1), -(2**k)) for k in range(10)))  # fmt: skip
"""Each of these ranges is one cell."""
SHARE = 1 - 2.0**-30
"""Of the margin of a logarithm, is what it is off: what is left is for the margin's rounding."""
LOG_SECOND = 2.0**-52
"""Times a logarithm, bounds its second part."""
OF_LOG = 2.0**-62
"""Times a logarithm, bounds its margin."""
PRODUCT = 2.0**-102
"""Times a product or a quotient, bounds what it is off in two parts."""
CUTS = 8
"""Pieces of what is left of an exponent."""
Cuts = dict[tuple[str, str], Any]


def _logarithm(kernel: Kernel) -> Proof:
    """log + log_low is off by less than of_log."""
    proof = Proof("logarithm", log_f64, ("MARGIN_R",))
    scaling(proof)
    module, name = linked(kernel)
    function = name.rpartition(".")[2]
    for i in INDICES:
        c = Fraction(log_f64.RECIPROCALS[i])
        low, high, grid = ends_of(proof, i, c)
        for first, last in EXPONENTS:
            e = exponent(first, last)
            near_one = c == 1 and first == last == 0

            def cuts(r: Number, i: int = i, e: Number = e) -> tuple[Cuts, list[Number]]:
                held = {"u": i << 45, "e": e, "r": r}
                return {(function, slot): value for slot, value in held.items()}, _any(kernel)

            def truth(r: Number, e: Number = e, c: Fraction = c) -> Expansion:
                return _log_of(r.expansion, e, c)

            measure = partial(_measured, module, name, cuts, truth)
            for r in cells_of(low, high, grid, None if near_one else NEAR_ZERO):
                proof.bound(f"index {i}, e from {first} to {last}", measure, r)
    return proof


def _any(kernel: Kernel) -> list[Any]:
    """Arguments where all that follows from them is replaced."""
    real = kernel in (pow_f64.pow, pow_f64.pow_in_two_parts)
    return [variable(1.0, 2.0), constant(1.0) if real else 1]


def _log_of(r: Expansion, e: Number, c: Fraction) -> Expansion:
    """The logarithm of 2^e·(1 + r)/c."""
    whole = log1p_of(r) + e.expansion.scaled(arb(2).log())
    return whole - Expansion.constant(ball(c).log())


def _measured(
    module: Module, name: str, cuts: Callable[[Number], tuple[Cuts, list[Number]]],
    truth: Callable[[Number], Expansion], r: Number,
) -> Measured:  # fmt: skip
    """A cell of logarithms."""
    given, args = cuts(r)
    machine, function = Machine(module, given), name.rpartition(".")[2]
    slots = [(function, slot) for slot in ("log", "log_low", "of_log")]

    def part() -> float:
        machine.reach(name, args, slots)
        log, rest, margin = (machine.reached[slot] for slot in slots)
        off = log.expansion + rest.expansion - truth(r)
        least = arb(log.range.abs_lower())
        inside = rest.size <= least * LOG_SECOND and margin.size <= least * OF_LOG
        stated = margin.expansion.scaled(arb(SHARE))
        return part_of(off, stated) if inside or not least > 0 else inf

    return machine, part


def log_of_compound() -> Proof:
    """The same of 1 + x = z·2^e and what that lost, as log1p takes it."""
    proof = Proof("logarithm", log_f64, ("MARGIN_R",))
    scaling(proof)
    module, name = linked(rootn_f64.compound_in_two_parts)
    for i in INDICES:
        c = Fraction(log_f64.RECIPROCALS[i])
        low, high, grid = ends_of(proof, i, c)
        for first, last in EXPONENTS:
            if c == 1 and first == last == 0:
                continue
            e, lost = exponent(first, last), small(log1p_f64.LOST, "lost")

            def cuts(
                near: Number, i: int = i, e: Number = e, lost: Number = lost
            ) -> tuple[Cuts, list[Number]]:
                held = {"u": i << 45, "e": e, "near": near, "down": constant(1.0), "lost": lost}
                return {("reduce_log1p", slot): value for slot, value in held.items()}, _any(
                    rootn_f64.compound
                )

            def truth(near: Number, e: Number = e, c: Fraction = c, lost: Any = lost) -> Expansion:
                return _log_of(near.expansion + lost.expansion.scaled(ball(c)), e, c)

            measure = partial(_measured, module, name, cuts, truth)
            for near in cells_of(low, high, grid, NEAR_ZERO):
                proof.bound(f"index {i}, e from {first} to {last}", measure, near)
    for x in log1p_f64.near_zero(signed=True):
        measure = partial(_measured, module, name, lambda x: ({}, [x, 1]), _log1p)
        proof.bound("x", measure, x)
    return proof


def _log1p(x: Number) -> Expansion:
    return log1p_of(x.expansion)


def _exponent(kernel: Kernel, *, quotient: bool) -> Proof:
    """The product of a logarithm and any y, or its quotient by any, in two parts. Where one is
    negative, so is the other, and all else is as it is; nothing is so small that halves of what
    counts are subnormal."""
    proof = Proof("exponent", sys.modules[__name__], ("PRODUCT",))
    module, name = linked(kernel)
    function = name.rpartition(".")[2]
    slots = [("reduce_exp_sum", slot) for slot in ("x", "x_low")]

    def measure(x: Number) -> Measured:
        one, of_x = length(1.0, 2.0), x.expansion * length(1.0, 2.0)
        log = a_float(of_x if quotient else one, "log")
        most = arb(LOG_SECOND) * (x.size if quotient else 1)
        second = Expansion.error(most, "log_low", one.unit)
        log_low = Number({Atom(second, "log_low", is_float=True): Fraction(1)}, -2000)
        y = a_float(one if quotient else x.expansion * length(1.0, 2.0, -1), "y")
        cuts: Cuts = {(function, "log"): log, (function, "log_low"): log_low}
        cuts[function, "y" if kernel is pow_f64.pow_in_two_parts else "d"] = y
        by = y.expansion.inverse() if quotient else y.expansion
        truth = (log.expansion + log_low.expansion) * by
        machine = Machine(module, cuts)

        def part() -> float:
            machine.reach(name, _any(kernel), slots)
            first, rest = (machine.reached[slot] for slot in slots)
            off = first.expansion + rest.expansion - truth
            inside = rest.size <= arb(first.range.lower()) * sums.SECOND
            return part_of(off, x.expansion.scaled(arb(PRODUCT))) if inside else inf

        return machine, part

    for ends in pieces(1.0, 2.0, CUTS):
        proof.bound("log·y", measure, variable(*ends))
    return proof


def _sum(kernel: Kernel, within: str) -> Proof:
    """A test of the power of e of any exponent, and of its logarithm's margin. `within` is the
    function with the slots k, q and q_low."""
    proof = Proof("sum", exp_f64, ("MARGIN",))
    module, name = linked(kernel)
    most = pow_f64.LARGEST * OF_LOG
    lost = arb(sums.LOST) + sums.LARGEST * PRODUCT
    for i in sums.INDICES:
        scale = (arb(2).log() * i / sums.STEPS).exp()

        def run(q: Number, i: int = i, scale: Ball = scale) -> tuple[Any, ...]:
            q_low, of_log = small(sums.LOW, "q_low"), between(0.0, most)
            parts = {"k": i, "q": q, "q_low": q_low, "of_log": of_log}
            cuts = {(within, slot): value for slot, value in parts.items()}
            left = q.expansion + q_low.expansion + Expansion.error(lost, "reduction")
            truth = left.of(arb_series.exp).scaled(scale)
            off = truth * of_log.expansion
            return Machine(module, cuts), name, _any(kernel), Within(truth, off, off)

        for ends in pieces(-sums.MOST, sums.MOST, CUTS):
            proof.attempt(f"step {i}", run, variable(*ends))
    return proof


@cache
def log() -> Proof:
    return _logarithm(pow_f64.pow_in_two_parts)


@cache
def product() -> Proof:
    return _exponent(pow_f64.pow_in_two_parts, quotient=False)


@cache
def pow() -> Proof:
    return _sum(pow_f64.pow, "pow_in_two_parts")


def product_of_compound() -> Proof:
    return _exponent(rootn_f64.compound_in_two_parts, quotient=False)


def compound() -> Proof:
    return _sum(rootn_f64.compound, "power_of_logarithm")


def log_of_root() -> Proof:
    return _logarithm(rootn_f64.rootn_in_two_parts)


def quotient() -> Proof:
    return _exponent(rootn_f64.rootn_in_two_parts, quotient=True)


def rootn() -> Proof:
    return _sum(rootn_f64.rootn, "power_of_logarithm")
