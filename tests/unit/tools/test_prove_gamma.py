"""The margins of tgamma and lgamma are proven phase by phase, and not with smaller ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise
from math import inf, nextafter
from types import ModuleType

import pytest
from flint import arb
from tests.support.proofs import changing
from tools.prove.rounding import cells
from tools.prove.rounding.cells import Proof, variable
from tools.prove.rounding.claims import (
    gamma_steps_f64,
    lgamma_below_f64,
    lgamma_f64,
    log_gamma,
    powers_in_two_parts_f64,
    sines_f64,
    stirling_f64,
    tgamma_f64,
    trigonometric_f64,
)

from samebits.mathlib.float64 import lgamma_f64 as lgamma_kernels
from samebits.mathlib.float64 import log_f64
from samebits.mathlib.float64 import tgamma_f64 as kernels
from samebits.mathlib.float64 import trigonometric_f64 as sines


def claim(of: ModuleType, name: str) -> Proof:
    """Of a function, not what is kept of it."""
    found: Callable[[], Proof] = getattr(of, name)
    return getattr(found, "__wrapped__", found)()


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few cells of each phase."""
    for of, name, some in (
        (gamma_steps_f64, "STEPS", [0, 256]),
        (gamma_steps_f64, "LOG_STEPS", [0, 9, 40]),
        (stirling_f64, "INDICES", [5, 40]),
        (powers_in_two_parts_f64, "INDICES", [1, 8]),
        (sines_f64, "INDICES", [45]),
        (lgamma_f64, "EXPONENTS", [(4, 7)]),
        (lgamma_f64, "SMALLEST", -4),
        (lgamma_below_f64, "INDICES", [5, 80]),
        (lgamma_below_f64, "EXPONENTS", [(0, 0), (1, 1024)]),
        (lgamma_below_f64, "PRODUCTS", (-900, -899)),
        (lgamma_below_f64, "TINY", 0),
        (tgamma_f64, "CUTS", 4),
    ):
        monkeypatch.setattr(of, name, some)
    for of in (stirling_f64, lgamma_below_f64):
        monkeypatch.setattr(of, "scaling", lambda _: None)
    monkeypatch.setattr(trigonometric_f64, "reduction", lambda _: None)
    monkeypatch.setattr(stirling_f64, "arguments", lambda first, last: [(8.0, 9.0), (70.0, 72.0)])


@pytest.mark.parametrize("ends", [(0.75, 0.8), (0.98, 1.02), (8.0, 9.0), (64.0, 72.0)])
def test_ln_gamma_is_enclosed(ends: tuple[float, float]) -> None:
    x = variable(*ends).expansion
    found, rest = log_gamma.log_gamma(x), stirling_f64.rest(x) if ends[0] >= 8 else None
    for k in (-1, 0, 0.5, 1):
        at = x.polynomial(arb(k))
        assert found.polynomial(arb(k)).overlaps(at.lgamma())
        assert found.polynomial(arb(k)).rad() < 1e-20
        if rest is not None:
            truth = at.lgamma() - (at - 0.5) * at.log() + at - (2 * arb.pi()).log() / 2
            assert abs((rest.polynomial(arb(k)) + rest._whole_spread - truth).upper()) < 2.0**-72


@pytest.mark.parametrize("c", [Fraction(-1, 4), Fraction(0), Fraction(1, 4), Fraction(1), 7])
def test_what_zeros_leave_of_ln_gamma_is_enclosed(c: Fraction) -> None:
    found = log_gamma.scaled_log_gamma(Fraction(c), variable(-(2.0**-6), 2.0**-6).expansion)
    for k in (-1, 0.5, 1):
        w = arb(float(c)) + arb(k) * 2.0**-6
        truth = (w + 1).lgamma() / (w * (w - 1))
        assert found.polynomial(arb(k)).overlaps(truth)
        assert found.polynomial(arb(k)).rad() < 1e-24


BOUNDS = [
    (gamma_steps_f64, "gamma", kernels, "TABLE_MARGIN", 0.5),
    (gamma_steps_f64, "scaled_log", lgamma_kernels, "MARGIN", 0.125),
    (tgamma_f64, "stirling", kernels, "STIRLING_MARGIN", 0.5),
    (tgamma_f64, "power", tgamma_f64, "POWER", 0.5),
    (lgamma_below_f64, "product", lgamma_below_f64, "PRODUCT", 0.125),
    (lgamma_below_f64, "stirling", kernels, "STIRLING_MARGIN", 0.5),
]


