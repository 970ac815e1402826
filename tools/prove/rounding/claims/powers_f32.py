"""float32 pow, pown, powr, rootn and compound at HIGH.

Y·log2 x, or its quotient by n, for every exponent of x; then 2 to the power of any number that it
can be, count by count.

Of y and n only a length is known: where they are twice as large, so is all that is computed of
them. Where a logarithm is negative, or y, so is their product, and all else is as it is.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from flint import arb, arb_series
from tools.prove.rounding.cells import (
    Measured,
    Proof,
    a_float,
    length,
    linked,
    part_of,
    pieces,
    variable,
)
from tools.prove.rounding.claims.logarithm_f64 import exponent, log1p_of
from tools.prove.rounding.expansions import Expansion, magnitude
from tools.prove.rounding.machine import Machine, UndecidedError
from tools.prove.rounding.narrow import used
from tools.prove.rounding.numbers import ONE, Number, combined, constant, error_atom, expanded
from tools.prove.rounding.rounding_rules import BINARY32

from samebits.lang.kernel import Kernel
from samebits.mathlib.float32 import log_f32, pow_f32, rootn_f32
from samebits.mathlib.float32.exp_f32 import ROUNDER

OF_EXPONENT = 1.25 * 2.0**-50
"""Times what 2 is raised to, bounds what it is off."""
ROUNDED = 0.5 + 1.01 * 2.0**-18
"""How far what 2 is raised to is from its count at most: rounded to float32, then to an integer."""
LIMIT = 126.0 - 2.0**-18
"""A float32 below 126 is 126 - 2^-17 at most, and half of that spacing from what it was."""
LN2 = arb(2).log()
CUTS = 4
"""Pieces of what is left of an exponent, and of a significand."""
EXPONENTS = (*((2**k, 2 ** (k + 1) - 1) for k in range(7)), (128, 128),
             *((1 - 2 ** (k + 1), -(2**k)) for k in range(7)), (-149, -128))  # fmt: skip
"""Each of these ranges is one cell."""
LAST = BINARY32.round(Fraction(2) ** 128 - Fraction(2) ** 104)
COUNTS = range(-126, 127)
"""Integers next to what 2 is raised to."""
Cuts = dict[tuple[str, str], Any]


def float32_of(bits: int) -> float:
    """The number with these bits."""
    e, rest = divmod(bits, 1 << 23)
    return (1 + rest / 2.0**23) * 2.0 ** (e - 127)


LOW, HIGH = float32_of(log_f32.ROOT_HALF), float32_of(log_f32.ROOT_HALF - 1 + (1 << 23))
"""The least and the greatest significand m."""


@dataclass(frozen=True)
class Of:
    """A kernel, where it raises 2 to the power t, and whether t is a quotient."""

    kernel: Kernel
    within: str = "power"
    quotient: bool = False
    lengths: tuple[tuple[float, float], ...] = ((1.0, 2.0),)
    """Of y, or n."""

    @property
    def args(self) -> list[Any]:
        """Arguments where all that follows from them is replaced."""
        x = variable(1.5, 1.75, format=BINARY32)
        return [x, 3 if self.within == "power" else x]

    def times(self, many: Expansion) -> Expansion:
        """What a logarithm is multiplied with."""
        return many.inverse() if self.quotient else many


POW = Of(pow_f32.pow, "pow")
PLACE = "exponent"
"""What the phase of it is called."""


def scaling(proof: Proof) -> None:
    """`split` gives k and m with x = 2^k·m, for all numbers with one k."""
    module, name = linked(log_f32.split)
    for e in range(-149, 128):
        scale = Fraction(2) ** e
        grid = max(Fraction(2) ** -149, scale / 2**23)
        turn = Fraction(HIGH) * scale // grid * grid
        for k, low, high in ((e, scale, turn), (e + 1, turn + grid, 2 * scale - grid)):
            if low > high:
                continue
            x, machine = variable(low, high, format=BINARY32), Machine(module)
            if low == high:
                x = constant(low)
            found, m = machine.call(name, [x])
            proof.take(machine)
            by = {atom: c / Fraction(2) ** k for atom, c in x.form.items()}
            if found.value != k or m.form != by:
                proof.failures.append(f"split of {float(low)}")


def significands(*, near_one: bool) -> Iterator[Number]:
    """All of m: by their distance from 1, which is none of them, where the logarithm is near 0."""
    if not near_one:
        yield from (variable(*ends, format=BINARY32) for ends in pieces(LOW, HIGH, CUTS))
        return
    for e in range(-24, -1):
        yield variable(max(1 - 2.0 ** (e + 1), LOW), 1 - 2.0**e, format=BINARY32)
        if e > -24:
            yield variable(1 + 2.0**e, min(1 + 2.0 ** (e + 1), HIGH), format=BINARY32)


def exponents(of: Of, proof: Proof | None = None) -> Proof:
    """t is off by less than the proof's bound times t, for x = 2^k·m."""
    proof = proof or Proof(PLACE, sys.modules[__name__], ("OF_EXPONENT",))
    scaling(proof)
    name = of.kernel.__name__
    for first, last in (*EXPONENTS, (0, 0)):
        k = exponent(first, last)

        def cuts(m: Number, k: Number = k) -> Cuts:
            return {(name, "k"): k, (name, "m"): m}

        def truth(m: Number, k: Number = k) -> Expansion:
            log = log1p_of(m.expansion - Expansion.constant(arb(1)))
            return log.scaled(1 / LN2) + k.expansion

        for m in significands(near_one=first == last == 0):
            product_of(proof, of, f"k from {first} to {last}", m, cuts, truth)
    no_logarithm(proof, of, {(name, "k"): constant(0.0), (name, "m"): constant(1.0)}, [])
    return proof


