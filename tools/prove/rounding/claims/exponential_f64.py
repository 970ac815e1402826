"""float64 exp, exp2 and exp10 at HIGH: table index by table index.

What is shown of a reduction holds for every count of steps; the power is then shown for each of the
128 indices, with any reduced argument that a reduction can give.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

from flint import arb, arb_series
from tools.prove.rounding.cells import Proof, both_signs, linked, pieces, small, variable
from tools.prove.rounding.expansions import Ball, Expansion, magnitude
from tools.prove.rounding.machine import Machine
from tools.prove.rounding.numbers import Number, error_atom

from samebits.lang.kernel import Kernel
from samebits.mathlib.float64 import exp_f64

STEPS = 128
INDICES = range(STEPS)
CUTS = 8
"""Pieces of the reduced argument."""
TINY = -60
"""Arguments below 2^TINY are taken together."""
Slot = tuple[str, str]
ONE = arb(1)


def reduced(
    proof: Proof, kernel: Kernel, largest: float, slots: tuple[Slot, ...], count: Slot, step: Ball,
    scale: Ball = ONE, zero: float = 0.0, least: float = -inf,
) -> tuple[list[Ball], Ball]:  # fmt: skip
    """Bounds of what is in the slots `slots`, and of how far its sum is from scale·x - k·step,
    where the slot `count` holds k + zero; for every argument from `least` or -largest on."""
    module, name = linked(kernel)
    most, lost = [arb(0) for _ in slots], arb(0)
    for cell in both_signs(TINY, largest):
        assert cell.ends is not None
        low, high = cell.ends
        if high <= least:
            continue
        x = variable(max(low, least), high)
        machine = Machine(module)
        machine.reach(name, [x], slots)
        proof.take(machine)
        parts: list[Number] = [machine.reached[slot] for slot in slots]
        k = machine.reached[count].expansion - Expansion.constant(arb(zero))
        off = k.scaled(step) - x.expansion.scaled(scale)
        for part in parts:
            off = off + part.expansion
        most = [max_of(a, part.size) for a, part in zip(most, parts, strict=True)]
        lost = max_of(lost, magnitude(off.range()))
    return most, lost


def max_of(a: Ball, b: Ball) -> Ball:
    return b if b > a else a


def _powers(
    proof: Proof, kernel: Kernel, index: Slot, slots: tuple[Slot, ...], bounds: list[Ball],
    lost: Ball, of: Callable[[Expansion], Expansion],
) -> None:  # fmt: skip
    """For every index of the table, and every argument in the slots within the bounds: a test of
    2^(index/128)·e^of(argument)."""
    module, name = linked(kernel)
    largest = float(bounds[0].upper())
    for i in INDICES:
        scale = (arb(2).log() * i / STEPS).exp()

        def run(first: Number, i: int = i, scale: Ball = scale) -> tuple[Any, ...]:
            lows = [small(b, s[1]) for b, s in zip(bounds[1:], slots[1:], strict=True)]
            parts = [first, *lows]
            machine = Machine(module, {index: i, **dict(zip(slots, parts, strict=True))})
            argument = error_atom(lost, "reduction").expansion
            for part in parts:
                argument = argument + part.expansion
            truth = of(argument).of(arb_series.exp).scaled(scale)
            return machine, name, [variable(-1.0, 1.0)], truth

        for low, high in pieces(-largest, largest, CUTS):
            proof.attempt(f"step {i}", run, variable(low, high))


def exp() -> Proof:
    proof = Proof("sum", exp_f64, ("MARGIN",))
    kernel = exp_f64.exp
    slots = (("exp", "r"), ("exp", "r_low"))
    bounds, lost = reduced(
        proof, kernel, exp_f64.LARGEST, slots, ("reduce_exp", "k"), arb(2).log() / STEPS
    )
    _powers(proof, kernel, ("exp", "k"), slots, bounds, lost, lambda r: r)
    return proof


def exp2() -> Proof:
    proof = Proof("sum", exp_f64, ("MARGIN",))
    slots = (("exp2", "f"),)
    bounds, lost = reduced(
        proof, exp_f64.exp2, exp_f64.LARGEST_2, slots, ("exp2", "rounded"), arb(1)
    )
    _powers(proof, exp_f64.exp2, ("exp2", "k"), slots, bounds, lost,
            lambda f: f.scaled(arb(2).log()))  # fmt: skip
    return proof


def exp10() -> Proof:
    proof = Proof("sum", exp_f64, ("MARGIN_10",))
    slots = (("exp10", "near"), ("exp10", "f_low"))
    step = (arb(2).log() / arb(10).log()) / STEPS
    bounds, lost = reduced(
        proof, exp_f64.exp10, exp_f64.LARGEST_10, slots, ("exp10", "count"), step
    )
    _powers(proof, exp_f64.exp10, ("exp10", "k"), slots, bounds, lost,
            lambda f: f.scaled(arb(10).log()))  # fmt: skip
    return proof
