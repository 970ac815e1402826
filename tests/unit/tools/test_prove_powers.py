"""The margins of expm1, sinh and their kin are proven, and not where they or a constant are off."""

from __future__ import annotations

import dataclasses

import pytest
from tests.support.proofs import changing, margins, run
from tools.prove.rounding import cells
from tools.prove.rounding.cells import Proof, small
from tools.prove.rounding.claims import expm1_f64, hyperbolic_f64, reductions_f64

import samebits as sb
from samebits import float64
from samebits.mathlib.float64 import exp_f64, sinh_f64
from samebits.mathlib.float64 import expm1_f64 as kernels


@sb.kernel
def two_difference(a: float64, b: float64) -> float64:
    s = a - b
    v = s - a
    return (a - (s - v)) - (b + v)


@sb.kernel
def no_two_difference(a: float64, b: float64) -> float64:
    s = a - b
    v = s - a
    return (a - (s - v)) - (b - v)


def test_what_a_difference_loses_is_exact_whatever_is_greater() -> None:
    found, machine = run(two_difference, small(2.0**40, "a"), small(2.0**300, "b"))
    assert machine.discharged["two-sum"] == 1
    assert len(found.form) == 1
    _, machine = run(no_two_difference, small(2.0**40, "a"), small(2.0**300, "b"))
    assert not machine.discharged["two-sum"]


@margins(0.25)
def test_powers_less_one_are_proven_and_not_with_a_quarter_of_the_margin(
    by: float, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expm1_f64, "linked", changing(kernels.MARGIN_R, by))
    monkeypatch.setattr(expm1_f64, "INDICES", [0, 40])
    monkeypatch.setattr(expm1_f64, "FEW", -1)
    monkeypatch.setattr(expm1_f64, "NEAR", [0])
    monkeypatch.setattr(expm1_f64, "LEAST", -9)
    monkeypatch.setattr(cells, "DEPTH", 4 if holds else 0)
    proof = expm1_f64.power_less_one.__wrapped__()
    assert proof.cells >= 10
    assert (not proof.failures) == holds


@pytest.mark.proof
@pytest.mark.parametrize("name", ["sinh", "cosh", "tanh"])
@margins(0.25)
def test_hyperbolic_functions_are_proven_and_not_with_a_quarter_of_the_margin(
    name: str, by: float, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    margin = sinh_f64.MARGIN_R_TANH if name == "tanh" else sinh_f64.MARGIN_R
    power = hyperbolic_f64.NEAR[name].stop
    monkeypatch.setattr(hyperbolic_f64, "linked", changing(margin, by))
    monkeypatch.setattr(hyperbolic_f64, "INDICES", [0])
    monkeypatch.setattr(hyperbolic_f64, "NEAR", {name: range(power - 1, power)})
    monkeypatch.setattr(hyperbolic_f64, "LEAST", -9)
    monkeypatch.setattr(cells, "DEPTH", 6 if holds else 1)
    proof = getattr(hyperbolic_f64, name)()
    assert proof.cells >= 5
    assert (not proof.failures) == holds


CONSTANTS = {
    "expm1": exp_f64.STEP_2, "exp2m1": exp_f64.LN2_LOW, "exp10m1": exp_f64.LN10_LOW,
    "sinh_reduction": exp_f64.STEP_2, "cosh_reduction": exp_f64.STEP_1,
    "tanh_reduction": exp_f64.STEP_2,
}  # fmt: skip


@pytest.mark.proof
@pytest.mark.parametrize(("name", "constant"), CONSTANTS.items())
@margins(1 + 2.0**-20)
def test_reductions_of_powers_are_proven_and_not_with_a_constant_that_is_off(
    name: str, constant: float, by: float, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reductions_f64, "linked", changing(constant, by))
    monkeypatch.setattr(reductions_f64, "LEAST", -20)
    monkeypatch.setattr(reductions_f64, "TINY", -20)
    for claims in (expm1_f64, hyperbolic_f64):
        monkeypatch.setattr(claims, "_tiny", lambda *args: None)
    claims = expm1_f64 if hasattr(expm1_f64, name) else hyperbolic_f64
    proof: Proof = getattr(claims, name)()
    assert proof.cells > 20
    assert (not proof.failures) == holds


def test_a_count_that_does_not_stand_in_the_low_bits_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reductions_f64, "LEAST", -10)
    monkeypatch.setattr(reductions_f64, "TINY", -10)
    it = reductions_f64.Reduction(
        kernels.expm1, kernels.LARGEST, reductions_f64.arb(1), ("reduce_exp", "k"),
        (("power_less_one", "r"), ("power_less_one", "r_low")), exp_f64.ROUNDER,
    )  # fmt: skip
    assert not reductions_f64.reduction(it).failures
    for rounder in (exp_f64.ROUNDER + 1, exp_f64.STEPS_ROUNDER):
        assert reductions_f64.reduction(dataclasses.replace(it, rounder=rounder)).failures
