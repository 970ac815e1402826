"""What is claimed of float32 functions of two arguments is proven, not with less, of every pair,
and no result is further off."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise
from random import Random

import gmpy2
import numpy as np
import pytest
from tests.support.proofs import changing, margins, off_by, promise
from tools.prove.rounding import cells, kept
from tools.prove.rounding.cells import Proof, variable
from tools.prove.rounding.claims import (
    angles_low_f32,
    compound_f32,
    hypot_f32,
    logaddexp_f32,
    pow_low_f32,
    pow_medium_f32,
    powers_f32,
    slopes_f32,
)
from tools.prove.rounding.machine import Machine, SidesTest, TieTest, UndecidedError
from tools.prove.rounding.numbers import Number, constant
from tools.prove.rounding.rounding_rules import BINARY32

import samebits as sb
from samebits import float32
from samebits import math as of
from samebits.mathlib.float32 import atan2_f32, log_f32, pow_f32, rootn_f32
from samebits.mathlib.float32 import hypot_f32 as hypot_kernels
from samebits.mathlib.float32 import logaddexp_f32 as logaddexp_kernels

LARGEST = float(np.finfo(np.float32).max)


def up(x: float) -> float:
    return float(np.nextafter(np.float32(x), np.float32(np.inf)))


@margins(0.25)
def test_sums_of_logaddexp_are_proven_and_not_with_a_quarter_of_the_margin(
    by: float, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logaddexp_f32, "linked", changing(logaddexp_kernels.MARGIN, by))
    monkeypatch.setattr(cells, "DEPTH", 1)
    proof = logaddexp_f32.total()
    assert proof.cells >= 32
    assert (not proof.failures) == holds


@pytest.mark.parametrize(("above", "holds"), [(atan2_f32.ABOVE, True), (1 + 2.0**-52, False)])
def test_angles_are_proven_and_not_with_a_quarter_of_the_margin(
    above: float, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def near(*, middle: bool) -> Iterator[Number]:
        yield variable(0.5, 0.51) if middle else variable(0.26, 0.27)

    by = above / atan2_f32.ABOVE
    monkeypatch.setattr(slopes_f32, "linked", changing(atan2_f32.ABOVE, by))
    monkeypatch.setattr(slopes_f32, "slopes", near)
    monkeypatch.setattr(cells, "DEPTH", 1)
    proof = slopes_f32.atan2()
    assert proof.cells >= 8
    assert (not proof.failures) == holds


@pytest.mark.parametrize("claim", ["POW", "COMPOUND"])
@pytest.mark.parametrize(("times", "holds"), [(1.0, True), (4.0, False)])
def test_powers_are_proven_and_not_of_exponents_four_times_as_far_off(
    claim: str, times: float, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(powers_f32, "OF_EXPONENT", powers_f32.OF_EXPONENT * times)
    monkeypatch.setattr(powers_f32, "COUNTS", [-126, 0, 126])
    monkeypatch.setattr(cells, "DEPTH", 0)
    found = compound_f32.COMPOUND if claim == "COMPOUND" else powers_f32.POW
    assert (not powers_f32.powers(found).failures) == holds


@pytest.mark.proof
def test_exponents_are_not_half_as_near(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(powers_f32, "EXPONENTS", [(1, 1)])
    monkeypatch.setattr(powers_f32, "scaling", lambda proof: None)
    monkeypatch.setattr(cells, "DEPTH", 2)
    assert not powers_f32.exponents(powers_f32.POW).failures
    monkeypatch.setattr(powers_f32, "OF_EXPONENT", powers_f32.OF_EXPONENT / 4)
    assert powers_f32.exponents(powers_f32.POW).failures


@pytest.mark.proof
@pytest.mark.parametrize(
    ("function", "claim"), [("hypot", hypot_f32.low), ("atan2", angles_low_f32.atan2)]
)
def test_a_bound_is_proven_and_a_smaller_one_is_not(
    function: str, claim: Callable[[], Proof], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cells, "DEPTH", 2)
    proof = claim()
    assert not proof.failures
    promise(monkeypatch, function, proof.worst * proof.margins()["ULP"] * 0.9, "float32")
    assert claim().failures


def test_ties_of_hypot_are_found_by_the_kernel() -> None:
    """The test is of the root, and of all its last digits."""
    module, name = cells.linked(hypot_kernels.hypot)
    x, y = (variable(1.0, 1.5, format=BINARY32) for _ in "xy")
    test = Machine(module).test(name, [x, y])
    assert isinstance(test, TieTest)
    assert test.margin == 0
    assert test.of.made[0] == "sqrt"
    for changed in (hypot_kernels.TIE, hypot_kernels.LAST_DIGITS):
        other = changing(changed, 0.5)(hypot_kernels.hypot)[0]
        with pytest.raises(UndecidedError):
            Machine(other).test(name, [x, y])


def test_a_test_of_ties_says_how_near_they_may_be() -> None:
    module, name = cells.linked(pow_f32.pow)
    cuts = {("pow", "t"): variable(2.5, 3.5), ("pow", "rounded"): constant(1.5 * 2.0**23 + 3)}
    test = Machine(module, cuts).test(name, powers_f32.POW.args)
    assert isinstance(test, TieTest)
    assert test.margin == pow_f32.MARGIN
    module, name = cells.linked(atan2_f32.atan2)
    found = Machine(module).test(name, [variable(1.0, 1.1), variable(1.2, 1.3)])
    assert isinstance(found, SidesTest)


def test_every_significand_is_in_a_cell() -> None:
    for near_one in (True, False):
        ends = sorted(m.ends for m in powers_f32.significands(near_one=near_one) if m.ends)
        assert ends[0][0] == powers_f32.LOW
        assert ends[-1][1] == powers_f32.HIGH
        for (_, high), (low, _) in pairwise(ends):
            assert low <= up(high) or (high, low) == (1 - 2.0**-24, 1 + 2.0**-23)
    assert float(np.float32(powers_f32.LOW)).hex() == powers_f32.LOW.hex()


def test_every_exponent_and_count_is_in_a_cell() -> None:
    held = {k for a, b in powers_f32.EXPONENTS for k in range(a, b + 1)} | {0}
    assert held == set(range(-149, 129))
    assert [*powers_f32.COUNTS] == [*range(-126, 127)]


def test_every_argument_of_compound_is_in_a_cell_of_its_exponent() -> None:
    rng = Random(3)
    some = [2.0**-24 - 1, LARGEST, 2.0**-149, -(2.0**-149), -0.5, 1.0, -0.99]
    some += [math.copysign(rng.uniform(1, 2) * 2.0 ** rng.randrange(-149, 127), rng.random() - 0.5)
             for _ in range(3000)]  # fmt: skip
    some += [rng.uniform(-1, 2) for _ in range(3000)]
    some += [float(np.float32(2.0) ** -rng.randrange(1, 24) - 1) for _ in range(100)]
    held = {k: [x.ends for x in compound_f32.arguments(k)] for k in compound_f32.COUNTS}
    for x in (float(np.float32(x)) for x in some):
        if -1 < x <= LARGEST and x:
            one = np.float32(x) + np.float32(1)
            k = int(one.view(np.int32) - log_f32.ROOT_HALF) >> 23
            assert any(ends and ends[0] <= x <= ends[1] for ends in held[k]), x


def test_every_slope_is_in_a_cell() -> None:
    for middle, first, last in (
        (False, Fraction(1, 2**277), Fraction(slopes_f32.TAN_EIGHTH)),
        (True, Fraction(slopes_f32.TAN_EIGHTH), Fraction(1)),
    ):
        at = first
        for slope in slopes_f32.slopes(middle=middle):
            (atom,) = slope.form
            assert atom.given is not None
            assert atom.given[0] <= at
            at = atom.given[1]
        assert at >= last
    ends = [*angles_low_f32.quotients()]
    assert ends[0][0] == 2.0**-126
    assert ends[-1][1] == 1.0
    assert all(a[1] == b[0] for a, b in pairwise(ends))


EXACT = {
    "hypot": gmpy2.hypot,
    "atan2": gmpy2.atan2,
    "atan2pi": lambda y, x: gmpy2.atan2(y, x) / gmpy2.const_pi(),
    "pow": lambda x, y: x**y,
    "powr": lambda x, y: x**y,
}
PAIRS = [(p, f) for p, f in (("MEDIUM", "hypot"), ("MEDIUM", "pow"))] + [("LOW", f) for f in EXACT]


@pytest.mark.parametrize(("precision", "function"), PAIRS)
def test_no_result_is_further_off_than_is_proven(precision: str, function: str) -> None:
    shown = kept.load()[f"float32 {function} {precision}"]
    most = shown.phases[-1].worst * shown.phases[-1].margin["ULP"]
    rng, worst, kernel = Random(function), 0.0, getattr(of, function)
    with gmpy2.context(precision=200), of.precision(getattr(sb, precision)):
        for _ in range(400):
            x, y = (2.0 ** rng.uniform(-40, 40) for _ in "xy")
            if function in ("pow", "powr"):
                y = rng.uniform(-126, 127.3) / (math.log2(x) or 1.0)
            x, y = float(np.float32(x)), float(np.float32(y))
            truth = EXACT[function](gmpy2.mpfr(x), gmpy2.mpfr(y))
            worst = max(worst, off_by(float(kernel(float32(x), float32(y))), truth))
    assert 0.25 < worst <= most


def test_low_powers_are_further_off_than_random_ones_show() -> None:
    x, y = float.fromhex("0x1.684f7ep-1"), float.fromhex("-0x1.f4a29ep+7")
    with gmpy2.context(precision=200), of.precision(sb.LOW):
        found = float(of.pow(float32(x), float32(y)))
        assert 407 < off_by(found, gmpy2.mpfr(x) ** gmpy2.mpfr(y)) < 408


def test_what_is_promised_of_powers_covers_what_is_proven() -> None:
    assert pow_medium_f32.OFF < pow_low_f32.OFF
    assert rootn_f32.MARGIN == pow_f32.MARGIN
