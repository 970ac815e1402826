"""float64 expm1, exp2m1 and exp10m1 at HIGH.

The power less one of all three, index by index of the table and power of two by power of two, for
any r and r_low that their reductions can give.

Far from 1, powers of two need not be told apart: all sums and products of large ones are those of
2^0 times a power of two, but for the 1 that is taken off, which is small; and small ones change
little of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from typing import Any

from flint import arb, arb_series
from tools.prove.rounding.cells import Proof, binades, linked, small, variable
from tools.prove.rounding.claims import reductions_f64
from tools.prove.rounding.claims.reductions_f64 import (
    GRID,
    LAST,
    LEAST,
    LOW,
    LOW_OF_ZERO,
    MOST,
    SLACK,
    STEP_SLACK,
    STEPS,
    Reduction,
    power,
)
from tools.prove.rounding.claims.trigonometric_f64 import between
from tools.prove.rounding.expansions import Expansion
from tools.prove.rounding.machine import Machine
from tools.prove.rounding.numbers import ONE, Number, combined, error_atom
from tools.prove.rounding.rounding_rules import BINARY64

from samebits.mathlib.float64 import exp2m1_f64, exp_f64, expm1_f64

INDICES = range(STEPS)
SMALL, LARGE = -18, 5
"""The powers of two between these are told apart."""
NEAR = range(SMALL, LARGE)
FEW = 4
"""Up to so many steps from 0, where powers less one are small, r is taken binade by binade."""
TOGETHER = 2.0**-24
"""Then r below this are taken together."""
UNDERFLOW = 2.0**-1000
"""Bounds what underflow may lose of large powers, relatively."""
TERMS = 20
"""Of the series, for small arguments."""
NAME = "power_less_one"
ANY = [variable(1.0, 2.0)]
"""An argument where all that follows from it is replaced."""
MINUS_ONE = Expansion.constant(arb(-1))
Truth = Callable[[Expansion], Expansion]


@cache
def power_less_one() -> Proof:
    """A test of 2^(k/STEPS)·e^(r + r_low) - 1."""
    proof = Proof("sum", expm1_f64, ("MARGIN_R", "MARGIN_S"))
    _one_taken_off(proof)
    for i in INDICES:
        for e in NEAR:
            if k := STEPS * e + i:
                lost = STEP_SLACK * abs(k)
                _attempt(proof, k, {}, lost, lambda s, k=k: s.scaled(power(k)) + MINUS_ONE)
        one, a_low = between(-(2.0**-LARGE), 0.0), small(2.0**-53, "a_low")
        a = Number(combined({**one.form, ONE: one.form[ONE] + Fraction(_table(i))}, a_low.form,
                            Fraction(-1)), BINARY64.least)  # fmt: skip
        truth = one.expansion + error_atom(arb(UNDERFLOW), "underflow").expansion
        _attempt(proof, i, {(NAME, "a"): a, (NAME, "a_low"): a_low}, STEP_SLACK * STEPS * LAST,
                 lambda s, i=i, truth=truth: s.scaled(power(i)) + truth)  # fmt: skip
    if 0 in INDICES:
        t, t_low = between(0.0, 2.0**SMALL), small(2.0 ** (SMALL - 53), "t_low")
        missed = error_atom(arb(2.0 ** (SMALL - 106)), "table").expansion
        cuts = {(NAME, "t"): t, (NAME, "t_low"): t_low}
        whole = t.expansion + t_low.expansion + missed
        _attempt(proof, 0, cuts, STEP_SLACK * STEPS * LAST, lambda s: s * whole + MINUS_ONE)
        _near_zero(proof)
    return proof


def _table(i: int) -> float:
    return float(exp_f64.POWERS[2 * i])


def _attempt(
    proof: Proof, k: int, cuts: dict[tuple[str, str], Any], lost: float, of: Truth
) -> None:
    """For all r: `of` says what of e^(r + r_low) it is to be."""
    module, name = linked(expm1_f64.expm1)

    def run(r: Number) -> tuple[Any, ...]:
        r_low = small(LOW, "r_low")
        parts = {(NAME, "k"): k % (1 << 64), (NAME, "r"): r, (NAME, "r_low"): r_low}
        argument = r.expansion + r_low.expansion + error_atom(arb(lost), "reduction").expansion
        return Machine(module, {**parts, **cuts}), name, ANY, of(argument.of(arb_series.exp))

    for low, high in _cells() if abs(k) <= FEW else [(-MOST, MOST)]:
        proof.attempt(f"count {k}{', cut' * bool(cuts)}", run, variable(low, high, GRID))


def _cells() -> Iterator[tuple[float, float]]:
    yield -TOGETHER, TOGETHER
    low = TOGETHER
    while low < MOST:
        high = min(2 * low, MOST)
        yield low, high
        yield -high, -low
        low = high


def _one_taken_off(proof: Proof) -> None:
    """Of large powers t, a + a_low is t - 1, and a_low 1 or what rounding a lost: 2^-53·t."""
    module, name = linked(expm1_f64.expm1)
    for first, last in ((LARGE, 54), (54, LAST)):
        t = variable(2.0**first, 2.0**last)
        machine = Machine(module, {(NAME, "t"): t})
        machine.reach(name, ANY, ((NAME, "a"), (NAME, "a_low")))
        proof.take(machine)
        a, a_low = machine.reached[NAME, "a"], machine.reached[NAME, "a_low"]
        whole = combined(a.form, a_low.form, Fraction(1))
        known = a_low.value == -1 if first == 54 else a_low.form == {a.error: Fraction(-1)}
        if whole != {**t.form, ONE: Fraction(-1)} or not known:
            proof.failures.append(f"1 taken off 2^{first} to 2^{last}")


def _near_zero(proof: Proof) -> None:
    """A count of 0."""
    module, name = linked(expm1_f64.expm1)

    def run(r: Number) -> tuple[Any, ...]:
        r_low = small(r.size * LOW_OF_ZERO, "r_low")
        lost = error_atom(r.size * SLACK, "reduction").expansion
        cuts = {(NAME, "k"): 0, (NAME, "r"): r, (NAME, "r_low"): r_low}
        return Machine(module, cuts), name, ANY, _expm1(r.expansion + r_low.expansion + lost)

    for low, high in binades(LEAST - 1, -9):
        for sign in (1, -1):
            ends = sorted((sign * low, sign * min(high, MOST)))
            proof.attempt("count 0", run, variable(*ends))


def _expm1(x: Expansion) -> Expansion:
    size = arb(x.range().abs_upper())
    if size > 2.0**-16:
        return x.of(arb_series.exp) + MINUS_ONE
    part, total = x, x
    for n in range(2, TERMS):
        part = (part * x).scaled(1 / arb(n))
        total = total + part
    return total + Expansion.constant(arb(0, 1) * size**TERMS)


def _tiny(proof: Proof) -> None:
    """Below 2^LEAST expm1 x rounds to x, which is what is returned."""
    module, name = linked(expm1_f64.expm1)
    slots = [("expm1", slot) for slot in ("s", "low", "margin")]
    for low, high in binades(-1074, LEAST - 1):
        for x in (variable(low, high), variable(-high, -low)):
            machine = Machine(module)
            machine.reach(name, [x], slots)
            proof.take(machine)
            s, rest, margin = (machine.reached[slot] for slot in slots)
            if s.form != x.form or rest.value != 0 or margin.size > 2.0**-60 * arb(low):
                proof.failures.append(f"x in {x.ends}: {rest.size}")


def expm1() -> Proof:
    it = Reduction(
        expm1_f64.expm1, expm1_f64.LARGEST, arb(1), ("reduce_exp", "k"),
        ((NAME, "r"), (NAME, "r_low")), exp_f64.ROUNDER,
    )  # fmt: skip
    proof = reductions_f64.reduction(it)
    _tiny(proof)
    return proof


def exp2m1() -> Proof:
    within, rounder = "exp2m1_in_two_parts", exp_f64.STEPS_ROUNDER
    return reductions_f64.reduction(Reduction(
        exp2m1_f64.exp2m1, exp2m1_f64.LARGEST, arb(2).log(), (within, "shifted"),
        ((NAME, "r"), (NAME, "r_low")), rounder, rounder,
    ))  # fmt: skip


def exp10m1() -> Proof:
    return reductions_f64.reduction(Reduction(
        exp2m1_f64.exp10m1, exp2m1_f64.LARGEST_10, arb(10).log(), ("exp10m1_in_two_parts", "count"),
        ((NAME, "r"), (NAME, "r_low")), exp_f64.ROUNDER,
    ))  # fmt: skip