def product_of(
    proof: Proof, of: Of, cell: str, x: Number, cuts: Callable[[Number], Cuts],
    truth: Callable[[Number], Expansion], *, is_argument: bool = False,
) -> None:  # fmt: skip
    """What 2 is raised to, in a cell of logarithms."""
    module, name = linked(of.kernel)
    (bound,) = proof.margins().values()

    def measure(x: Number, lengths: tuple[float, float]) -> Measured:
        many = length(*lengths)
        machine = Machine(module, cuts(x))
        args = [x if is_argument else of.args[0], a_float(many, "y")]

        def part() -> float:
            machine.reach(name, args, [(of.within, "t")])
            t = machine.reached[of.within, "t"]
            if not isinstance(t, Number):
                raise UndecidedError("an exponent")
            exact = truth(x)
            sign = 1 if exact.range() > 0 else -1
            return part_of(t.expansion - exact * of.times(many),
                           exact.scaled(arb(sign * bound)) * of.times(many))  # fmt: skip

        return machine, part

    for lengths in of.lengths:
        proof.bound(cell, partial(measure, lengths=lengths), x)


def no_logarithm(proof: Proof, of: Of, cuts: Cuts, args: list[Any]) -> None:
    """Where x is 1, t is 0."""
    module, name = linked(of.kernel)
    machine = Machine(module, cuts)
    machine.reach(name, [*args, *of.args[len(args) :]], [(of.within, "t")])
    proof.take(machine)
    if machine.reached[of.within, "t"].value != 0:
        proof.failures.append("x = 1")


def counts(of: Of, least: float = -126.0, most: float = 126.0) -> Proof:
    """The count is the integer next to t, but for what ROUNDED allows."""
    proof = Proof("count", sys.modules[__name__], ("ROUNDED",))
    module, name = linked(of.kernel)
    for low, high in ((least, 0.0), (0.0, most)):
        t = variable(low, high)
        machine = Machine(module, {(of.within, "t"): t})
        machine.reach(name, of.args, [(of.within, "rounded")])
        proof.take(machine)
        off = combined(machine.reached[of.within, "rounded"].form, t.form, Fraction(-1))
        off = combined(off, {ONE: Fraction(ROUNDER)}, Fraction(-1))
        proof.note(magnitude(expanded(off).range()) / ROUNDED, f"t from {low} to {high}")
    return proof


def powers(of: Of) -> Proof:
    """A test of 2^t, for t of every count."""
    proof = Proof("power", pow_f32, ("MARGIN",))
    module, name = linked(of.kernel)
    for count in COUNTS:

        def measure(t: Number, count: int = count) -> Measured:
            cuts = {(of.within, "t"): t, (of.within, "rounded"): constant(ROUNDER + count)}
            machine = Machine(module, cuts)
            lost = error_atom(t.size * (1 + 2.0**-20) * OF_EXPONENT, "exponent").expansion
            left = t.expansion + lost - Expansion.constant(arb(count))
            truth = left.scaled(LN2).of(arb_series.exp).scaled(arb(2) ** count)
            return machine, lambda: used(machine.test(name, of.args), truth)

        low, high = max(count - ROUNDED, -LIMIT), min(count + ROUNDED, LIMIT)
        for ends in pieces(low, high, CUTS):
            proof.bound(f"count {count}", measure, variable(*ends))
    return proof


def pow_exponent() -> Proof:
    return exponents(POW)


def pow_count() -> Proof:
    return counts(POW)


def pow_power() -> Proof:
    return powers(POW)


def pown_exponent() -> Proof:
    return exponents(Of(rootn_f32.pown))


def pown_count() -> Proof:
    return counts(Of(rootn_f32.pown))


def pown_power() -> Proof:
    return powers(Of(rootn_f32.pown))


def rootn_exponent() -> Proof:
    return exponents(Of(rootn_f32.rootn, quotient=True))


def rootn_count() -> Proof:
    return counts(Of(rootn_f32.rootn))


def rootn_power() -> Proof:
    return powers(Of(rootn_f32.rootn))
