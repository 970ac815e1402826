"""The margins of pow, rootn and compound are proven phase by phase, and not with smaller ones."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.support.proofs import changing, margins
from tools.prove.rounding import cells
from tools.prove.rounding.cells import Proof
from tools.prove.rounding.claims import exponent_sums_f64, log1p_f64, power_f64

from samebits.mathlib.float64 import exp_f64, log_f64


def shown(proof: Proof, least: int) -> bool:
    assert proof.cells >= least
    return not proof.failures


@pytest.mark.proof
@pytest.mark.parametrize("name", ["log", "log_of_root", "log_of_compound"])
@margins(0.25)
def test_logarithms_are_proven_and_not_with_a_quarter_of_the_margin(
    name: str, by: float, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(power_f64, "INDICES", [5, 40])
    monkeypatch.setattr(power_f64, "EXPONENTS", [(0, 0), (4, 7)])
    monkeypatch.setattr(power_f64, "scaling", lambda _: None)
    monkeypatch.setattr(log1p_f64, "TINY", -12)
    monkeypatch.setattr(power_f64, "linked", changing(log_f64.MARGIN_R, by))
    monkeypatch.setattr(cells, "DEPTH", cells.DEPTH if holds else 0)
    claim: Callable[[], Proof] = getattr(power_f64, name)
    assert shown(getattr(claim, "__wrapped__", claim)(), 20) == holds


@pytest.mark.parametrize("name", ["product", "quotient", "product_of_compound"])
@margins(0.25)
def test_exponents_are_proven_and_not_with_a_smaller_bound(
    name: str, by: float, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(power_f64, "PRODUCT", power_f64.PRODUCT * by)
    monkeypatch.setattr(cells, "DEPTH", 1)
    claim: Callable[[], Proof] = getattr(power_f64, name)
    assert shown(getattr(claim, "__wrapped__", claim)(), power_f64.CUTS) == holds


@margins(0.5)
def test_any_exponent_is_reduced_as_near_as_is_said(
    by: float, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exponent_sums_f64, "LOST", exponent_sums_f64.LOST * by)
    assert shown(exponent_sums_f64.reduction.__wrapped__(), 500) == holds


@pytest.mark.parametrize("name", ["pow", "rootn", "compound"])
@margins(0.5)
def test_powers_are_proven_and_not_with_half_of_the_margin(
    name: str, by: float, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exponent_sums_f64, "INDICES", [1, 64])
    monkeypatch.setattr(power_f64, "linked", changing(exp_f64.MARGIN, by))
    monkeypatch.setattr(cells, "DEPTH", cells.DEPTH if holds else 0)
    claim: Callable[[], Proof] = getattr(power_f64, name)
    assert shown(getattr(claim, "__wrapped__", claim)(), 2 * power_f64.CUTS) == holds
