"""float64 powers of e in two parts.

2^(i/128)·e^r of every index of the table and all that a reduction may leave. What relative error
they may have, those say who ask for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from types import ModuleType

from flint import arb, arb_series
from tools.prove.rounding.cells import Proof, linked, pieces, small, variable
from tools.prove.rounding.claims.exponent_sums_f64 import INDICES, LOST, LOW, MOST, STEPS
from tools.prove.rounding.expansions import Expansion, magnitude
from tools.prove.rounding.machine import Machine
from tools.prove.rounding.numbers import Number

from samebits.lang.kernel import Kernel

CUTS = 4
"""Pieces of r."""
POWERS = 0.99, 2.01
"""Between these are all powers, times powers of two."""


@dataclass(frozen=True)
class Power:
    """A kernel's power of e in two slots of the function `within`, which has k, r and r_low."""

    kernel: Kernel
    args: list[Number]
    within: str
    parts: tuple[str, str]
    second: float
    """Times the first part, bounds the second."""
    source: ModuleType
    bound: str
    """What the bound of the relative error is called in `source`, with what a reduction lost."""


def power(it: Power) -> Proof:
    """That it is within its bounds."""
    proof = Proof("power", it.source, (it.bound,))
    most = proof.margins()[it.bound]
    module, name = linked(it.kernel)
    slots = [(it.within, slot) for slot in it.parts]
    for i in INDICES:
        scale = (arb(2).log() * i / STEPS).exp()
        for ends in pieces(-MOST, MOST, CUTS):
            r, r_low = variable(*ends), small(LOW, "r_low")
            held = {"k": i, "r": r, "r_low": r_low}
            machine = Machine(module, {(it.within, slot): value for slot, value in held.items()})
            machine.reach(name, it.args, slots)
            proof.take(machine)
            s, low = (machine.reached[slot] for slot in slots)
            left = r.expansion + r_low.expansion + Expansion.error(arb(LOST), "reduction")
            truth = left.of(arb_series.exp).scaled(scale)
            off = magnitude((s.expansion + low.expansion - truth).range())
            least = arb(s.range.lower())
            inside = POWERS[0] < least and s.range.upper() < POWERS[1]
            inside = inside and low.size <= least * it.second
            proof.note(off / (least * most) if inside else arb(inf), f"step {i}, {ends}")
    return proof
