"""float64 exp, exp2 and exp10 at MEDIUM and LOW, and expm1, exp2m1 and exp10m1 at LOW.

What is shown of a reduction holds for every count of steps; a power is then shown for any reduced
argument that a reduction can give, and 2^0: the power of two is exact but for a last rounding where
the result is subnormal.
"""

from __future__ import annotations

import math
import sys

from flint import arb, arb_series
from tools.prove.rounding.cells import Proof, pieces, variable
from tools.prove.rounding.claims.exponential_f64 import TINY, reduced
from tools.prove.rounding.expansions import Ball, Expansion
from tools.prove.rounding.numbers import Number, constant, error_atom
from tools.prove.rounding.ulps import (
    LEAST,
    Cuts,
    compare,
    near_zero,
    promised,
    towards_zero,
)

from samebits.lang.kernel import Kernel
from samebits.mathlib.float64 import exp2m1_low_f64, exp_fast_f64
from samebits.mathlib.float64.exp_f64 import ROUNDER, STEPS_ROUNDER

CUTS = 8
"""Pieces of the reduced argument."""
LN2, LN10 = arb(2).log(), arb(10).log()
NEAR = 0.25
"""Times a unit, up to where the count of steps is 0 and the argument is as it is."""
MEDIUM, LOW = ("medium_power", 128), ("low_rest", 1)
"""The function that takes a reduced argument r, and how many steps a factor of 2 has."""


def _power(
    function: str, precision: str, kernel: Kernel, largest: float, per_unit: Ball,
    rounder: float = ROUNDER,
) -> Proof:  # fmt: skip
    """e^(per_unit·x) for |x| ≤ largest, where `rounder` + i is a count of i steps."""
    proof = promised(function, precision)
    of, steps = MEDIUM if precision == "MEDIUM" else LOW
    r, count = (of, "r"), (kernel.__name__, "shifted")
    unit = 1.0 if rounder == ROUNDER else 1.0 / steps
    (most,), lost = reduced(
        proof, kernel, largest, (r,), count, LN2 / steps / unit, per_unit, rounder
    )
    for i in range(steps):

        def cuts(x: Number, i: int = i) -> Cuts:
            return {r: x, count: constant(rounder + i * unit)}

        def truth(x: Expansion, i: int = i) -> Expansion:
            more = error_atom(lost, "reduction").expansion + Expansion.constant(LN2 * i / steps)
            return (x + more).of(arb_series.exp)

        end = float(most.upper())
        # Next to 1 an ULP changes.
        cells = towards_zero(end, TINY) if i == 0 else pieces(-end, end, CUTS)
        for low, high in cells:
            compare(proof, kernel, truth, f"step {i}", variable(low, high), cuts=cuts,
                    args=[variable(-1.0, 1.0)], scaled=True)  # fmt: skip
    return proof


def exp_medium() -> Proof:
    it = exp_fast_f64
    return _power("exp", "MEDIUM", it.exp_medium, it.BOUND, arb(1))


def exp2_medium() -> Proof:
    it = exp_fast_f64
    return _power("exp2", "MEDIUM", it.exp2_medium, it.BOUND_2, LN2, STEPS_ROUNDER)


def exp10_medium() -> Proof:
    it = exp_fast_f64
    return _power("exp10", "MEDIUM", it.exp10_medium, it.BOUND_10, LN10)


def exp_low() -> Proof:
    it = exp_fast_f64
    return _power("exp", "LOW", it.exp_low, it.BOUND, arb(1))


def exp2_low() -> Proof:
    it = exp_fast_f64
    return _power("exp2", "LOW", it.exp2_low, it.BOUND_2, LN2)


def exp10_low() -> Proof:
    it = exp_fast_f64
    return _power("exp10", "LOW", it.exp10_low, it.BOUND_10, LN10)


def _expm1(x: Expansion) -> Expansion:
    return x.of(arb_series.exp) - Expansion.constant(arb(1))


def _less_one(
    function: str, kernel: Kernel, least: float, largest: float, per_unit: Ball, counted: str
) -> Proof:
    """e^(per_unit·x) - 1, for x from `least` to `largest`; `counted` is the function that counts
    the steps, in `shifted`."""
    proof = promised(function, "LOW")
    r, count = ("low_rest", "r"), (counted, "shifted")
    furthest = max(-least, largest)
    (most,), lost = reduced(proof, kernel, furthest, (r,), count, LN2, per_unit, ROUNDER, least)
    expm1 = near_zero(_expm1, 0.5)
    near = float((arb(NEAR) / per_unit).lower())
    for low, high in towards_zero(near, LEAST):
        if low != 0.0 and high != 0.0:
            compare(proof, kernel, lambda x: expm1(x.scaled(per_unit)), "near 0",
                    variable(low, high))  # fmt: skip
    rest = error_atom((per_unit * least).exp(), "rest").expansion - Expansion.constant(arb(1))
    below = variable(-sys.float_info.max, math.nextafter(least, -math.inf))
    compare(proof, kernel, lambda x: rest, "-1", below)
    end = float(most.upper())
    first, last = (math.floor(float(per_unit) * x / math.log(2) + 0.5) for x in (least, largest))
    for n in range(first, last + 1):

        def cuts(x: Number, n: int = n) -> Cuts:
            return {r: x, count: constant(ROUNDER + n)}

        def truth(x: Expansion, n: int = n) -> Expansion:
            more = error_atom(lost, "reduction").expansion + Expansion.constant(LN2 * n)
            return _expm1(x + more)

        outer = ((-end, -NEAR / 2), (NEAR / 2, end))
        for low, high in pieces(-end, end, 4) if n else outer:
            compare(proof, kernel, truth, f"count {n}", variable(low, high), cuts=cuts,
                    args=[constant(1.0)])  # fmt: skip
    return proof


def expm1_low() -> Proof:
    it = exp_fast_f64
    return _less_one(
        "expm1", it.expm1_low, it.LEAST_M1, it.BOUND_M1, arb(1), it.half_expm1_low.__name__
    )


def exp2m1_low() -> Proof:
    it = exp2m1_low_f64
    return _less_one("exp2m1", it.exp2m1_low, it.LEAST_2, it.BOUND_2, LN2, "exp2m1_low")


def exp10m1_low() -> Proof:
    it = exp2m1_low_f64
    return _less_one("exp10m1", it.exp10m1_low, it.LEAST_10, it.BOUND_10, LN10, "exp10m1_low")
