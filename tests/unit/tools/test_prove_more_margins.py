"""The margins of erf and hypot are proven and not with less, and rules know where a number ends."""

from __future__ import annotations

from math import inf, nextafter

import pytest
from flint import arb
from tests.support.proofs import changing, margins, part_of_sum, run
from tools.prove.rounding import cells, ulps
from tools.prove.rounding.cells import linked, small, variable
from tools.prove.rounding.claims import area_f64, error_f64, roots_f64, squares_f64
from tools.prove.rounding.claims.trigonometric_f64 import between
from tools.prove.rounding.expansions import Expansion
from tools.prove.rounding.machine import Machine, UndecidedError
from tools.prove.rounding.numbers import Number

from samebits.mathlib.float64 import erf_f64
from samebits.mathlib.float64 import roots_f64 as kernels


def test_the_rest_of_a_sum_is_exact_within_a_binade_whatever_is_greater() -> None:
    """The smaller is then a multiple of the greater's unit; of the next power of two it is none."""
    for e in (0, -800):
        most = nextafter(2.0 ** (e + 1), 0.0)
        _, machine = run(part_of_sum, variable(2.0**e, most), between(0.0, most))
        assert machine.rounded == 1
        _, machine = run(part_of_sum, variable(2.0**e, most), between(0.0, 2.5 * 2.0**e))
        assert machine.rounded > 1


def test_a_root_of_what_is_known_too_little_is_not_decided() -> None:
    machine = Machine(linked(part_of_sum)[0])
    with pytest.raises(UndecidedError, match="known too little"):
        machine._sqrt(Number(small(2.0, "w").form, -60, limit=arb(1.5, 0.25)))


def test_what_cannot_be_enclosed_is_no_proof() -> None:
    """Such as Arb's series of ln Γ about [8, 9], which is NaN."""
    unknown, one = Expansion.constant(arb("nan")), Expansion.constant(arb(1))
    assert cells.part_of(unknown, one) == inf
    assert ulps.off(unknown, one) == inf
    assert cells.greater(0.5, arb("nan")) == inf
    proof = cells.Proof("unknown", roots_f64, ())  # type: ignore[arg-type]
    proof.note(arb("nan"), "a cell")
    assert proof.failures


@margins(0.25)
def test_erf_is_proven_and_not_with_a_quarter_of_the_margin(
    by: float, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(error_f64, "linked", changing(erf_f64.REST_MARGIN, by))
    monkeypatch.setattr(error_f64, "COUNTS", [0, 100])
    monkeypatch.setattr(error_f64, "LEAST", -10)
    monkeypatch.setattr(cells, "DEPTH", 6 if holds else 0)
    proof = error_f64.erf()
    assert proof.cells > 20
    assert (not proof.failures) == holds


def test_distances_from_steps_of_erf_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(error_f64, "COUNTS", [])
    assert not error_f64.erf().failures
    monkeypatch.setattr(error_f64, "HALF_STEP", 2.0**-8)
    assert len(error_f64.erf().failures) > 5


@margins(2.0**-8)
def test_hypot_is_proven_and_not_with_a_smaller_margin(
    by: float, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(roots_f64, "linked", changing(kernels.MARGIN, by))
    monkeypatch.setattr(squares_f64, "SUMS", [0])
    proof = roots_f64.hypot()
    assert proof.cells > 30
    assert (not proof.failures) == holds


def test_sums_of_two_squares_are_as_near_as_hypot_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    for slack, holds in ((squares_f64.SLACK, True), (squares_f64.SLACK / 2, False)):
        monkeypatch.setattr(squares_f64, "SLACK", slack)
        monkeypatch.setattr(squares_f64, "SQUARES", [-900, -1, 0, 900])
        proof = squares_f64.squares()
        assert (not proof.failures) == holds
    monkeypatch.setattr(squares_f64, "SQUARES", [-898, 900])
    assert "the range of legs" in squares_f64.squares().failures


def test_cells_from_a_power_of_two_leave_no_float_out() -> None:
    found = [x.ends for x in area_f64._from_powers(3, 4)]
    last = 8.0
    for ends in found:
        assert ends is not None
        assert ends[0] in (last, nextafter(last, 64.0))
        last = ends[1]
    assert last == 32.0
