"""float64 sinh, cosh and tanh at HIGH.

Index by index of the table and power of two by power of two, for any r and r_low that the
reduction of exp can give.

Large powers of two need not be told apart: all sums and products are those of 2^0 times a power of
two, but for the inverse of the power of e, which is small.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from flint import arb, arb_series
from tools.prove.rounding.cells import Proof, binades, linked, small, variable
from tools.prove.rounding.claims import reductions_f64
from tools.prove.rounding.claims.reductions_f64 import (
    GRID,
    LAST,
    LEAST,
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
from tools.prove.rounding.numbers import Number, constant, error_atom, fraction
from tools.prove.rounding.rounding_rules import BINARY64

from samebits.lang.kernel import Kernel
from samebits.mathlib.float64 import exp_f64, sinh_f64

INDICES = range(STEPS)
NEAR = {"sinh": range(6), "cosh": range(6), "tanh": range(24)}
"""Powers of two that are told apart: for a quotient's Taylor series more."""
UNDERFLOW = 2.0**-1000
"""Bounds what underflow may lose of larger ones, relatively."""
FEW = 4
"""Up to so many steps from 0, r is taken binade by binade."""
TOGETHER = 2.0**-24
"""Then r below this are taken together."""
TERMS = 20
"""Of the series, for small arguments."""
ANY = [variable(1.0, 2.0)]
"""An argument where all that follows from it is replaced."""
Truth = Callable[[Expansion, Expansion], Expansion]
"""Of half a power of e and half of the inverse."""


def _sinh(power: Expansion, inverse: Expansion) -> Expansion:
    return power - inverse


def _cosh(power: Expansion, inverse: Expansion) -> Expansion:
    return power + inverse


def _tanh(power: Expansion, inverse: Expansion) -> Expansion:
    return (power - inverse) * (power + inverse).of(lambda t: t.inv())


def _halves(rho: Expansion, k: int) -> tuple[Expansion, Expansion]:
    """e^x/2 and e^-x/2 of x = k steps and rho."""
    power_ = rho.of(arb_series.exp).scaled(power(k) / 2)
    return power_, rho.scaled(arb(-1)).of(arb_series.exp).scaled(power(-k) / 2)


def _proof(kernel: Kernel, last: int, truth: Truth) -> Proof:
    """A test for every count but 0. `last` is the power of two that no result reaches."""
    tanh = kernel is sinh_f64.tanh
    names = ("MARGIN_R_TANH", "MARGIN_S_TANH") if tanh else ("MARGIN_R", "MARGIN_S")
    proof = Proof("sum", sinh_f64, names)
    near = NEAR[kernel.__name__]
    least = -1 - 2 * near.stop
    for i in INDICES:
        for e in near:
            if k := STEPS * e + i:
                _attempt(proof, kernel, k, STEP_SLACK * k, {}, lambda s, k=k: truth(*_halves(s, k)))
        u, u_low = between(0.0, 2.0**least), small(2.0 ** (least - 53), "u_low")
        missed = error_atom(arb(2.0 ** (least - 106)), "table").expansion
        inverse = u.expansion + u_low.expansion + missed
        under = error_atom(arb(UNDERFLOW), "underflow").expansion

        def far(s: Expansion, i: int = i, inverse: Expansion = inverse, under: Any = under) -> Any:
            power, less = _halves(s, i)[0], s.scaled(arb(-1)).of(arb_series.exp)
            return truth(power, inverse * less) + under

        cuts = {("steps", "u"): u, ("steps", "u_low"): u_low}
        _attempt(proof, kernel, i, STEP_SLACK * STEPS * last, cuts, far)
    return proof


def _attempt(
    proof: Proof, kernel: Kernel, k: int, lost: float, cuts: dict[Any, Any],
    truth: Callable[[Expansion], Expansion],
) -> None:  # fmt: skip
    """For all r."""
    module, name = linked(kernel)
    within = f"{name.rpartition('.')[2]}_in_two_parts"

    def run(r: Number) -> tuple[Any, ...]:
        r_low = small(BINARY64.half_ulp(r.size), "r_low")
        parts = {("steps", "k"): k, (within, "r"): r, (within, "r_low"): r_low}
        rho = r.expansion + r_low.expansion + error_atom(arb(lost), "reduction").expansion
        return Machine(module, {**parts, **cuts}), name, ANY, truth(rho)

    for low, high in cells() if k <= FEW and not cuts else [(-MOST, MOST)]:
        proof.attempt(f"count {k}{', far' * bool(cuts)}", run, variable(low, high, GRID))