@pytest.mark.proof
@pytest.mark.parametrize(("of", "name", "source", "margin", "by"), BOUNDS)
def test_parts_are_as_near_as_is_said_and_not_nearer(
    of: ModuleType, name: str, source: ModuleType, margin: str, by: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(gamma_steps_f64, "_reduction", lambda *_: None)
    proof = claim(of, name)
    assert proof.cells > 1
    assert not proof.failures
    monkeypatch.setattr(cells, "DEPTH", 1)
    monkeypatch.setattr(source, margin, getattr(source, margin) * by)
    assert claim(of, name).failures


MARGINS = [
    (tgamma_f64, "log", stirling_f64, log_f64.MARGIN_R, 0.25),
    (tgamma_f64, "positive", tgamma_f64, kernels.QUOTIENT_MARGIN, 2.0**-6),
    (tgamma_f64, "negative", tgamma_f64, kernels.QUOTIENT_MARGIN, 2.0**-6),
    (sines_f64, "half_turns", sines_f64, sines.MARGIN, 0.5),
    (tgamma_f64, "power", tgamma_f64, kernels.STIRLING_MARGIN, 0.5),
    (lgamma_f64, "log", stirling_f64, log_f64.MARGIN_R, 0.25),
    (lgamma_f64, "far", lgamma_f64, kernels.STIRLING_MARGIN, 0.5),
    (lgamma_f64, "middle", lgamma_f64, lgamma_kernels.MARGIN, 0.5),
    (lgamma_f64, "near", lgamma_f64, lgamma_kernels.MARGIN, 0.5),
    (lgamma_below_f64, "logarithm", lgamma_below_f64, log_f64.MARGIN_R, 0.25),
    (lgamma_below_f64, "below", lgamma_below_f64, kernels.QUOTIENT_MARGIN, 2.0**-3),
]


@pytest.mark.proof
@pytest.mark.parametrize(("of", "name", "linking", "margin", "by"), MARGINS)
def test_margins_are_proven_and_not_smaller_ones(
    of: ModuleType, name: str, linking: ModuleType, margin: float, by: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    parts = [variable(2.0**-20, 2.0**-19), variable(-(2.0**-8), -(2.0**-9))]
    monkeypatch.setattr(sines_f64, "parts", lambda least: parts)
    if name == "below":
        monkeypatch.setattr(lgamma_below_f64, "LARGEST_LOG", 1)
        monkeypatch.setattr(lgamma_below_f64, "STIRLINGS", [3, 45])
    if name == "middle":
        some = [*lgamma_f64._around_zeros()]
        some = [*some[::20], some[-1]]
        monkeypatch.setattr(lgamma_f64, "_around_zeros", lambda: some)
    proof = claim(of, name)
    assert proof.cells > 2
    assert not proof.failures
    monkeypatch.setattr(cells, "DEPTH", 0)
    monkeypatch.setattr(linking, "linked", changing(margin, by))
    assert claim(of, name).failures


GRANTED = [
    (gamma_steps_f64, "gamma", gamma_steps_f64, "GAMMAS", (0.8, 2.0), "inf of"),
    (gamma_steps_f64, "gamma", gamma_steps_f64, "SECOND", 2.0**-54, "inf of"),
    (gamma_steps_f64, "scaled_log", gamma_steps_f64, "QUOTIENTS", (0.2, 0.5), "inf of"),
    (tgamma_f64, "log", stirling_f64, "OF_LOG", 2.0**-80, "inf of"),
    (tgamma_f64, "stirling", tgamma_f64, "LARGEST_LOG", 10.5, "inf of"),
    (tgamma_f64, "power", tgamma_f64, "RELATIVE", 2.0**-63, "the margin of z in"),
    (sines_f64, "half_turns", sines_f64, "LEAST_SINE", 0.75, "inf of"),
    (sines_f64, "half_turns", sines_f64, "OF_SINE", 2.0**-90, "inf of"),
    (lgamma_below_f64, "product", lgamma_below_f64, "REST", 2.0**-54, "inf of"),
    (lgamma_below_f64, "logarithm", lgamma_below_f64, "REST", 2.0**-50, "the reduction of index"),
    (lgamma_below_f64, "logarithm", lgamma_below_f64, "OF_LOG", 2.0**-70, "inf of"),
    (lgamma_below_f64, "logarithm", lgamma_below_f64, "LARGEST_LOG", 9, "inf of"),
    (lgamma_below_f64, "stirling", lgamma_below_f64, "OF_STIRLING", 2.0**-70, "the margin of a"),
    (lgamma_below_f64, "stirling", lgamma_below_f64, "STIRLINGS", range(4, 46), "inf of"),
    (lgamma_below_f64, "below", lgamma_below_f64, "TABLE", 0.25, "the table of Γ"),
]


@pytest.mark.proof
@pytest.mark.parametrize(("of", "name", "source", "bound", "value", "failure"), GRANTED)
def test_what_a_phase_takes_for_granted_is_shown_by_another(
    of: ModuleType, name: str, source: ModuleType, bound: str, value: object, failure: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(sines_f64, "parts", lambda least: [variable(2.0**-10, 2.0**-9)])
    monkeypatch.setattr(gamma_steps_f64, "_reduction", lambda *_: None)
    monkeypatch.setattr(cells, "DEPTH", 0)
    monkeypatch.setattr(lgamma_below_f64, "INDICES", [5])
    monkeypatch.setattr(source, bound, value)
    if name == "below":
        monkeypatch.setattr(lgamma_below_f64, "_logarithms", list)
    assert any(failure in found for found in claim(of, name).failures)


def test_sines_are_rounded_to_two_parts_as_is_said() -> None:
    for size in (False, True):
        proof = Proof("sine", sines, ())
        args = proof, kernels.gamma_in_two_parts, tgamma_f64.NAME, tgamma_f64.NEGATIVE
        sines_f64.rounded(*args, size=size)
        args = proof, lgamma_kernels.lgamma_below_0, lgamma_below_f64.NAME, lgamma_below_f64.NEAR
        sines_f64.rounded(*args, size=not size)
        wrong = [f"{name} rounds its sine" for name in (tgamma_f64.NAME, lgamma_below_f64.NAME)]
        assert proof.failures == (wrong if size else [])


def test_another_angle_is_no_sine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sines_f64, "SINE", (sines.cospi, "cospi"))
    proof = Proof("sine", sines, ())
    args = proof, kernels.gamma_in_two_parts, tgamma_f64.NAME, tgamma_f64.NEGATIVE
    sines_f64.rounded(*args, size=False)
    assert proof.failures == [f"{tgamma_f64.NAME} takes another sine"]


@pytest.mark.proof
def test_distances_from_steps_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gamma_steps_f64, "STEPS", [])
    monkeypatch.setattr(gamma_steps_f64, "LOG_STEPS", [])
    for name, least in (("gamma", 500), ("scaled_log", 450)):
        proof = claim(gamma_steps_f64, name)
        assert proof.cells > least
        assert not proof.failures
    monkeypatch.setattr(gamma_steps_f64, "HALF_STEP", 2.0**-7)
    assert claim(gamma_steps_f64, "gamma").failures


def _ends(numbers: Iterator[cells.Number]) -> list[tuple[float, float]]:
    return sorted(x.ends for x in numbers if x.ends is not None)


def test_every_argument_from_three_quarters_to_8_is_in_a_cell_but_1_and_2() -> None:
    ends = _ends(lgamma_f64._around_zeros())
    assert ends[0][0] == lgamma_kernels.NEAR
    assert ends[-1][1] == nextafter(kernels.LARGEST_STEP, 0.0)
    for (_, high), (low, _) in pairwise(ends):
        if low != high:
            assert nextafter(high, inf) in (1.0, 2.0)
            assert nextafter(low, 0.0) == nextafter(high, inf)


def test_every_argument_below_three_quarters_is_in_a_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lgamma_f64, "SMALLEST", -900)
    ends = [*lgamma_f64._below_three_quarters()]
    assert ends[0][0] == kernels.SMALLEST
    assert ends[-1][1] == nextafter(lgamma_kernels.NEAR, 0.0)
    assert all(a[1] == b[0] for a, b in pairwise(ends))


