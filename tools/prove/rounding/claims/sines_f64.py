"""float64 sines of half turns in two parts, as quotients and logarithms take them.

Index by index of the table, for every part of a step; of other indices as `trigonometric_f64`
says.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache, partial
from math import inf

from flint import arb, arb_series
from tools.prove.rounding.cells import (
    Measured,
    Proof,
    a_float,
    length,
    linked,
    part_of,
    small,
    variable,
)
from tools.prove.rounding.claims import trigonometric_f64
from tools.prove.rounding.claims.gamma_steps_f64 import is_rest
from tools.prove.rounding.claims.trigonometric_f64 import ANY, LEAST, TOGETHER, parts
from tools.prove.rounding.expansions import Expansion
from tools.prove.rounding.machine import First, Firsts, Machine
from tools.prove.rounding.numbers import Atom, Number, combined

from samebits.ir.grammar import Module
from samebits.lang.kernel import Kernel
from samebits.mathlib.float64 import trigonometric_f64 as kernels

SINE = kernels.sinpi, "sinpi"
SOME = 45
"""An index of the table."""
INDICES = trigonometric_f64.INDICES
LEAST_SINE = 2.0**-899
"""Of arguments from 2^LEAST on, where not 0."""
SECOND = 2.0**-52
"""Times a sine, bounds its second part where the first is rounded, and LOW where it is not yet."""
LOW = 2.0**-13
OF_SINE = 2.0**-60
"""Times a sine, bounds its margin."""
ROOM = 1 + 2.0**-12
"""Times either, bounds a sine and its first part."""
SHARE = 1 - 2.0**-20
"""Of the margin of a sine, is what it is off: what is left is for what is made of it."""


@cache
def half_turns() -> Proof:
    """sin πx as a sum of two parts, as near as its margin says."""
    proof = Proof("sine", kernels, ("SERIES_MARGIN", "MARGIN"))
    unit = linked(SINE[0])
    trigonometric_f64.symmetric(proof)
    trigonometric_f64.reduction(proof)
    for i in INDICES:
        cell = partial(_sine, unit, i)
        if i:
            proof.bound(f"step {i}", cell, variable(-(2.0**TOGETHER), 2.0**TOGETHER))
        for f in parts(TOGETHER if i else LEAST):
            proof.bound(f"step {i}", cell, f)
    return proof


def _sine(unit: tuple[Module, str], i: int, f: Number) -> Measured:
    module, name = unit
    machine = Machine(module, {("reduce_half_turns", "f"): f, (SINE[1], "n"): i})
    slots = [(SINE[1], slot) for slot in ("s", "low", "margin")]

    def part() -> float:
        machine.reach(name, ANY, slots)
        s, low, margin = (machine.reached[slot] for slot in slots)
        argument = f.expansion.scaled(arb.pi())
        if i:
            argument = argument + Expansion.constant(arb.pi() * i / 256)
        least = arb(s.range.abs_lower())
        inside = least >= LEAST_SINE * ROOM and low.size <= least * LOW
        inside = inside and margin.size * ROOM <= least * OF_SINE
        off = s.expansion + low.expansion - argument.of(arb_series.sin)
        return part_of(off, margin.expansion.scaled(arb(SHARE))) if inside else inf

    return machine, part


def rounded(proof: Proof, kernel: Kernel, within: str, args: list[Number], *, size: bool) -> None:
    """The slots sine and sine_low of `within` sum up to its s and s_low, or to the magnitude, and
    the second is what rounding the first left."""
    module, name = linked(kernel)
    slots = [(within, slot) for slot in ("sine", "sine_low")]
    unit = length(1.0, 2.0)
    low = Atom(Expansion.error(arb(LOW), "s_low", unit.unit), "s_low", is_float=True)
    for sign in (Fraction(1), Fraction(-1)):
        s = a_float(unit, "s")
        s_low = Number({low: sign}, -2000)
        held = s if sign > 0 else Number(combined({}, s.form, sign), s.grid, limit=-s.range)
        cuts = {(within, "s"): held, (within, "s_low"): First(s_low)}
        machine = Machine(module, cuts)
        machine.reach(name, args, slots)
        proof.take(machine)
        sine, sine_low = (machine.reached[slot] for slot in slots)
        whole = combined(s.form, {low: Fraction(1)}, Fraction(1))
        if sign < 0 and not size:
            whole = combined({}, whole, sign)
        exact = combined(sine.form, sine_low.form, Fraction(1)) == whole
        if not (exact and is_rest(sine_low, sine)):
            proof.failures.append(f"{within} rounds its sine")
    taken = _parts(kernel, within, "s_low", "s_margin", args)
    if taken != _parts(*SINE, "low", "margin", args):
        proof.failures.append(f"{within} takes another sine")


def _parts(
    kernel: Kernel, within: str, low: str, margin: str, args: list[Number]
) -> tuple[str, ...]:
    """What of |x| reductions are given, and what is made of one they may give."""
    module, name = linked(kernel)
    held = {"n": SOME, "d": variable(2.0**-8, 2.0**-7), "d_low": small(2.0**-60, "d_low")}
    machine = Machine(module, {(within, slot): value for slot, value in held.items()}, Firsts())
    found = [(within, slot) for slot in ("s", low, margin)]
    machine.reach(name, args, found)
    size = machine.reached["reduce_half_turns", "x"].size
    return str(size), *(str(machine.reached[slot].range) for slot in found)
