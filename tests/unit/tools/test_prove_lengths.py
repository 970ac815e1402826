"""What counts a length is enclosed whatever the length is, and the margins of cbrt, erfc and atan2
are proven with it, and not with smaller ones."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from math import inf, nextafter
from random import Random
from types import ModuleType

import pytest
from flint import arb
from tests.support.proofs import changing, margins
from tools.prove.rounding import cells
from tools.prove.rounding.cells import Proof, a_float, length, variable
from tools.prove.rounding.claims import (
    cube_root_f64,
    erfc_f64,
    powers_in_two_parts_f64,
    two_legs_f64,
)
from tools.prove.rounding.expansions import Expansion, UnitError
from tools.prove.rounding.numbers import Number, fraction

from samebits.mathlib.float64 import erfc_f64 as erfc_kernels
from samebits.mathlib.float64 import inverse_trigonometric_f64, roots_f64


def test_products_quotients_and_roots_enclose_those_of_every_length() -> None:
    rng, t = Random(13), variable(0.25, 0.5)
    one, two = length(1.0, 3.0), t.expansion * length(1.0, 3.0)
    found = {
        "product": two * one, "sum": two + one.scaled(arb(2)), "quotient": two * one.inverse(),
        "inverse": two.inverse(), "root": (two * one).root(), "power": length(1.0, 3.0, -3) * two,
    }  # fmt: skip
    assert [found[name].unit.power for name in found] == [2, 1, 0, -1, 1, -2]
    for _ in range(200):
        x, many = rng.uniform(0.25, 0.5), rng.uniform(1.0, 3.0)
        exact = {
            "product": x * many * many, "sum": x * many + 2 * many, "quotient": x,
            "inverse": 1 / (x * many), "root": (x * many * many) ** 0.5, "power": x / many**2,
        }  # fmt: skip
        for name, value in exact.items():
            assert found[name].range().contains(arb(value, 1e-9)), name
    assert fraction(found["sum"].range().upper()) < Fraction(76, 10)
    ends = (two + one).ends()
    assert ends is not None
    assert [fraction(end) for end in ends] == [Fraction(5, 4), Fraction(9, 2)]


def test_an_error_of_a_length_is_as_large_wherever_the_length_is_least() -> None:
    error = Expansion.error(arb(2.0**-60), "error", length(0.5, 8.0).unit)
    assert 1 <= float(error.range().abs_upper()) / 2.0**-56 < 1.001
    assert 1 <= float((error * length(0.5, 8.0, -1)).range().abs_upper()) / 2.0**-59 < 1.001


def test_what_depends_on_the_length_is_no_expansion() -> None:
    one = length(1.0, 2.0)
    for wrong in (
        lambda: one + Expansion.constant(arb(1)),
        lambda: one * length(1.0, 3.0),
        lambda: one.of(lambda s: s.exp()),
        lambda: one.root(),
    ):
        with pytest.raises(UnitError):
            wrong()
    assert one + Expansion.constant(arb(0)) is not None


def test_a_float_is_between_the_ends_of_what_it_is() -> None:
    found = a_float(variable(0.3, 0.7).expansion * length(1.0, 1.5), "x")
    assert found.ends is not None
    low, high = found.ends
    assert Fraction(low) <= Fraction(0.3) < Fraction(low) + Fraction(2) ** -40
    assert Fraction(high) >= Fraction(0.7) * Fraction(3, 2) > Fraction(high) - Fraction(2) ** -40
    assert found.grid == -54


def shown(proof: Proof, least: int) -> bool:
    assert proof.cells >= least
    return not proof.failures


@pytest.mark.parametrize("name", ["atan2", "atan2pi"])
@margins(0.25)
def test_angles_of_two_legs_are_proven_and_not_with_a_quarter_of_the_margin(
    name: str, by: float, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def near(i: int) -> Iterator[Number]:
        yield variable((i + 0.35) / 64, (i + 0.4) / 64)

    margin = inverse_trigonometric_f64.REST_MARGIN
    monkeypatch.setattr(two_legs_f64, "linked", changing(margin, by))
    monkeypatch.setattr(two_legs_f64, "COUNTS", [1])
    monkeypatch.setattr(two_legs_f64, "_slopes", near)
    monkeypatch.setattr(cells, "DEPTH", 3 if holds else 0)
    assert shown(getattr(two_legs_f64, name)(), 16) == holds


def test_all_slopes_of_a_count_are_run() -> None:
    for i in (0, 1, 2, 63, 64):
        ends = sorted(x.ends for x in two_legs_f64._slopes(i) if x.ends is not None)
        assert all(a[1] == b[0] for a, b in pairwise(ends))
        last = 1.0 if i == 64 else (2 * i + 1) / 128
        assert ends[-1][1] >= last
        assert not i or ends[0][0] <= (2 * i - 1) / 128
        assert ends[-1][1] <= last * (1 + 2.0**-48)


def test_legs_at_the_ends_of_the_fast_phase_are_within_the_cells(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(two_legs_f64, "COUNTS", [])
    assert not two_legs_f64.atan2().failures
    monkeypatch.setattr(two_legs_f64, "LEAST", -959)
    assert two_legs_f64.atan2().failures == ["LEAST"]


@pytest.mark.parametrize(
    ("name", "margin", "of"),
    [("start", "FAR", cube_root_f64), ("step", "NEAR", cube_root_f64),
     ("cbrt", "MARGIN", roots_f64)],
)  # fmt: skip
def test_cube_roots_are_proven_and_not_with_a_smaller_margin(
    name: str, margin: str, of: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cube_root_f64, "PARTS", 1)
    monkeypatch.setattr(cells, "DEPTH", 0)
    assert shown(getattr(cube_root_f64, name)(), 48)
    if of is roots_f64:
        monkeypatch.setattr(cube_root_f64, "linked", changing(roots_f64.MARGIN, 0.125))
    else:
        monkeypatch.setattr(of, margin, getattr(of, margin) * 0.875)
    assert not shown(getattr(cube_root_f64, name)(), 48)


@pytest.mark.proof
@pytest.mark.parametrize(
    ("name", "margin"),
    [("power", "POWER"), ("positive", "MARGIN"), ("negative", "OTHER_MARGIN")],
)
def test_erfc_is_proven_and_not_with_a_smaller_margin(
    name: str, margin: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(powers_in_two_parts_f64, "INDICES", [1, 64])
    for of, some in (("NEAR_STEPS", [0, 30]), ("FAR_STEPS", [0, 200, 350])):
        monkeypatch.setattr(erfc_f64, of, some)
    assert shown(getattr(erfc_f64, name)(), 8)
    monkeypatch.setattr(cells, "DEPTH", 0)
    if hasattr(erfc_kernels, margin):
        value = getattr(erfc_kernels, margin)
        monkeypatch.setattr(erfc_f64, "linked", changing(value, 0.25))
    else:
        monkeypatch.setattr(erfc_f64, margin, getattr(erfc_f64, margin) * 0.5)
    assert not shown(getattr(erfc_f64, name)(), 5)


def test_all_arguments_of_erfc_are_in_a_step() -> None:
    ends = [x.ends for x in erfc_f64._steps() if x.ends is not None]
    assert ends[0][0] == 0.0
    assert ends[-1][1] == erfc_kernels.LARGEST_NORMAL
    for (_, high), (low, _) in pairwise(ends):
        assert low in (high, nextafter(high, inf))
