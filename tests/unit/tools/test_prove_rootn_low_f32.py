"""What is promised of float32 rootn at LOW is proven, not with less, of every root."""

from __future__ import annotations

import math
from itertools import pairwise
from random import Random

import gmpy2
import numpy as np
import pytest
from tests.support.proofs import margins, off_by, promise
from tools.prove.rounding import cells, kept
from tools.prove.rounding.cells import Proof
from tools.prove.rounding.claims import pow_low_f32, powers_f32, rootn_low_f32

import samebits as sb
from samebits import float32, int32
from samebits import math as of


def test_a_bound_is_proven_and_a_smaller_one_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rootn_low_f32, "COUNTS", [-64, 0, 31, 32])
    monkeypatch.setattr(cells, "DEPTH", 1)
    proof = rootn_low_f32.result()
    assert not proof.failures
    assert 150 < proof.worst * proof.margins()["ULP"] < 200
    promise(monkeypatch, "rootn", proof.worst * proof.margins()["ULP"] * 0.9, "float32")
    assert rootn_low_f32.result().failures


@margins(0.75)
def test_logarithms_far_from_0_are_proven_and_not_nearer(
    by: float, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rootn_low_f32, "OFF_FAR", rootn_low_f32.OFF_FAR * by)
    monkeypatch.setattr(rootn_low_f32, "FAR_EXPONENTS", [(64, 71), (120, 127)])
    monkeypatch.setattr(cells, "DEPTH", 0)
    proof = rootn_low_f32.far_exponents()
    assert proof.cells >= 128
    assert (not proof.failures) == holds


def test_no_logarithm_is_far_from_0_whose_exponent_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rootn_low_f32, "FAR_EXPONENTS", [])
    assert not rootn_low_f32.far_exponents().failures
    monkeypatch.setattr(rootn_low_f32, "FAR", 63.49)
    assert rootn_low_f32.far_exponents().failures


@pytest.mark.parametrize("name", ["RECIPROCAL", "RECIPROCAL_OF_ROUNDED"])
@margins(0.5)
def test_reciprocals_are_proven_and_not_half_as_near(
    name: str, by: float, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rootn_low_f32, name, getattr(rootn_low_f32, name) * by)
    monkeypatch.setattr(cells, "DEPTH", cells.DEPTH if holds else 1)
    proof = getattr(rootn_low_f32, name.lower())()
    assert (not proof.failures) == holds


def test_exponents_are_split_off_at_the_root_of_2_and_nowhere_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pow_low_f32, "NORMAL", [-126, 0, 127])
    high = powers_f32.HIGH
    for spacings in (0, -1, 1):
        proof = Proof("exponent", rootn_low_f32, ())
        monkeypatch.setattr(powers_f32, "HIGH", high + spacings * 2.0**-23)
        pow_low_f32.scaling(proof)
        assert proof.cells == 6
        assert len(proof.failures) == (3 if spacings else 0)


def test_everything_that_2_may_be_raised_to_is_in_a_cell() -> None:
    assert [*rootn_low_f32.COUNTS] == [*range(-64, 65)]
    for count in rootn_low_f32.COUNTS:
        ends = sorted(t.ends for t in rootn_low_f32.cells(count) if t.ends)
        assert ends[0][0] <= max(count - powers_f32.ROUNDED, -rootn_low_f32.MOST)
        assert ends[-1][1] >= min(count + powers_f32.ROUNDED, rootn_low_f32.MOST)
        assert all(a[1] == b[0] for a, b in pairwise(ends))
    largest = math.log2(float(np.finfo(np.float32).max)) / 2
    assert largest * (1 + rootn_low_f32.off(largest)) * (1 + 2.0**-24) < rootn_low_f32.MOST


def test_every_logarithm_far_from_0_is_in_a_cell() -> None:
    ranges = rootn_low_f32.FAR_EXPONENTS
    held = {k for a, b in ranges for k in range(a, b + 1)}
    assert held == {*range(64, 129)}
    assert rootn_low_f32.off(31.7) == rootn_low_f32.off(1.0)
    assert rootn_low_f32.off(31.8) < rootn_low_f32.off(1.0) < rootn_low_f32.off(2.0**-18)


def test_every_n_is_in_a_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = list[tuple[float, float]]()
    monkeypatch.setattr(Proof, "bound", lambda self, cell, measure, n: ends.append(n.ends))
    rootn_low_f32.reciprocal()
    assert max(ends) == (2.0**23, 2.0**24)
    rootn_low_f32.reciprocal_of_rounded()
    ends.sort()
    assert (ends[0][0], ends[-1][1]) == (-(2.0**31), 2.0**31)
    assert [(a[1], b[0]) for a, b in pairwise(ends) if a[1] != b[0]] == [(-2.0, 2.0)]


def test_no_result_is_further_off_than_is_proven() -> None:
    shown = kept.load()["float32 rootn LOW"]
    most = shown.phases[-1].worst * shown.phases[-1].margin["ULP"]
    rng, worst = Random(14), 0.0
    with gmpy2.context(precision=200), of.precision(sb.LOW):
        for _ in range(2000):
            x = float(np.float32(rng.uniform(1, 2) * 2.0 ** rng.randrange(-126, 128)))
            n = rng.choice((2, 3, rng.randrange(2, 99), rng.randrange(2**24, 2**31)))
            n *= rng.choice((1, -1))
            truth = gmpy2.mpfr(x) ** (1 / gmpy2.mpfr(n))
            if n % 2 and rng.random() < 0.5:
                x, truth = -x, -truth
            worst = max(worst, off_by(float(of.rootn(float32(x), int32(n))), truth))
    assert 40 < worst <= most
