"""float32 hypot, for all legs.

At HIGH it has no margin: a tie's square is a float64, and rounding keeps order, so that a sum of
exact squares and its root, each rounded once, are on no other side of a tie than what they stand
for, but may be the tie itself, which is tested. At MEDIUM and LOW what is known of the legs is
how many times one is the other, and their hypotenuse.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from math import nextafter, sqrt

from flint import arb, arb_series
from tools.prove.rounding.cells import (
    Measured,
    Proof,
    a_float,
    binades,
    length,
    linked,
    pieces,
    variable,
)
from tools.prove.rounding.expansions import Ball, Expansion, magnitude
from tools.prove.rounding.machine import Machine, TieTest, UndecidedError
from tools.prove.rounding.numbers import Number
from tools.prove.rounding.rounding_rules import BINARY32, BINARY64
from tools.prove.rounding.ulps import most, off_at_most, promised

from samebits.lang.kernel import Kernel
from samebits.mathlib.float32 import hypot_f32, powers_fast_f32

DIGITS = BINARY64.digits
"""Bounds those of a tie's square."""
LEAST, SMALL, LARGE = -149, -126, 127
"""Exponents of the least number, the least normal one, and the greatest."""
ROOT_HALF = nextafter(sqrt(0.5), 1.0)
FAR = 13
"""Times a power of two so far below, a leg is taken with all that are shorter."""
LAST = 2.0**128 - 2.0**104
"""The greatest number."""
BINADES = {
    "MEDIUM": ((2.0**-126, 2.0**-125), (1.0, 2.0), (2.0**127, LAST)),
    "LOW": ((2.0**-50, 2.0**-49), (1.0, 2.0), (2.0**63, 1.4143 * 2.0**63)),
}
"""Of hypotenuses: the least, one between, and the greatest; all others are times powers of two, and
lose less below the normal numbers than the least ones."""
LENGTHS, RATIOS = 32, 8
"""Pieces of a binade of hypotenuses, and of what one leg is of the other."""
ONE = Expansion.constant(arb(1))


def _is_square(n: object, of: Number) -> bool:
    """Whether it is of this number, and exact."""
    return isinstance(n, Number) and n.made == ("mul", of, of) and n.error is None


def ties() -> Proof:
    """Squares are exact whatever the exponent, their sum and its root rounded once; what of the
    root is tested is whether it is a tie. Of results below the normal numbers, whose ties have
    other digits, no root is rounded to one."""
    proof = Proof("ties", sys.modules[__name__], ("DIGITS",))
    module, name = linked(hypot_f32.hypot)
    for low, high in binades(LEAST, LARGE):
        machine = Machine(module)
        x = variable(low, min(high, LAST), format=BINARY32)
        y = variable(low, min(high, LAST), format=BINARY32)
        test = machine.test(name, [x, y])
        proof.take(machine)
        total = test.of.made[1] if isinstance(test, TieTest) and test.margin == 0 else None
        if not (
            isinstance(test, TieTest)
            and test.of.made[0] == "sqrt"
            and isinstance(total, Number)
            and total.made[0] == "add"
            and all(_is_square(*pair) for pair in zip(total.made[1:], (x, y), strict=True))
        ):
            proof.failures.append(f"x and y in {x.ends}")
    proof.note(arb(2 * (BINARY32.digits + 1)) / DIGITS, "the square of a tie")
    _subnormal(proof)
    return proof


def _subnormal(proof: Proof) -> None:
    """With the spacing as the unit, a sum of squares N is an integer, of which a tie's square
    (j + 1/2)² is 1/4 away at least, and its root so much less as both roots' sum is."""
    module, name = linked(hypot_f32.hypot)
    unit = arb(2) ** LEAST
    x = variable(0.0, 2.0**SMALL, format=BINARY32)
    machine = Machine(module)
    machine.reach(name, [x, variable(0.0, 2.0**SMALL, format=BINARY32)], [("hypot", "total")])
    if machine.reached["hypot", "total"].error is not None:
        proof.failures.append("a sum below the normal numbers is rounded")
    for low, high in binades(2 * LEAST, 2 * SMALL):
        machine = Machine(module, {("hypot", "total"): variable(low, high)})
        machine.reach(name, [x, x], [("hypot", "root")])
        proof.take(machine)
        root = machine.reached["hypot", "root"]
        error = magnitude(root.error.expansion.range())
        apart = unit / 4 / (2 * arb(high).sqrt() / unit + 1)
        proof.note(error / apart, f"a sum of squares in {low, high}")


def _within(precision: str, kernel: Kernel) -> Proof:
    """Of every hypotenuse; so cut, no cell has a power of two between its results."""
    proof = promised("hypot", precision, "float32")
    module, name = linked(kernel)
    for binade in BINADES[precision]:
        for lengths in pieces(*binade, LENGTHS):

            def measure(ratio: Number, lengths: tuple[float, float] = lengths) -> Measured:
                root = length(*lengths)
                squares = ONE + ratio.expansion * ratio.expansion
                long = squares.of(arb_series.rsqrt) * root
                short = ratio.expansion * long
                args = [_leg(long, lengths[1]), _leg(short, lengths[1] * ROOT_HALF)]
                machine = Machine(module)

                def part() -> float:
                    (found,) = machine.call(name, args)
                    if not isinstance(found, Number):
                        raise UndecidedError("a result")
                    return off_at_most(found, root, BINARY32) / most(proof)

                return machine, part

            for ends in pieces(0.0, 1.0, RATIOS):
                proof.bound(f"a hypotenuse in {lengths}", measure, variable(*ends))
    return proof


def _leg(of: Expansion, longest: float) -> Number:
    """The longer leg is no longer than the hypotenuse, the shorter one than √½ of it."""
    leg = a_float(of, "leg", format=BINARY32)
    assert leg.ends is not None
    return replace(leg, ends=(max(leg.ends[0], 0.0), min(leg.ends[1], longest)))


def medium() -> Proof:
    """Below the normal numbers too: the longer leg binade by binade, and the other so."""
    proof = _within("MEDIUM", powers_fast_f32.hypot_medium)
    module, name = linked(powers_fast_f32.hypot_medium)
    for e in range(LEAST, SMALL):
        shorts = [(0.0, max(2.0 ** (e - FAR), 2.0**LEAST)), *binades(max(e - FAR, LEAST), e)]
        for short in shorts:

            def measure(x: Number, short: tuple[float, float] = short) -> Measured:
                machine = Machine(module)
                args = [x, variable(*short, format=BINARY32)]

                def part() -> float:
                    (found,) = machine.call(name, args)
                    if not isinstance(found, Number):
                        raise UndecidedError("a result")
                    lost = sum((_lost(n) for n in (found, found.made[1])), arb(0))
                    return float((lost / arb(2) ** LEAST).upper()) / most(proof)

                return machine, part

            x = variable(2.0**e, 2.0 ** (e + 1), format=BINARY32)
            proof.bound("below the normal numbers", measure, x)
    return proof


def _lost(n: object) -> Ball:
    """By rounding; a sum of squares is exact there."""
    if not isinstance(n, Number):
        return arb(0)
    if n.made[0] == "sqrt":
        total = n.made[1]
        if not isinstance(total, Number) or total.error is not None:
            raise UndecidedError("a sum that is rounded")
    return arb(0) if n.error is None else magnitude(n.error.expansion.range())


def low() -> Proof:
    return _within("LOW", powers_fast_f32.hypot_low)
