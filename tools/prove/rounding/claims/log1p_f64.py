"""float64 log1p at HIGH, and what asinh, acosh and atanh give it.

1 + x + x_low = z·2^e and what is lost, table index by table index, for every exponent.

All but a power of two follows from near = z·c - 1, from what is lost of x, and from x_low.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from math import nextafter
from typing import Any

from flint import arb
from tools.prove.rounding.cells import Proof, binades, linked, small, variable
from tools.prove.rounding.claims.logarithm_f64 import (
    ANY,
    EXPONENTS,
    NEAR_ZERO,
    cells_of,
    ends_of,
    exponent,
    log1p_of,
    scaling,
)
from tools.prove.rounding.expansions import Ball, Expansion, magnitude
from tools.prove.rounding.machine import Machine
from tools.prove.rounding.numbers import Number, ball, constant, error_atom

from samebits.mathlib.float64 import log_f64

INDICES = range(128)
LOST = 2.0**-53
"""Times 2^e, bounds what of x is not in 1 + x = z·2^e."""
LOW = 1.75 * 2.0**-52
"""Times x, bounds x_low; z is below 11/8."""
SLACK = 2.0**-98
"""What arguments in two parts may be off, relatively, with the margin of their logarithm."""
TINY = -900
"""Below 2^TINY margins underflow."""
NAME = "log1p_in_two_parts"


def _proof(*, signed: bool, low_part: bool) -> Proof:
    """A test of log(1 + x + x_low)."""
    proof = Proof("sum", log_f64, ("MARGIN_R", "MARGIN_S"))
    module, name = linked(log_f64.log1p)
    scaling(proof)
    for i in INDICES:
        c = Fraction(log_f64.RECIPROCALS[i])
        log_c = ball(c).log()
        low, high, grid = ends_of(proof, i, c)
        cells = [*cells_of(low, high, grid, NEAR_ZERO)]
        for first, last in EXPONENTS:
            if (c == 1 and first == last == 0) or (last < 0 and not signed):
                continue
            e = exponent(first, last)

            def run(
                near: Number, i: int = i, e: Number = e, c: Fraction = c, log_c: Ball = log_c
            ) -> tuple[Any, ...]:
                lost = small(LOST, "lost")
                x_low = small(1.375 * LOW, "x_low") if low_part else constant(0.0)
                cuts = {
                    (NAME, "u"): i << 45, (NAME, "e"): e, (NAME, "near"): near,
                    (NAME, "down"): constant(1.0), (NAME, "lost"): lost, (NAME, "x_low"): x_low,
                }  # fmt: skip
                rest = (lost.expansion + x_low.expansion).scaled(ball(c))
                truth = log1p_of(near.expansion + rest) + e.expansion.scaled(arb(2).log())
                truth = truth - Expansion.constant(log_c)
                return Machine(module, cuts), name, ANY, _loosened(truth, low_part)

            for near in cells:
                proof.attempt(f"index {i}, e from {first} to {last}", run, near)

    def run_near_zero(x: Number) -> tuple[Any, ...]:
        x_low = small(x.size * LOW, "x_low") if low_part else constant(0.0)
        truth = _loosened(log1p_of(x.expansion + x_low.expansion), low_part)
        return Machine(module, {(NAME, "x_low"): x_low}), name, [x], truth

    for x in near_zero(signed):
        proof.attempt("x", run_near_zero, x)
    if not low_part:
        _tiny(proof)
    return proof


def _loosened(truth: Expansion, low_part: bool) -> Expansion:
    """What is off by SLACK at most."""
    if not low_part:
        return truth
    return truth + error_atom(magnitude(truth.range()) * SLACK, "slack").expansion


def near_zero(signed: bool) -> Iterator[Number]:
    """Where z is 1 + x, and its index one of those whose reciprocal is 1."""
    for low, high in binades(TINY, -8):
        # Half a unit below 1 + 2^-7, which is the next index's, rounds to it.
        yield variable(low, high if high < 2.0**-7 else nextafter(2.0**-7 - 2.0**-53, 0.0))
        if signed and high <= 2.0**-8:
            # Half a unit below 1 rounds to 1, what lies beyond to the number before.
            yield variable(-high, -nextafter(low, high))


def _tiny(proof: Proof) -> None:
    """log(1 + x) rounds to x, which is what is returned: x²/2 is below 2^-60·|x|."""
    module, name = linked(log_f64.log1p)
    slots = [("log1p", slot) for slot in ("s", "low", "margin")]
    for low, high in binades(-1074, TINY - 1):
        for x in (variable(low, high), variable(-high, -low)):
            machine = Machine(module)
            machine.reach(name, [x], slots)
            proof.take(machine)
            s, rest, margin = (machine.reached[slot] for slot in slots)
            if s.form != x.form or rest.value != 0 or margin.size > 2.0**-60 * arb(low):
                proof.failures.append(f"x in {x.ends}")


def log1p() -> Proof:
    return _proof(signed=True, low_part=False)


@cache
def log1p_of_two_parts() -> Proof:
    """Of what asinh, acosh and atanh give it: nothing below 2^TINY."""
    return _proof(signed=False, low_part=True)
