"""float64 sinh, cosh and tanh at LOW, by expm1 there."""

from __future__ import annotations

from math import floor, log, nextafter

from flint import arb, arb_series
from tools.prove.rounding.cells import Proof, binades, pieces, variable
from tools.prove.rounding.claims.exponential_f64 import reduced
from tools.prove.rounding.expansions import Expansion
from tools.prove.rounding.numbers import Number, constant, error_atom
from tools.prove.rounding.ulps import LEAST, Cuts, Truth, compare, near_zero, promised, towards_zero

from samebits.lang.kernel import Kernel
from samebits.mathlib.float64 import exp_fast_f64, sinh_fast_f64
from samebits.mathlib.float64.exp_f64 import ROUNDER

NEAR = 0.125
"""Up to here the kernels are run as they are."""
R, COUNT = ("low_rest", "r"), ("half_expm1_low", "shifted")
LN2 = arb(2).log()


def _sinh(x: Expansion) -> Expansion:
    grown = x.of(arb_series.exp)
    return (grown - grown.inverse()).scaled(arb(0.5))


def _cosh(x: Expansion) -> Expansion:
    grown = x.of(arb_series.exp)
    return (grown + grown.inverse()).scaled(arb(0.5))


def _tanh(x: Expansion) -> Expansion:
    return _sinh(x) * _cosh(x).inverse()


def _proof(name: str, kernel: Kernel, largest: float, times: int, function: Truth) -> Proof:
    """Of a kernel that takes expm1 of `times` its argument up to `largest`; all are symmetric."""
    proof = promised(name, "LOW")
    end = times * largest
    (most,), lost = reduced(
        proof, exp_fast_f64.half_expm1_low, end, (R,), COUNT, LN2, zero=ROUNDER, least=0.0
    )
    near = function if name == "cosh" else near_zero(function, 0.0)
    for low, high in towards_zero(NEAR, LEAST):
        if name == "cosh" or (low and high):
            compare(proof, kernel, near, "near 0", variable(low, high))
    left = float(most.upper())
    for n in range(floor(end / log(2) + 0.5) + 1):

        def cuts(r: Number, n: int = n) -> Cuts:
            return {R: r, COUNT: constant(ROUNDER + n)}

        def truth(r: Expansion, n: int = n) -> Expansion:
            more = error_atom(lost, "reduction").expansion + Expansion.constant(LN2 * n)
            return function((r + more).scaled(arb(1) / times))

        for low, high in pieces(-left, left, 4) if n else ((times * NEAR / 2, left),):
            compare(proof, kernel, truth, f"count {n}", variable(low, high), cuts=cuts,
                    args=[constant(1.0)])  # fmt: skip
    return proof


def sinh_low() -> Proof:
    return _proof("sinh", sinh_fast_f64.sinh_low, sinh_fast_f64.BOUND, 1, _sinh)


def cosh_low() -> Proof:
    return _proof("cosh", sinh_fast_f64.cosh_low, sinh_fast_f64.BOUND, 1, _cosh)


def tanh_low() -> Proof:
    proof = _proof("tanh", sinh_fast_f64.tanh_low, sinh_fast_f64.SATURATED, 2, _tanh)
    # Beyond, as at its end: 1 is e^-40 off.
    rest = Expansion.error((arb(-2) * sinh_fast_f64.SATURATED).exp() * 2, "rest")
    one = Expansion.constant(arb(1)) + rest
    for low, high in binades(4, 1022):
        beyond = variable(max(low, nextafter(sinh_fast_f64.SATURATED, high)), high)
        compare(proof, sinh_fast_f64.tanh_low, lambda x: one, "beyond", beyond)
    return proof
