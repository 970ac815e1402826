"""float64 arguments of powers at HIGH.

How near a count of steps of log(2)/128 and what is left are to them, for every count. What is
made of these parts is a phase of its own.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import frexp, ulp

from flint import arb
from tools.prove.rounding.cells import Proof, binades, both_signs, linked, variable
from tools.prove.rounding.expansions import Ball, Expansion, magnitude
from tools.prove.rounding.machine import Machine
from tools.prove.rounding.numbers import Number, constant

from samebits.lang.kernel import Kernel
from samebits.mathlib.float64.exp_log_f64_table import POWERS

STEPS = 128
LAST = 983
"""No count of steps is as large as STEPS times this."""
MOST = 2.0**-8.5
"""Bounds what is left, r."""
GRID = -160
"""Of a count but 0, r is a multiple of 2^GRID."""
LOW = 1.6875 * 2.0**-61
"""Bounds its low part, but of a count of 0."""
LOW_OF_ZERO = 2.0**-51
"""Times r, bounds the low part of a count of 0."""
STEP_SLACK = 2.0**-94
"""Times the count, bounds what is lost; of a count of 0, what is lost of one."""
SLACK = 2.0**-98
"""Times r, bounds what is lost of a count of 0."""
TINY = -60
"""Arguments below 2^TINY are taken together where the count may be any."""
LEAST = -900
"""Of the arguments whose count is 0."""
COUNTED = 19
"""Bits of a count that are used."""
Slot = tuple[str, str]


@dataclass(frozen=True)
class Reduction:
    """x·unit = k·log(2)/STEPS + r + r_low, `parts` being where r and r_low are."""

    kernel: Kernel
    largest: float
    """Of x."""
    unit: Ball
    count: Slot
    """Where k·step + start is."""
    parts: tuple[Slot, Slot]
    rounder: float
    """What a count is added to, to stand in the low bits."""
    start: float = 0.0
    even: bool = False
    """Whether only the argument's magnitude is reduced. r_low is then to be what rounding r left,
    and of a count of 0 nothing."""

    @property
    def step(self) -> float:
        return ulp(self.rounder)

    def k(self, machine: Machine) -> Expansion:
        found: Number = machine.reached[self.count]
        return (found.expansion - Expansion.constant(arb(self.start))).scaled(1 / arb(self.step))


def reduction(it: Reduction) -> Proof:
    """That what it gives is within the bounds above."""
    proof = Proof("reduction", sys.modules[__name__], ("STEP_SLACK", "SLACK"))
    (bits,) = struct.unpack("<Q", struct.pack("<d", it.rounder))
    if bits % (1 << COUNTED) or LAST * STEPS >= 1 << (COUNTED - 1):
        proof.failures.append("the count does not stand in the low bits")
    table(proof)
    _of_any_count(proof, it)
    _of_zero(proof, it)
    return proof


def table(proof: Proof) -> None:
    """The table's powers of two are right to 2^-106."""
    for i in range(STEPS):
        found = arb(float(POWERS[2 * i])) + arb(float(POWERS[2 * i + 1]))
        if not magnitude(found - power(i)) <= 2.0**-106:
            proof.failures.append(f"2^({i}/{STEPS})")


def power(k: int) -> Ball:
    """2^(k/STEPS)."""
    return (arb(2).log() * k / STEPS).exp()


def _of_any_count(proof: Proof, it: Reduction) -> None:
    module, name = linked(it.kernel)
    for x in _arguments(it):
        machine = Machine(module)
        machine.reach(name, [x], (*it.parts, it.count))
        r, r_low = (machine.reached[slot] for slot in it.parts)
        k = it.k(machine)
        found = k.scaled(arb(2).log() / STEPS) + r.expansion + r_low.expansion
        off = magnitude((found - x.expansion.scaled(it.unit)).range())
        least = arb(k.range().abs_lower())
        stated = (least if least > 1 else arb(1)) * STEP_SLACK
        whole = machine.reached[it.count].grid >= frexp(it.step)[1] - 1
        few = whole and magnitude(k.range()) < LAST * STEPS
        coarse = r.grid >= GRID or k.range() == 0
        small = r.size <= MOST and r_low.size <= LOW
        if it.even:
            small = small and (r_low.value == 0 or r_low.form == {r.error: Fraction(-1)})
        _take(proof, machine, x, off / stated, few and coarse and small)


def _arguments(it: Reduction) -> Iterator[Number]:
    if not it.even:
        yield from both_signs(TINY, it.largest)
        return
    yield variable(0.0, 2.0**TINY)
    for low, high in binades(TINY, frexp(it.largest)[1] - 1):
        yield variable(low, min(high, it.largest))


def _of_zero(proof: Proof, it: Reduction) -> None:
    """The same of a count of 0, relatively, from 2^LEAST on."""
    module, name = linked(it.kernel)
    largest = float((MOST / it.unit).lower())
    for first, last in binades(LEAST, frexp(largest)[1] - 1):
        for sign in (1,) if it.even else (1, -1):
            x = variable(*sorted((sign * first, sign * min(last, largest))))
            machine = Machine(module, {it.count: constant(it.start)})
            machine.reach(name, [x], it.parts)
            r, r_low = (machine.reached[slot] for slot in it.parts)
            off = r.expansion + r_low.expansion - x.expansion.scaled(it.unit)
            least = arb(r.range.abs_lower())
            ratio = magnitude(off.range()) / (least * SLACK)
            exact = r_low.value == 0 or not it.even
            _take(proof, machine, x, ratio, exact and r_low.size <= least * LOW_OF_ZERO)


def _take(proof: Proof, machine: Machine, x: Number, ratio: Ball, within: bool) -> None:
    """Count a cell where an error is `ratio` of its bound."""
    proof.take(machine)
    part = float(arb(ratio.upper())) if within else float("inf")
    if not part <= 1:
        proof.failures.append(f"x in {x.ends}: {part:.4g}")
    if not part <= proof.worst:
        proof.worst, proof.where = part, f"x in {x.ends}"