@pytest.mark.parametrize("tiny", [-10, 0])
def test_every_logarithm_of_a_product_is_in_a_cell(
    tiny: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lgamma_below_f64, "TINY", tiny)
    monkeypatch.setattr(lgamma_below_f64, "LARGEST_LOG", 10)
    ends = _ends(lgamma_below_f64._logarithms())
    assert (ends[0][0], ends[-1][1]) == (-1024.0, 1024.0)
    assert all(a[1] == b[0] for a, b in pairwise(ends))


def test_every_margin_of_a_logarithm_is_in_a_cell() -> None:
    log, _ = stirling_f64.logarithm(variable(9.0, 10.0).expansion)
    ends = [m.ends for m in stirling_f64.margins(log) if m.ends is not None]
    assert ends[0][0] <= 2.19 * stirling_f64.LEAST_OF_LOG * 1.01
    assert ends[-1][1] >= 2.30 * stirling_f64.OF_LOG
    assert all(a[1] == b[0] for a, b in pairwise(ends))


def test_arguments_of_stirlings_formula_leave_none_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert max(kernels.LARGEST, -kernels.LEAST) <= tgamma_f64.LARGEST
    for largest in (tgamma_f64.LARGEST, lgamma_kernels.LARGEST, -lgamma_kernels.LEAST):
        ends = [*stirling_f64.arguments(3, largest)]
        assert (ends[0][0], ends[-1][1]) == (kernels.LARGEST_STEP, largest)
        assert all(a[1] == b[0] for a, b in pairwise(ends))
