"""float64 exponents in two parts.

How near a count of steps of log(2)/128 and what is left are to them. What is made of these parts
is a phase of those who ask for it.
"""

from __future__ import annotations

import sys
from functools import cache
from math import frexp, inf

from flint import arb
from tools.prove.rounding.cells import Proof, binades, linked, pieces, small, variable
from tools.prove.rounding.expansions import magnitude
from tools.prove.rounding.machine import Machine

from samebits.mathlib.float64 import pow_f64

STEPS = 128
INDICES = range(STEPS)
LARGEST = 709.0
"""Bounds the first part."""
SECOND = 2.0**-51
"""Times the first part, bounds the second."""
MOST = 0.0027077
"""Bounds what is left, r."""
LOW = 1.001 * 2.0**-62
"""Bounds its low part."""
LOST = 2.0**-78
"""Bounds what is lost."""
TINY = -60
"""First parts below 2^TINY are taken together."""
CUTS = 4
"""Pieces of a binade."""
NAME = "reduce_exp_sum"


@cache
def reduction() -> Proof:
    """For any sum of two parts."""
    return up_to(LARGEST)


def up_to(largest: float) -> Proof:
    """The same where first parts go farther."""
    proof = Proof("reduction", sys.modules[__name__], ("LOST",))
    module, name = linked(pow_f64.reduce_exp_sum)
    cells = [variable(-(2.0**TINY), 2.0**TINY)]
    for first, last in binades(TINY, frexp(largest)[1] - 1):
        for low, high in pieces(first, min(last, largest), CUTS):
            cells += variable(low, high), variable(-high, -low)
    for x in cells:
        x_low = small(x.size * SECOND, "x_low")
        machine = Machine(module)
        _, r, r_low = machine.call(name, [x, x_low])
        k = machine.reached[NAME, "k"]
        found = k.expansion.scaled(arb(2).log() / STEPS) + r.expansion + r_low.expansion
        off = magnitude((found - x.expansion - x_low.expansion).range())
        within = k.grid >= 0 and r.size <= MOST and r_low.size <= LOW
        proof.take(machine)
        proof.note(off / LOST if within else arb(inf), f"x in {x.ends}")
    return proof
