"""float64 atan2 and atan2pi at LOW: for every slope of legs of any length.

A cell is of slopes, times a long leg of which nothing is known but a part of the binade: what is
computed of two legs is computed of both twice as long too, but whether the short one is far, next
to where that changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import frexp

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
from tools.prove.rounding.claims.arc_low_f64 import ATAN
from tools.prove.rounding.expansions import Ball, Expansion
from tools.prove.rounding.machine import Machine, UndecidedError
from tools.prove.rounding.numbers import Number, constant
from tools.prove.rounding.ulps import LEAST, Cuts, most, off_at_most, promised

from samebits.lang.kernel import Kernel
from samebits.mathlib.float64 import atanpi_low_f64
from samebits.mathlib.float64 import inverse_trigonometric_low_f64 as kernels

SHORTEST = -1021
"""Long legs are 2^SHORTEST at least."""
FAR = Fraction(kernels.TAN_EIGHTH_PI)
"""Slopes above are far; those nearer to it than AROUND of it are taken both ways."""
AROUND = Fraction(1, 2**20)
TINY = -60
"""Slopes up to 2^TINY are taken together where the angle is not next to 0."""
PARTS = 4
"""Of a binade of long legs."""
POINTS = [(steep, back, below) for steep in (False, True) for back in (False, True)
          for below in (False, True)]  # fmt: skip
"""Whether the short leg is x; whether x is negative; whether y is."""
PI = arb.pi()
HEIGHT, WIDTH, STEEP = (("atan2", slot) for slot in ("height", "width", "steep"))
IS_FAR = ("angle", "far")
POSITIVE, NEGATIVE = variable(1.0, 2.0), variable(-2.0, -1.0)
"""An argument of which but the sign all is replaced."""
Slopes = tuple[float | Fraction, float | Fraction]


def slopes(*, to_zero: bool) -> Iterator[tuple[Slopes, bool | None]]:
    """All up to 1, but those up to 2^LEAST where `to_zero`; whether they are to be taken as far."""
    first, last = FAR * (1 - AROUND), FAR * (1 + AROUND)
    if not to_zero:
        yield (0.0, 2.0**TINY), None
    for low, high in binades(LEAST if to_zero else TINY, frexp(float(FAR))[1] - 2):
        yield (low, high), None
    yield (high, first), None
    yield (first, last), False
    yield (first, last), True
    yield (last, 0.5), None
    yield (0.5, 1.0), None


@dataclass(frozen=True)
class _Points:
    """Of one order of legs and one sign of each; `unit` is that of the angle."""

    kernel: Kernel
    unit: Ball
    steep: bool
    back: bool
    below: bool

    @property
    def next_to_zero(self) -> bool:
        return not (self.steep or self.back)

    def show(self, proof: Proof) -> None:
        where = f"slopes{', steep' * self.steep}{', back' * self.back}{', below' * self.below}"
        for ends, far in slopes(to_zero=self.next_to_zero):
            for lengths in pieces(1.0, 2.0, PARTS):
                measure = partial(self._measure, proof, lengths, far)
                proof.bound(f"{where}, long {lengths[0]}", measure, variable(*ends))
        if self.next_to_zero:
            self._tiny(proof)

    def _measure(
        self, proof: Proof, lengths: tuple[float, float], far: bool | None, slope: Number
    ) -> Measured:
        long = length(*lengths)
        short = a_float(slope.expansion * long, "short")
        machine = self._machine(short, a_float(long, "long"), far)

        def part() -> float:
            truth = self._angle(ATAN(slope.expansion))
            return off_at_most(self._result(machine), truth) / most(proof)

        return machine, part

    def _machine(self, short: Number, long: Number, far: bool | None) -> Machine:
        legs = (long, short) if self.steep else (short, long)
        cuts: Cuts = {HEIGHT: legs[0], WIDTH: legs[1], STEEP: self.steep}
        if far is not None:
            cuts = {**cuts, IS_FAR: far}
        return Machine(linked(self.kernel)[0], cuts)

    def _result(self, machine: Machine) -> Number:
        y, x = NEGATIVE if self.below else POSITIVE, NEGATIVE if self.back else POSITIVE
        (found,) = machine.call(linked(self.kernel)[1], [y, x])
        if not isinstance(found, Number):
            raise UndecidedError("a result")
        return found

    def _angle(self, angle: Expansion) -> Expansion:
        """Of the point, of that of the legs."""
        if self.steep:
            angle = Expansion.constant(PI / 2) - angle
        if self.back:
            angle = Expansion.constant(PI) - angle
        return angle.scaled(-self.unit if self.below else self.unit)

    def _tiny(self, proof: Proof) -> None:
        """The angle of slopes up to 2^LEAST is between 0 and that: so is the result nearly, whose
        ULP is 2^LEAST; and that of 0 is 0."""
        one = a_float(length(1.0, 2.0), "long")
        for high in (0.0, 2.0**LEAST):
            short = constant(0.0)
            if high:
                short = a_float(variable(0.0, high).expansion * length(1.0, 2.0), "short")
            machine = self._machine(short, one, None)
            found = self._result(machine)
            proof.take(machine)
            within = most(proof) * arb(2) ** LEAST - high if high else arb(0)
            if not found.size <= within:
                proof.failures.append(f"slopes up to {high}")


def choices(proof: Proof) -> None:
    """Slopes are far as said, for the shortest long legs too, whose part is subnormal."""
    module, name = linked(kernels.angle)
    for lengths in pieces(2.0**SHORTEST, 2.0 ** (SHORTEST + 1), PARTS):
        for ends, far in (
            ((0.0, 2.0**-2), False), ((2.0**-2, FAR * (1 - AROUND)), False),
            ((FAR * (1 + AROUND), 1.0), True),
        ):  # fmt: skip
            long, slope = length(*lengths), variable(*ends)
            machine = Machine(module)
            args = [a_float(slope.expansion * long, "short"), a_float(long, "long")]
            machine.reach(name, args, [IS_FAR])
            proof.take(machine)
            if machine.reached[IS_FAR] is not far:
                proof.failures.append(f"slopes in {ends} of {lengths}")


def _angles(function: str, kernel: Kernel, unit: Ball) -> Proof:
    """Of angles times `unit`."""
    proof = promised(function, "LOW")
    choices(proof)
    for point in POINTS:
        _Points(kernel, unit, *point).show(proof)
    return proof


def atan2() -> Proof:
    return _angles("atan2", kernels.atan2, arb(1))


def atan2pi() -> Proof:
    return _angles("atan2pi", atanpi_low_f64.atan2pi, 1 / PI)
