"""float32 atan2 and atan2pi at LOW.

For every quotient t of two legs, rounded, of which no more than that counts. Below the normal
numbers a slope is off by half of their spacing, and an angle next to 0 is compared with that.
"""

from __future__ import annotations

from collections.abc import Iterator

from flint import arb
from tools.prove.rounding.cells import Measured, Proof, binades, linked, pieces, variable
from tools.prove.rounding.claims.two_legs_f64 import TURNS, angle_of
from tools.prove.rounding.expansions import Ball, Expansion, magnitude
from tools.prove.rounding.machine import Machine, UndecidedError
from tools.prove.rounding.numbers import Number, constant, error_atom
from tools.prove.rounding.rounding_rules import BINARY32
from tools.prove.rounding.ulps import Cuts, compare, most, promised

from samebits.lang.kernel import Kernel
from samebits.mathlib.float32 import atanpi_low_f32, trigonometry_low_f32

NORMAL = -126
"""The exponent of the least normal number."""
HALF_ULP = arb(2) ** -24
"""Times a slope, bounds how far it is rounded; of those below the normal numbers, half their
spacing does."""
HALF_SPACING = arb(2) ** (BINARY32.least - 1)
WIDE, CUTS = 0.125, 28
"""From here on, pieces of the slopes."""
ONE = Expansion.constant(arb(1))


def quotients() -> Iterator[tuple[float, float]]:
    """All normal ones."""
    yield from binades(NORMAL, -4)
    yield from pieces(WIDE, 1.0, CUTS)


def _given(kernel: Kernel, steep: bool, back: bool) -> tuple[Cuts, list[Number]]:
    x = constant(-1.5 if back else 1.5)
    return {("atan2", "steep"): steep}, [constant(1.5), x]


def _angles(proof: Proof, kernel: Kernel, unit: Ball) -> Proof:
    """Angles times `unit`."""
    for steep, back in TURNS:
        where = f"quotient{', steep' * steep}{', back' * back}"
        turned, args = _given(kernel, steep, back)

        def cuts(t: Number, turned: Cuts = turned) -> Cuts:
            return {**turned, ("atan_quotient", "t"): t}

        def truth(t: Expansion, steep: bool = steep, back: bool = back) -> Expansion:
            slope = t * (ONE + error_atom(HALF_ULP, "quotient").expansion)
            return angle_of(slope, steep, back).scaled(unit)

        for ends in quotients():
            compare(proof, kernel, truth, where, variable(*ends, format=BINARY32), cuts=cuts,
                    args=args, format=BINARY32)  # fmt: skip
        if steep or back:

            def next_to_0(t: Expansion, steep: bool = steep, back: bool = back) -> Expansion:
                return angle_of(t + error_atom(HALF_SPACING, "quotient").expansion, steep,
                                back).scaled(unit)  # fmt: skip

            few = variable(0.0, 2.0**NORMAL, format=BINARY32)
            compare(proof, kernel, next_to_0, where, few, cuts=cuts, args=args, format=BINARY32)
    _flat(proof, kernel, unit)
    return proof


def _flat(proof: Proof, kernel: Kernel, unit: Ball) -> None:
    """Angles next to 0, in units of the least number."""
    module, name = linked(kernel)
    turned, args = _given(kernel, False, False)

    def measure(t: Number) -> Measured:
        machine = Machine(module, {**turned, ("atan_quotient", "t"): t})
        slope = t.expansion + error_atom(HALF_SPACING, "quotient").expansion
        # atan t is less than t, by t³/3 at most.
        truth = (slope + error_atom(t.size**3 + HALF_SPACING**2, "series").expansion).scaled(unit)

        def part() -> float:
            (found,) = machine.call(name, args)
            if not isinstance(found, Number):
                raise UndecidedError("a result")
            error = magnitude((found.expansion - truth).range())
            return float((error / arb(2) ** BINARY32.least).upper()) / most(proof)

        return machine, part

    proof.bound("below the normal numbers", measure, variable(0.0, 2.0**NORMAL, format=BINARY32))


def atan2() -> Proof:
    proof = promised("atan2", "LOW", "float32")
    return _angles(proof, trigonometry_low_f32.atan2, arb(1))


def atan2pi() -> Proof:
    proof = promised("atan2pi", "LOW", "float32")
    return _angles(proof, atanpi_low_f32.atan2pi, 1 / arb.pi())
