"""float64 sines of half turns in two parts, as quotients and logarithms take them: index by index
of the table, for every part of a step; of other indices as `trigonometric_f64` says."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from math import inf

from flint import arb, arb_series
from tools.prove.rounding.cells import Measured, Proof, linked, part_of, variable
from tools.prove.rounding.claims import trigonometric_f64
from tools.prove.rounding.claims.gamma_steps_f64 import is_rest
from tools.prove.rounding.claims.trigonometric_f64 import LEAST, TOGETHER, parts
from tools.prove.rounding.expansions import Expansion
from tools.prove.rounding.machine import Machine
from tools.prove.rounding.numbers import Number, combined

from samebits.ir.grammar import Module
from samebits.lang.kernel import Kernel
from samebits.mathlib.float64 import trigonometric_f64 as kernels

INDICES = trigonometric_f64.INDICES
SECOND = 2.0**-52
"""Times a sine, bounds its second part."""
LEAST_SINE = 2.0**-899
"""Of arguments from 2^LEAST on, where not 0."""
SHARE = 1 - 2.0**-20
"""Of the margin of a sine, is what it is off: what is left is for what is made of it."""


def half_turns(kernel: Kernel, within: str, first: str, args: list[Number], most: float) -> Proof:
    """Of `within`, sine + sine_low is what the slots `first` and s_low sum up to, the second part
    what rounding the first left, and as near as s_margin says: at most `most` times the sine.
    `first` may be its magnitude."""
    proof = Proof("sine", kernels, ("SERIES_MARGIN", "MARGIN"))
    unit = linked(kernel)
    trigonometric_f64.symmetric(proof)
    trigonometric_f64.reduction(proof)
    for i in INDICES:
        cell = partial(_sine, unit, within, first, args, most, i)
        if i:
            proof.bound(f"step {i}", cell, variable(-(2.0**TOGETHER), 2.0**TOGETHER))
        for f in parts(TOGETHER if i else LEAST):
            proof.bound(f"step {i}", cell, f)
    return proof


def _sine(
    unit: tuple[Module, str], within: str, first: str, args: list[Number], most: float, i: int,
    f: Number,
) -> Measured:  # fmt: skip
    module, name = unit
    machine = Machine(module, {("reduce_half_turns", "f"): f, (within, "n"): i})
    slots = [(within, slot) for slot in (first, "s_low", "s_margin", "sine", "sine_low")]

    def part() -> float:
        machine.reach(name, args, slots)
        s, low, margin, sine, sine_low = (machine.reached[slot] for slot in slots)
        argument = f.expansion.scaled(arb.pi())
        if i:
            argument = argument + Expansion.constant(arb.pi() * i / 256)
        truth = argument.of(arb_series.sin)
        if truth.range() < 0 < s.range:
            truth = truth.scaled(arb(-1))
        whole = combined(s.form, low.form, Fraction(1))
        exact = combined(sine.form, sine_low.form, Fraction(1)) == whole
        least = arb(sine.range.abs_lower())
        exact = exact and (is_rest(sine_low, sine) or sine_low.value == 0)
        exact = exact and sine_low.size <= least * SECOND and margin.size <= least * most
        exact = exact and least >= LEAST_SINE
        off = s.expansion + low.expansion - truth
        return part_of(off, margin.expansion.scaled(arb(SHARE))) if exact else inf

    return machine, part
