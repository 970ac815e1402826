"""float64 hypot at HIGH.

How far the sum of two squares in two parts is off of which it takes the root, for all legs that
the fast phase decides. What that makes of it is a phase of its own.
"""

from __future__ import annotations

import sys
from fractions import Fraction
from math import inf, isqrt, nextafter

from flint import arb
from tools.prove.rounding.cells import Proof, linked, variable
from tools.prove.rounding.claims.trigonometric_f64 import between
from tools.prove.rounding.expansions import magnitude
from tools.prove.rounding.machine import Machine
from tools.prove.rounding.numbers import Form, combined, expanded

from samebits.mathlib.float64 import roots_f64

SQUARES = range(-900, 901)
"""Exponents of squares of the larger leg."""
SUMS = (-900, -899, 0, 1, 900, 901)
"""Exponents of sums of two squares: the least, the greatest, and two of all others. A sum that is
2^(2n) times as large has a root that is 2^n times as large, and so are all sums and products on the
way, of which none leaves the normal numbers at both ends."""
SLACK = 2.0**-102
"""Times the sum, bounds what it is off in two parts."""
LOW = 1.3 * 2.0**-50
"""Times the sum, bounds its second part."""
NAME = "hypot_in_two_parts"


def squares() -> Proof:
    """For every binade of the larger leg's square, as rounded, and any smaller leg: the greater
    square is then a multiple of the smaller one's unit in the last place."""
    proof = Proof("sum of squares", sys.modules[__name__], ("SLACK",))
    if 2.0 ** (SQUARES[0] // 2) > roots_f64.SMALL_LEG or 2.0 ** (SQUARES[-1] // 2) < (
        roots_f64.LARGE_LEG
    ):
        proof.failures.append("the range of legs")
    module, name = linked(roots_f64.hypot_in_two_parts)
    for e in SQUARES:
        least, most = _least(e), nextafter(_least(e + 1), 0.0)
        machine = Machine(module)
        found = ("a", "b", "square", "square_low")
        large, small = variable(least, most), between(0.0, most)
        machine.reach(name, [large, small], [(NAME, slot) for slot in found])
        proof.take(machine)
        a, b, square, low = (machine.reached[NAME, slot] for slot in found)
        off: Form = combined(square.form, low.form, Fraction(1))
        for product in (a, b):  # as it is before it is rounded
            off = combined(off, product.form, Fraction(-1))
            off = combined(off, {product.error: Fraction(1)}, Fraction(1))
        bound = arb(square.range.abs_lower())
        part = float(arb((magnitude(expanded(off).range()) / (bound * SLACK)).upper()))
        if not (part <= 1 and a.least == e and low.size <= bound * LOW):
            proof.failures.append(f"large in {large.ends}: {part:.4g}")
        if not part <= proof.worst:
            proof.worst, proof.where = part, f"large in {large.ends}"
    return proof


def _least(e: int) -> float:
    """The least float whose square, rounded, is 2^e at least."""
    root = float(isqrt(1 << 200 + e % 2)) * 2.0 ** (e // 2 - 100)
    return next(x for x in (nextafter(root, 0.0), root, nextafter(root, inf)) if x * x >= 2.0**e)
