"""float32 atan2 and atan2pi at HIGH.

For every slope of two legs, of which no more than that counts: the quotient is of both twice as
long too, and nothing of it is beyond the normal numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from types import SimpleNamespace

from flint import arb
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
from tools.prove.rounding.claims.two_legs_f64 import TURNS, angle_of
from tools.prove.rounding.expansions import Ball, Expansion
from tools.prove.rounding.machine import Machine
from tools.prove.rounding.narrow import used
from tools.prove.rounding.numbers import Number, constant
from tools.prove.rounding.rounding_rules import BINARY32

from samebits.lang.kernel import Kernel
from samebits.mathlib.float32 import atan2_f32, atanpi_f32
from samebits.mathlib.float32.atan_f32 import TAN_EIGHTH

LEAST = -277
"""Slopes are 2^-149/2^128 at least."""
TIED = Fraction(1, 2**50)
"""What tells the middle slopes is rounded: next to it by less than that, slopes are of either."""
CUTS = 16
"""Pieces of the middle slopes."""


def slopes(*, middle: bool) -> Iterator[Number]:
    """All above 0, of those that go this way. They are no floats."""
    turn = Fraction(TAN_EIGHTH)
    if middle:
        low = turn * (1 - TIED)
        ends = [low + (1 - low) * k / CUTS for k in range(CUTS + 1)]
        yield from (variable(a, b) for a, b in pairwise(ends))
        return
    yield from (variable(*ends) for ends in binades(LEAST, -3))
    yield from (variable(a, min(Fraction(b), turn * (1 + TIED))) for a, b in pieces(0.25, 0.5, 4)
                if a < turn)  # fmt: skip


def _angles(proof: Proof, kernel: Kernel, unit: Ball) -> Proof:
    """Angles times `unit`."""
    module, name = linked(kernel)
    function = name.rpartition(".")[2]
    for steep, back in TURNS:
        x = variable(-2.0, -1.0) if back else variable(1.0, 2.0)
        args = [variable(1.0, 2.0), x]
        for middle in (False, True):

            def measure(slope: Number, steep: bool = steep, back: bool = back,
                        middle: bool = middle, args: list[Number] = args) -> Measured:  # fmt: skip
                long = length(1.0, 2.0)
                legs = {
                    "over": a_float(slope.expansion * long, "over", format=BINARY32),
                    "under": a_float(long, "under", format=BINARY32),
                }
                cuts = {**legs, "steep": steep, "middle": middle}
                machine = Machine(module, {(function, slot): it for slot, it in cuts.items()})
                truth = angle_of(slope.expansion, steep, back).scaled(unit)
                return machine, lambda: used(machine.test(name, args), truth)

            where = f"{'middle' * middle}{', steep' * steep}{', back' * back}"
            for slope in slopes(middle=middle):
                proof.bound(where, measure, slope)
        if steep or back:  # else it is 0 on both sides
            zero = {"over": constant(0.0), "under": constant(1.0), "steep": steep}
            machine = Machine(module, {(function, slot): it for slot, it in zero.items()})
            truth = angle_of(Expansion.constant(arb(0)), steep, back).scaled(unit)
            proof.note(arb(used(machine.test(name, args), truth)), "no short leg")
            proof.take(machine)
    return proof


def _proof(above: float) -> Proof:
    margin = SimpleNamespace(MARGIN=above - 1.0)
    return Proof("angle", margin, ("MARGIN",))  # type: ignore[arg-type]


def atan2() -> Proof:
    return _angles(_proof(atan2_f32.ABOVE), atan2_f32.atan2, arb(1))


def atan2pi() -> Proof:
    return _angles(_proof(atanpi_f32.ABOVE), atanpi_f32.atan2pi, 1 / arb.pi())
