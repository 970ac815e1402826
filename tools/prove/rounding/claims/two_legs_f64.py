"""float64 atan2 and atan2pi at HIGH: slope by slope of the table, for legs of any length.

A cell is of slopes, times a long leg of which nothing is known but a part of the binade: what is
computed of two legs is computed of both twice as long too, but for the legs themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import frexp
from typing import Any

from flint import arb, arb_series
from tools.prove.rounding.cells import Proof, a_float, binades, length, linked, pieces, variable
from tools.prove.rounding.expansions import Ball, Expansion
from tools.prove.rounding.machine import Machine
from tools.prove.rounding.numbers import Number, combined, constant, expanded

from samebits.lang.kernel import Kernel
from samebits.mathlib.float64 import atanpi_f64
from samebits.mathlib.float64 import inverse_trigonometric_f64 as kernels

COUNTS = range(65)
HALF_STEP = Fraction(1, 128)
TIED = Fraction(1, 2**50)
"""Times a slope: a tie goes to an even count, so that a slope that is rounded to one may be as far
beyond it as it was rounded; `TIED` is more than that."""
TOGETHER = -36
"""Slopes nearer than 2^TOGETHER to one of the table are taken together."""
LEAST = -960
"""Slopes are 2^LEAST at least: the short leg is at least 2^-480, the long one at most 2^480."""
PARTS = 4
"""Of a binade of long legs."""
TURNS = (False, False), (True, False), (False, True), (True, True)
"""Whether the short leg is x, and whether x is negative."""


def _slopes(i: int) -> Iterator[Number]:
    """Those of a count, by their distance from i/64, in binades. They are no floats."""
    if not i:
        yield from (variable(*ends) for ends in binades(LEAST, -8))
        yield variable(HALF_STEP, HALF_STEP * (1 + TIED))
        return
    middle, beyond = Fraction(i, 64), 0 if i % 2 else TIED
    low = (middle - HALF_STEP) * (1 - beyond)
    high = min((middle + HALF_STEP) * (1 + beyond), Fraction(1))
    tiny = Fraction(2) ** TOGETHER
    for side, end in ((1, high), (-1, low)):
        left, near = side * (end - middle), tiny
        while near < left:
            far = min(2 * near, left)
            yield variable(*sorted((middle + side * near, middle + side * far)))
            near = far
    yield variable(max(low, middle - tiny), min(high, middle + tiny))


def _lengths(slopes: Number) -> Iterator[tuple[float, float]]:
    """Of the long leg, such that both are between 2^-480 and 2^480."""
    assert slopes.ends is not None
    e = -frexp(slopes.ends[0])[1] // 2
    return pieces(2.0**e, 2.0 ** (e + 1), PARTS)


def angle_of(slope: Expansion, steep: bool, back: bool) -> Expansion:
    """Of the point with these legs."""
    angle = slope.of(arb_series.atan)
    if steep:
        angle = Expansion.constant(arb.pi() / 2) - angle
    return Expansion.constant(arb.pi()) - angle if back else angle


@dataclass(frozen=True)
class _Cells:
    """One count of steps and one order of legs; `unit` is that of the angle."""

    kernel: Kernel
    unit: Ball
    i: int
    steep: bool
    back: bool

    def show(self, proof: Proof) -> None:
        where = f"slope {self.i}/64{', steep' * self.steep}{', back' * self.back}"
        for slopes in _slopes(self.i):
            for lengths in _lengths(slopes):
                proof.attempt(f"{where}, long {lengths[0]}", partial(self._run, lengths), slopes)

    def _run(self, lengths: tuple[float, float], slopes: Number) -> tuple[Any, ...]:
        module, name = linked(self.kernel)
        long = length(*lengths)
        function = name.rpartition(".")[2]
        cuts = {
            (function, "short"): a_float(slopes.expansion * long, "short"),
            (function, "long"): a_float(long, "long"),
            (function, "steep"): self.steep,
            ("angle_in_two_parts", "rounded"): constant(kernels.STEPS_ROUNDER + self.i / 64),
        }
        args = [variable(1.0, 2.0), variable(-2.0, -1.0) if self.back else variable(1.0, 2.0)]
        truth = angle_of(slopes.expansion, self.steep, self.back).scaled(self.unit)
        return Machine(module, cuts), name, args, truth


def _angles(kernel: Kernel, unit: Ball) -> Proof:
    """Of angles times `unit`."""
    proof = Proof("sum", kernels, ("REST_MARGIN", "MARGIN"))
    if kernels.SHORT / kernels.LONG < 2.0**LEAST:
        proof.failures.append("LEAST")
    for i in COUNTS:
        for steep, back in TURNS:
            _Cells(kernel, unit, i, steep, back).show(proof)
    for steep, back in TURNS:
        _no_short_leg(proof, kernel, unit, steep, back)
    return proof


def _no_short_leg(proof: Proof, kernel: Kernel, unit: Ball, steep: bool, back: bool) -> None:
    """Where the short leg is 0, the angle is some quarter turns."""
    module, name = linked(kernel)
    function = name.rpartition(".")[2]
    legs = [constant(0.0), variable(1.0, 2.0)]
    x, y = legs if steep else legs[::-1]
    if back:
        x = constant(-0.0) if steep else variable(-2.0, -1.0)
    cuts = {(function, "short"): legs[0], (function, "long"): legs[1], (function, "steep"): steep}
    machine = Machine(module, cuts)
    slots = [(function, "q" if kernel is atanpi_f64.atan2pi else "s"), (function, "low")]
    machine.reach(name, [y, x], slots)
    proof.take(machine)
    s, low = (machine.reached[slot] for slot in slots)
    turns = angle_of(Expansion.constant(arb(0)), steep, back).scaled(unit).range()
    off = abs(expanded(combined(s.form, low.form, Fraction(1))).range() - turns)
    if not off <= arb(kernels.MARGIN) / 2 * turns:
        proof.failures.append(f"no short leg{', steep' * steep}{', back' * back}")


def atan2() -> Proof:
    return _angles(kernels.atan2, arb(1))


def atan2pi() -> Proof:
    return _angles(atanpi_f64.atan2pi, 1 / arb.pi())
