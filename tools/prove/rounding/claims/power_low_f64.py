"""float64 pow, pown, powr and rootn at LOW.

The logarithm; then the power of e of its product with any y, count by count of log 2.

Of a logarithm and of y nothing is known but their product: where one is larger, the other is as
much smaller, and of what is computed of them nothing else changes. Nor does it of their signs but
that of the product.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from math import frexp, log1p

from flint import arb, arb_series
from tools.prove.rounding.cells import (
    Measured,
    Proof,
    a_float,
    binades,
    both_signs,
    length,
    linked,
    pieces,
    small,
    variable,
)
from tools.prove.rounding.claims.logarithm_f64 import exponent, log1p_of, scaling
from tools.prove.rounding.claims.logarithm_low_f64 import (
    EXPONENTS,
    FIRST,
    LAST,
    next_to_1,
    significands,
)
from tools.prove.rounding.expansions import Ball, Expansion, magnitude
from tools.prove.rounding.machine import Bits, Machine, UndecidedError
from tools.prove.rounding.numbers import Number, combined, constant
from tools.prove.rounding.ulps import Cuts, most, off_at_most, promised

from samebits.lang.kernel import Kernel
from samebits.mathlib.float64 import log_fast_f64, rootn_low_f64
from samebits.mathlib.float64.exp_f64 import ROUNDER

LOG = 5.5 * 2.0**-53
"""A logarithm is off by so much at most, relatively."""
LOG_FAR = 1.75 * 2.0**-53
"""The same of x = z·2^e with |e| ≥ FAR_EXPONENT, and so of every logarithm of FAR or more."""
FAR_EXPONENT = 3
FAR = 1.77
RECIPROCAL = 1.125 * 2.0**-53
"""1/n is off by so much at most, relatively."""
LARGEST = 40 * math.log(10) * (1 + 2.0**-40)
"""Of the logarithms of results of which something is promised."""
LAST_COUNT = 133
"""Of log 2 in them, rounded."""
NEAREST = 0.3466
"""No exponent is further than that from the count of log 2 that it is given."""
TINY = -60
"""Up to 2^TINY exponents are taken together."""
CUTS = 4
"""Pieces of what is left of an exponent."""
OTHER_DIGIT = 2.0**-40
"""More than a product of LARGEST is rounded."""
THE_OTHER_WAY = 1 + 2.0**-40
"""The truth is as much off what is found, times this at most."""
MOST_LOG = 746.0
"""Of a float, bounds the logarithm."""
LN2 = arb(2).log()
ONE = Expansion.constant(arb(1))
KERNEL = log_fast_f64.pow_low.__name__
ARGUMENT = 2.5
"""Any but 1, where all that follows from it is replaced."""


def relative(found: Expansion, truth: Expansion) -> Ball:
    """How far off something is at most, as a part of the truth."""
    worst = arb(0)
    for error, exact in zip((found - truth).pieces(), truth.pieces(), strict=True):
        least = arb(exact.abs_lower())
        if not least > 0:
            raise UndecidedError("a truth next to 0")
        part = magnitude(error) / least
        worst = part if part > worst else worst
    return worst


@cache
def log() -> Proof:
    """That of |x| in pow is off by LOG at most, and by LOG_FAR where it is far from 0."""
    proof = Proof("logarithm", sys.modules[__name__], ("LOG", "LOG_FAR"))
    scaling(proof)
    module, name = linked(log_fast_f64.pow_low)
    slot = (KERNEL, "log")
    y = constant(1.0)

    def show(
        cell: str, z: Number, x: Number | None, cuts: Callable[[Number], Cuts],
        truth: Callable[[Expansion], Expansion], bound: float,
    ) -> None:  # fmt: skip
        def measure(z: Number) -> Measured:
            machine = Machine(module, cuts(z))

            def part() -> float:
                machine.reach(name, [z if x is None else x, y], [slot])
                found = machine.reached[slot]
                if not isinstance(found, Number):
                    raise UndecidedError("a logarithm")
                ratio = relative(found.expansion, truth(z.expansion)) / bound
                return float(arb(ratio.upper()))

            return machine, part

        proof.bound(cell, measure, z)

    if not (FAR_EXPONENT - 1) * LN2 + max(log1p(LAST - 1), -log1p(FIRST - 1)) < FAR:
        proof.failures.append("a logarithm of FAR with a smaller exponent")
    for first, last in EXPONENTS:
        e = exponent(first, last)
        bound = LOG_FAR if first >= FAR_EXPONENT or last <= -FAR_EXPONENT else LOG

        def cuts(z: Number, e: Number = e) -> Cuts:
            return {("log_low", "z_bits"): Bits(z), ("log_low", "e"): e}

        def truth(z: Expansion, e: Number = e) -> Expansion:
            return log1p_of(z - ONE) + e.expansion.scaled(LN2)

        for ends in significands(first):
            show(f"e from {first} to {last}", variable(*ends), constant(ARGUMENT), cuts, truth,
                 bound)  # fmt: skip
    for ends in next_to_1():
        show("near 1", variable(*ends), None, lambda x: {}, lambda x: log1p_of(x - ONE), LOG)
    return proof


@dataclass(frozen=True)
class _Sign:
    """Of x, with what is found of y in the slots: `negative` says whether the result is."""

    x: Number
    parity: Cuts
    negative: bool


WHOLE = (KERNEL, "whole")
IS_ODD = (KERNEL, "odd")
POSITIVE = _Sign(constant(ARGUMENT), {}, negative=False)
ODD = _Sign(constant(-ARGUMENT), {WHOLE: True, IS_ODD: True}, negative=True)
EVEN = _Sign(constant(-ARGUMENT), {WHOLE: True, IS_ODD: False}, negative=False)
ODD_ROOT = _Sign(constant(-ARGUMENT), {}, negative=True)


@dataclass(frozen=True)
class _Power:
    """A kernel of x and of `second`, which is y or what y is made of."""

    kernel: Kernel
    second: Number | int
    sign: _Sign
    off: Callable[[float], float]
    """How far off the logarithm and y together are at most, relatively, of exponents of so much at
    least."""

    def show(self, proof: Proof) -> None:
        for k in range(-LAST_COUNT, LAST_COUNT + 1):
            for ends in exponents(k):
                proof.bound(f"count {k}", partial(self._measure, proof, k), variable(*ends))
        tiny = 2.0**TINY
        proof.bound("next to 1", partial(self._measure_tiny, proof), variable(-tiny, tiny))

    def _measure(self, proof: Proof, k: int, t: Number) -> Measured:
        """t is the exact product of a logarithm and y as they are."""
        one = length(1.0, 2.0)
        positive = t.range > 0
        size = t.expansion if positive else t.expansion.scaled(arb(-1))
        log = a_float(one, "log")
        held: Cuts = {
            (KERNEL, "log"): log if positive else negated(log),
            (KERNEL, "y"): a_float(size * length(1.0, 2.0, -1), "y"),
            (KERNEL, "shifted"): constant(ROUNDER + k),
        }
        assert t.ends is not None
        off = self.off(min(map(abs, t.ends)))
        truth = t.expansion * (ONE + Expansion.error(arb(off), "logarithm"))
        return self._result(proof, held, truth.of(arb_series.exp))

    def _measure_tiny(self, proof: Proof, p: Number) -> Measured:
        """p is the product as it is rounded."""
        held: Cuts = {(KERNEL, "p"): p}
        truth = ONE + Expansion.error(2 * p.size, "power")
        return self._result(proof, held, truth)

    def _result(self, proof: Proof, held: Cuts, truth: Expansion) -> Measured:
        module, name = linked(self.kernel)
        sign = self.sign
        machine = Machine(module, {**sign.parity, **held})

        def part() -> float:
            (found,) = machine.call(name, [sign.x, self.second])
            if not isinstance(found, Number):
                raise UndecidedError("a result")
            exact = truth.scaled(arb(-1)) if sign.negative else truth
            return off_at_most(found, exact) / most(proof)

        return machine, part


def exponents(k: int) -> Iterator[tuple[float, float]]:
    """All that may be given k as their count, but, where that is 0, those up to 2^TINY."""
    middle, near = float(LN2 * k), NEAREST + OTHER_DIGIT
    if k:
        yield from pieces(max(middle - near, -LARGEST), min(middle + near, LARGEST), CUTS)
        return
    for low, high in binades(TINY, frexp(near)[1] - 1):
        yield low, min(high, near)
        yield -min(high, near), -low


def negated(n: Number) -> Number:
    """-n."""
    assert n.ends is not None
    ends = -n.ends[1], -n.ends[0]
    return Number(combined({}, n.form, Fraction(-1)), n.grid, limit=-n.range, ends=ends)


def counts(proof: Proof) -> None:
    """No exponent p is further than NEAREST from the count of log 2 that it is given."""
    module, name = linked(log_fast_f64.pow_low)
    slot = (KERNEL, "shifted")
    for p in both_signs(TINY, LARGEST + OTHER_DIGIT):
        machine = Machine(module, {(KERNEL, "p"): p})
        machine.reach(name, [constant(ARGUMENT), constant(1.0)], [slot])
        proof.take(machine)
        k = machine.reached[slot].expansion - Expansion.constant(arb(ROUNDER))
        if not magnitude((p.expansion - k.scaled(LN2)).range()) <= NEAREST:
            proof.failures.append(f"the count of {p.ends}")


def special(proof: Proof, kernel: Kernel, second: Number | int) -> None:
    """±1 to the power of any even y is 1, and so is anything to that of 0; what is below 0 has no
    power between integers."""
    module, name = linked(kernel)
    anything: Cuts = {(KERNEL, "shifted"): constant(ROUNDER), IS_ODD: False}
    y: Cuts = {(KERNEL, "y"): small(sys.float_info.max, "y"), WHOLE: True}
    zero: Cuts = {(KERNEL, "y"): constant(0.0), (KERNEL, "log"): small(MOST_LOG, "log")}
    between: Cuts = {(KERNEL, "p"): small(LARGEST, "p"), WHOLE: False}
    below = math.nan if kernel is rootn_low_f64.powr else 1.0
    for x, cuts, exact in (
        (1.0, y, 1.0), (-1.0, y, below), (ARGUMENT, zero, 1.0), (-ARGUMENT, zero, below),
        (-ARGUMENT, between, math.nan),
    ):  # fmt: skip
        machine = Machine(module, {**anything, **cuts})
        (found,) = machine.call(name, [constant(x), second])
        proof.take(machine)
        value = found.value if isinstance(found, Number) else found
        both_nan = math.isnan(exact) and isinstance(value, float) and math.isnan(value)
        if not (both_nan or value == exact):
            proof.failures.append(f"the power of {x} is to be {exact}")


def reciprocal() -> Proof:
    """y is 1/n, off by RECIPROCAL at most, for every n."""
    proof = Proof("reciprocal", sys.modules[__name__], ("RECIPROCAL",))
    module, name = linked(rootn_low_f64.rootn)
    slot = (KERNEL, "y")

    def measure(n: Number) -> Measured:
        machine = Machine(module)

        def part() -> float:
            machine.reach(name, [constant(ARGUMENT), n], [slot])
            ratio = relative(machine.reached[slot].expansion, n.expansion.inverse()) / RECIPROCAL
            return float(arb(ratio.upper()))

        return machine, part

    for low, high in binades(1, 30):
        proof.bound("n", measure, variable(low, high, 0))
        proof.bound("n", measure, variable(-high, -low, 0))
    return proof


def _of_any(size: float) -> float:
    return LOG * THE_OTHER_WAY


def _of_root(size: float) -> float:
    """A logarithm is its product with 1/n twice at least."""
    return ((LOG_FAR if 2 * size > FAR * THE_OTHER_WAY else LOG) + RECIPROCAL) * THE_OTHER_WAY


def _power(function: str, kernel: Kernel, second: Number | int, *signs: _Sign) -> Proof:
    proof = promised(function, "LOW")
    counts(proof)
    special(proof, kernel, second)
    for sign in signs:
        _Power(kernel, second, sign, _of_any).show(proof)
    return proof


def pow() -> Proof:
    return _power("pow", log_fast_f64.pow_low, constant(1.0), POSITIVE, ODD, EVEN)


def pown() -> Proof:
    return _power("pown", rootn_low_f64.pown, 1, POSITIVE, ODD, EVEN)


def powr() -> Proof:
    return _power("powr", rootn_low_f64.powr, constant(1.0), POSITIVE)


def rootn() -> Proof:
    """Of x < 0 with an odd n it is the negative one."""
    proof = promised("rootn", "LOW")
    counts(proof)
    for n, sign in ((2, POSITIVE), (3, ODD_ROOT)):
        _Power(rootn_low_f64.rootn, n, sign, _of_root).show(proof)
    return proof
