"""The margins of logaddexp are proven phase by phase, and not with smaller ones."""

from __future__ import annotations

from itertools import pairwise
from math import exp, ulp

import pytest
from tests.support.proofs import changing, margins
from tools.prove.rounding import cells
from tools.prove.rounding.claims import logaddexp_f64, powers_in_two_parts_f64

from samebits.mathlib.float64 import exp_f64
from samebits.mathlib.float64 import logaddexp_f64 as kernels

FAR = 2.0**54, 2.0**56
"""Powers that 1 is not greater than."""


@margins(0.5)
def test_its_power_is_as_near_as_is_said(
    by: float, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(powers_in_two_parts_f64, "INDICES", [1, 8])
    monkeypatch.setattr(logaddexp_f64, "POWER", logaddexp_f64.POWER * by)
    proof = logaddexp_f64.power()
    assert proof.cells == 2 * powers_in_two_parts_f64.CUTS
    assert (not proof.failures) == holds


@pytest.mark.proof
@pytest.mark.parametrize(
    ("margin", "by", "holds"),
    [(exp_f64.MARGIN, 1.0, True), (exp_f64.MARGIN, 0.5, False), (kernels.LOST, 0.25, False)],
)
def test_its_logarithm_is_proven_and_not_with_a_smaller_margin(
    margin: float, by: float, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where 1 + power loses nothing, something, and all of the power."""
    monkeypatch.setattr(logaddexp_f64, "INDICES", [0, 127])
    monkeypatch.setattr(logaddexp_f64, "scaling", lambda _: None)
    monkeypatch.setattr(logaddexp_f64, "_two_parts", lambda *_: None)
    monkeypatch.setattr(logaddexp_f64, "TINY", -54)
    monkeypatch.setattr(logaddexp_f64, "linked", changing(margin, by))
    some = [(2.0**e, 2.0 ** (e + 1)) for e in (-54, -30, -12)]
    monkeypatch.setattr(logaddexp_f64, "binades", lambda *_: some)
    monkeypatch.setattr(cells, "DEPTH", cells.DEPTH if holds else 0)
    proof = logaddexp_f64.logarithm()
    assert proof.cells > 20
    assert (not proof.failures) == holds


@pytest.mark.proof
@margins(2.0**-6)
def test_any_sum_is_proven_and_not_with_a_smaller_margin(
    by: float, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = [(0.0, 2.0**-110), (2.0**-53, 2.0**-52)]
    monkeypatch.setattr(logaddexp_f64, "SCALES", [0])
    monkeypatch.setattr(logaddexp_f64, "_seconds", lambda e: few)
    monkeypatch.setattr(logaddexp_f64, "linked", changing(kernels.SUM_MARGIN, by))
    monkeypatch.setattr(cells, "DEPTH", cells.DEPTH if holds else 0)
    proof = logaddexp_f64.logaddexp()
    assert proof.cells > 10
    assert (not proof.failures) == holds


def test_h_and_what_it_lost_are_one_more_than_a_power(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logaddexp_f64, "INDICES", [])
    monkeypatch.setattr(logaddexp_f64, "scaling", lambda _: None)
    monkeypatch.setattr(logaddexp_f64, "TINY", -3)
    monkeypatch.setattr(logaddexp_f64, "binades", lambda low, high: [(0.25, 0.5), FAR]
                        if high == -1 else [])  # fmt: skip
    assert logaddexp_f64.logarithm().failures == [f"1 + power in {FAR}"]


@pytest.mark.parametrize("e", [0, -958, -984])
def test_every_second_part_and_every_margin_is_in_a_cell_of_the_sum(e: int) -> None:
    seconds = [*logaddexp_f64._seconds(e)]
    assert seconds[0][0] == 0.0
    assert all(a[1] == b[0] for a, b in pairwise(seconds))
    assert seconds[-1][1] >= 2.0 ** (e + 1) * logaddexp_f64.OF_LOG
    last = 2.0 ** (e + 1)
    for least in (2.0**e * logaddexp_f64.LEAST_MARGIN, last * logaddexp_f64.MOST_MARGIN):
        margins = [*logaddexp_f64._margins(least, last)]
        assert margins[0][0] == least
        assert all(a[1] == b[0] for a, b in pairwise(margins))
        assert margins[-1][1] >= last * logaddexp_f64.MOST_MARGIN


@pytest.mark.parametrize("e", [-982, -54, -53, -30, -8])
def test_all_that_a_power_may_lose_in_one_is_in_a_cell(e: int) -> None:
    low, high = 2.0**e, 2.0 ** (e + 1)
    parts = [*logaddexp_f64._parts(low, high)]
    if e < logaddexp_f64.ONES:
        assert parts == [None]
        return
    ends = sorted(part for part in parts if part is not None)
    assert all(a[1] == b[0] for a, b in pairwise(ends))
    most = ulp(1.0) / 2 + high * logaddexp_f64.SECOND
    assert ends[0][0] <= -most
    assert ends[-1][1] >= most


def test_all_powers_are_in_a_cell() -> None:
    """Those from 2^-7 on by the table's index, which the tests of logarithms show to be all."""
    assert exp(kernels.NEAR) > 2.0**logaddexp_f64.TINY
    ends = [*logaddexp_f64.binades(logaddexp_f64.TINY, -8)]
    assert ends[0][0] == 2.0**logaddexp_f64.TINY
    assert ends[-1][1] == 2.0**-7
    assert [first for first, _ in ends[1:]] == [last for _, last in ends[:-1]]