def cells() -> Iterator[tuple[float, float]]:
    """All r, binade by binade."""
    yield -TOGETHER, TOGETHER
    low = TOGETHER
    while low < MOST:
        high = min(2 * low, MOST)
        yield low, high
        yield -high, -low
        low = high


def _of_zero(proof: Proof, kernel: Kernel, ends: Iterator[tuple[float, float]], truth: Any) -> None:
    """A test for a count of 0, of which r is the argument."""
    module, name = linked(kernel)
    within = f"{name.rpartition('.')[2]}_in_two_parts"

    def run(r: Number) -> tuple[Any, ...]:
        cuts = {("steps", "k"): 0, (within, "r"): r, (within, "r_low"): constant(0.0)}
        lost = error_atom(r.size * SLACK, "reduction").expansion
        return Machine(module, cuts), name, ANY, truth(r.expansion + lost)

    for low, high in ends if 0 in INDICES else ():
        proof.attempt("count 0", run, variable(low, min(high, MOST)))


def _sinh_of(x: Expansion) -> Expansion:
    size = arb(x.range().abs_upper())
    if size > 2.0**-16:
        return _sinh(*_halves(x, 0))
    part, total, square = x, x, x * x
    for n in range(3, TERMS, 2):
        part = (part * square).scaled(1 / arb(n * (n - 1)))
        total = total + part
    return total + Expansion.constant(arb(0, 1) * size**TERMS)


def _tanh_of(x: Expansion) -> Expansion:
    return _sinh_of(x) * _cosh(*_halves(x, 0)).of(lambda t: t.inv())


def _reduction(kernel: Kernel, largest: float) -> Proof:
    within = f"{kernel.__name__}_in_two_parts"
    return reductions_f64.reduction(Reduction(
        kernel, largest, arb(1), ("reduce_exp", "k"), ((within, "r"), (within, "r_low")),
        exp_f64.ROUNDER, even=True,
    ))  # fmt: skip


def _tiny(proof: Proof, kernel: Kernel) -> None:
    """Below 2^LEAST the result rounds to x, which is what is returned."""
    module, name = linked(kernel)
    slots = [(name.rpartition(".")[2], slot) for slot in ("s", "low", "margin")]
    for low, high in binades(-1074, LEAST - 1):
        x = variable(low, high)
        machine = Machine(module, {("steps", "k"): 0})
        machine.reach(name, [x], slots)
        proof.take(machine)
        s, rest, margin = (machine.reached[slot] for slot in slots)
        if s.form != x.form or rest.value != 0 or margin.size > 2.0**-60 * arb(low):
            proof.failures.append(f"x in {x.ends}")


def sinh_reduction() -> Proof:
    proof = _reduction(sinh_f64.sinh, sinh_f64.LARGEST)
    _tiny(proof, sinh_f64.sinh)
    return proof


def cosh_reduction() -> Proof:
    return _reduction(sinh_f64.cosh, sinh_f64.LARGEST)


def tanh_reduction() -> Proof:
    """All from SATURATED on is 1, rounded."""
    proof = _reduction(sinh_f64.tanh, sinh_f64.SATURATED)
    _tiny(proof, sinh_f64.tanh)
    if float(fraction(arb(arb(sinh_f64.SATURATED).tanh().lower()))) != 1:
        proof.failures.append("SATURATED")
    return proof


def sinh() -> Proof:
    proof = _proof(sinh_f64.sinh, LAST, _sinh)
    _of_zero(proof, sinh_f64.sinh, binades(LEAST, -9), _sinh_of)
    return proof


def cosh() -> Proof:
    proof = _proof(sinh_f64.cosh, LAST, _cosh)
    ends = iter([(0.0, TOGETHER), *(e for e in cells() if e[0] > 0)])
    _of_zero(proof, sinh_f64.cosh, ends, lambda x: _cosh(*_halves(x, 0)))
    return proof


def tanh() -> Proof:
    proof = _proof(sinh_f64.tanh, 58, _tanh)
    _of_zero(proof, sinh_f64.tanh, binades(LEAST, -9), _tanh_of)
    return proof
