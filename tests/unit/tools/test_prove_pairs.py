"""What is promised at LOW of float64 functions of two arguments is proven, for every pair of which
it is promised, and a promise that is too small is not."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from random import Random
from typing import Any

import gmpy2
import pytest
from tests.support.proofs import promise, without_gaps
from tools.prove.rounding import cells, kept
from tools.prove.rounding.cells import Proof, a_float, length, pieces
from tools.prove.rounding.claims import power_low_f64, two_legs_low_f64
from tools.prove.rounding.claims.logarithm_low_f64 import FIRST, LAST
from tools.prove.rounding.machine import UNCLEAR, Machine
from tools.prove.rounding.numbers import constant

import samebits as sb
from samebits import float64, int32
from samebits import math as of
from samebits.lang.kernel import Kernel
from samebits.mathlib.float64 import inverse_trigonometric_low_f64, log_fast_f64, rootn_low_f64

POWERS = {"pow": 575, "powr": 575, "pown": 575, "rootn": 450}


def of_one_count(monkeypatch: pytest.MonkeyPatch, k: int, count: int) -> None:
    """Exponents are those next below the end of this count alone."""
    ends = [*pieces((k - 0.25) * math.log(2), k * math.log(2), count)]
    monkeypatch.setattr(power_low_f64, "exponents", lambda at: ends if at == k else [])


@pytest.mark.proof
@pytest.mark.parametrize("name", POWERS)
def test_a_bound_of_powers_is_proven_anew_and_a_smaller_one_is_not(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_one_count(monkeypatch, 132, 4)
    monkeypatch.setattr(cells, "DEPTH", 0)
    claim = getattr(power_low_f64, name)
    proof = claim()
    assert not proof.failures
    assert 0.6 < proof.worst <= 1
    promise(monkeypatch, name, proof.worst * POWERS[name] * 0.95)
    assert claim().failures


@pytest.mark.proof
@pytest.mark.parametrize("name", ["atan2", "atan2pi"])
def test_a_bound_of_angles_is_proven_anew_and_a_smaller_one_is_not(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    few: list[Any] = [((0.0625, 0.125), None)]
    monkeypatch.setattr(two_legs_low_f64, "slopes", lambda to_zero: few)
    claim = getattr(two_legs_low_f64, name)
    proof = claim()
    assert not proof.failures
    assert 0.6 < proof.worst <= 1
    monkeypatch.setattr(cells, "DEPTH", 0)
    promise(monkeypatch, name, proof.worst * 300 * 0.95)
    assert claim().failures


@pytest.mark.proof
def test_logarithms_and_reciprocals_are_as_near_as_is_said_and_not_nearer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(power_low_f64, "scaling", lambda proof: None)
    monkeypatch.setattr(power_low_f64, "EXPONENTS", [(1, 1), (-3, -3), (17, 32)])
    monkeypatch.setattr(power_low_f64, "next_to_1", lambda: [(1.0625, 1.125)])
    log = power_low_f64.log.__wrapped__
    assert not log().failures
    monkeypatch.setattr(cells, "DEPTH", 0)
    for bound in ("LOG", "LOG_FAR"):
        with monkeypatch.context() as smaller:
            smaller.setattr(power_low_f64, bound, getattr(power_low_f64, bound) * 0.8)
            assert log().failures
    monkeypatch.setattr(power_low_f64, "RECIPROCAL", 0.5 * 2.0**-53)
    assert power_low_f64.reciprocal().failures


@pytest.mark.proof
def test_counts_are_as_near_as_is_said_and_not_nearer(monkeypatch: pytest.MonkeyPatch) -> None:
    def failures() -> list[str]:
        proof = Proof("counts", power_low_f64, ())
        power_low_f64.counts(proof)
        return proof.failures

    assert not failures()
    monkeypatch.setattr(power_low_f64, "NEAREST", power_low_f64.NEAREST * 0.999)
    assert failures()


def test_what_is_exact_is_shown_of_each_kernel() -> None:
    def failures(kernel: Kernel, second: Any) -> list[str]:
        proof = Proof("special", power_low_f64, ())
        power_low_f64.special(proof, kernel, second)
        return proof.failures

    assert not failures(log_fast_f64.pow_low, constant(1.0))
    assert not failures(rootn_low_f64.pown, 1)
    assert not failures(rootn_low_f64.powr, constant(1.0))
    assert failures(rootn_low_f64.rootn, 3)  # of what is below 0 it takes no parity


def _without_gaps_between(ends: list[tuple[Any, Any]], first: float, last: float) -> None:
    """Every real number from `first` to `last` is in one of these cells."""
    ends = sorted(ends)
    assert ends[0][0] <= first
    reached = ends[0][1]
    for low, high in ends[1:]:
        assert low <= reached
        reached = max(reached, high)
    assert reached >= last


def test_every_exponent_is_in_a_cell_of_each_count_that_it_may_be_given() -> None:
    near, counts = Fraction(power_low_f64.NEAREST), range(-140, 141)
    most, tiny = 40 * math.log(10), 2.0**power_low_f64.TINY
    for k in counts:
        ends = [*power_low_f64.exponents(k)] if abs(k) <= power_low_f64.LAST_COUNT else []
        low, high = (float(k * Fraction(math.log(2)) + sign * near) for sign in (-1, 1))
        if k:
            if low < most and high > -most:
                _without_gaps_between(ends, max(low, -most), min(high, most))
            continue
        _without_gaps_between([end for end in ends if end[0] > 0], tiny, high)
        _without_gaps_between([end for end in ends if end[0] < 0], low, -tiny)


def test_every_logarithm_is_in_a_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of x = z·2^e: every e that a float has, every z, and x as it is next to 1."""
    seen: dict[str, set[tuple[float, float]]] = {}

    def note(self: Proof, cell: str, measure: Any, x: Any) -> None:
        seen.setdefault(cell, set()).add(x.ends)

    monkeypatch.setattr(Proof, "bound", note)
    monkeypatch.setattr(power_low_f64, "scaling", lambda proof: None)
    power_low_f64.log.__wrapped__()
    near = seen.pop("near 1")
    exponents = set[int]()
    for cell, ends in seen.items():
        first, last = map(int, cell.removeprefix("e from ").split(" to "))
        exponents |= {*range(first, last + 1)}
        ends |= near if first == last == 0 else set()
        above = math.nextafter(1.0, 2.0)
        without_gaps(ends, FIRST, math.nextafter(1.0, 0.0))
        without_gaps(ends, above, LAST)
    assert exponents == {*range(-1074, 1025)}


@pytest.mark.parametrize("to_zero", [True, False])
def test_every_slope_is_in_a_cell(to_zero: bool) -> None:
    ends = [ends for ends, _ in two_legs_low_f64.slopes(to_zero=to_zero)]
    _without_gaps_between(ends, 2.0**-1074 if to_zero else 0.0, 1.0)
    both = [ends for (ends, far) in two_legs_low_f64.slopes(to_zero=to_zero) if far is not None]
    assert len(both) == 2
    assert both[0] == both[1]


def test_which_slopes_are_far_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    def failures() -> list[str]:
        proof = Proof("choices", two_legs_low_f64, ())
        two_legs_low_f64.choices(proof)
        return proof.failures

    assert not failures()
    monkeypatch.setattr(two_legs_low_f64, "FAR", two_legs_low_f64.FAR * (1 + Fraction(1, 2**15)))
    assert failures()


@sb.kernel
def decided(x: float64, y: float64) -> float64:
    return 1.0 if (x > 4.0) & (y + 1.0 > 0.0) else 2.0


def test_what_decides_alone_needs_nothing_of_the_other() -> None:
    """No length and 1 have a sum."""
    module, name = cells.linked(decided)
    any_length = a_float(length(1.0, 2.0), "y")
    (found,) = Machine(module).call(name, [constant(3.0), any_length])
    assert found.value == 2
    assert Machine(module).call(name, [constant(5.0), any_length]) == (UNCLEAR,)


def test_pow_is_further_off_than_random_pairs_show() -> None:
    x, y = float.fromhex("0x1.10a6d4bf57a7dp+0"), float.fromhex("-0x1.6afaa0f701e80p+10")
    with gmpy2.context(precision=200), of.precision(sb.LOW):
        truth = gmpy2.mpfr(x) ** gmpy2.mpfr(y)
        got = float(of.pow(float64(x), float64(y)))
        assert 520 < abs(gmpy2.mpfr(got) - truth) / math.ulp(float(truth)) < 572


def test_a_sign_is_that_of_an_odd_power_and_none_is_between_integers() -> None:
    rng = Random(11)
    numbers = [float(n) for n in range(40)] + [n + 0.5 for n in range(40)]
    for e in (50, 51, 52, 53, 54, 60, 1000):
        numbers += [2.0**e + n * math.ulp(2.0**e) for n in range(-4, 5)]
    numbers += [rng.uniform(0, 1) * 2.0 ** rng.randrange(-60, 60) for _ in range(500)]
    for size in numbers:
        for y in (size, -size):
            got = float(log_fast_f64.pow_low(float64(-1.0), float64(y)))
            if y != math.floor(y):
                assert math.isnan(got), y
            else:
                assert got == (-1.0 if int(y) % 2 else 1.0), y


def powers(rng: Random) -> Iterator[tuple[float, float]]:
    """x and y with results from 1e-40 to 1e40."""
    for _ in range(400):
        near = 1 + rng.uniform(-1, 1) * 2.0 ** -rng.randrange(1, 40)
        x = rng.choice((2.0 ** rng.uniform(-1022, 1023), rng.uniform(0.6, 1.6), near))
        most = 92.0 / abs(math.log(x)) if x != 1 else 1.0
        part = rng.choice((rng.uniform(0.9, 1), 2.0 ** rng.uniform(-60, 0)))
        yield x, part * rng.choice((-most, most))


def whole(pairs: Iterator[tuple[float, float]]) -> Iterator[tuple[float, int]]:
    for x, y in pairs:
        yield x, round(math.copysign(min(abs(y), 2**31 - 1), y))


def roots(rng: Random) -> Iterator[tuple[float, int]]:
    for _ in range(400):
        n = rng.choice((2, 3, 8, 9, 10, rng.randrange(2, 2**31 - 1))) * rng.choice((-1, 1))
        x = 2.0 ** rng.uniform(-1022, 1023)
        if abs(math.log(x) / n) < 92:
            yield (-x if n % 2 and rng.random() < 0.3 else x), n


def points(rng: Random) -> Iterator[tuple[float, float]]:
    for _ in range(400):
        long = 2.0 ** rng.uniform(-1021, 1022)
        near, tiny = rng.uniform(0.41, 0.42), 2.0 ** rng.uniform(-1000, 0)
        slope = rng.choice((rng.uniform(0, 1), near, tiny))
        legs = [long, long * slope * rng.choice((-1, 1))]
        rng.shuffle(legs)
        yield legs[0], legs[1] * rng.choice((-1, 1))


def _power(x: float, y: float) -> Any:
    return gmpy2.mpfr(x) ** gmpy2.mpfr(y)


def _root(x: float, n: int) -> Any:
    size = gmpy2.exp(gmpy2.log(abs(gmpy2.mpfr(x))) / n)
    return -size if x < 0 else size


def _signed(pairs: Iterator[Any], rng: Random) -> Iterator[Any]:
    for x, n in pairs:
        yield (-x if rng.random() < 0.5 else x), n


PAIRS: dict[str, tuple[Callable[[Random], Iterator[Any]], Callable[..., Any], Any]] = {
    "pow": (powers, _power, float64),
    "powr": (powers, _power, float64),
    "pown": (lambda rng: _signed(whole(powers(rng)), rng), _power, int32),
    "rootn": (roots, _root, int32),
    "atan2": (points, gmpy2.atan2, float64),
    "atan2pi": (points, lambda y, x: gmpy2.atan2(y, x) / gmpy2.const_pi(), float64),
}


@pytest.mark.parametrize("function", PAIRS)
def test_no_result_of_two_arguments_is_further_off_than_is_proven(function: str) -> None:
    inputs, exact, second = PAIRS[function]
    kernel = getattr(of, function)
    shown = kept.load()[f"float64 {function} LOW"]
    most = shown.phases[-1].worst * shown.phases[-1].margin["ULP"]
    worst, count = 0.0, 0
    with gmpy2.context(precision=250, emin=-5000, emax=5000), of.precision(sb.LOW):
        for x, y in inputs(Random(function)):
            truth = exact(gmpy2.mpfr(x), gmpy2.mpfr(y) if second is float64 else y)
            if function in POWERS and not 1e-40 <= abs(truth) <= 1e40:
                continue
            got = float(kernel(float64(x), second(y)))
            off = abs(gmpy2.mpfr(got) - truth) / math.ulp(float(truth))
            worst, count = max(worst, float(off)), count + 1
    assert count > 200
    assert 10 < worst <= most  # and is not that of HIGH


def test_angles_of_points_on_the_axes_have_the_sign_of_y() -> None:
    kernel = inverse_trigonometric_low_f64.atan2
    for x, y in ((1.0, 0.0), (1.0, -0.0), (-1.0, 0.0), (-1.0, -0.0), (0.0, 1.0), (-0.0, -1.0)):
        got, truth = float(kernel(float64(y), float64(x))), math.atan2(y, x)
        assert got == truth
        assert math.copysign(1.0, got) == math.copysign(1.0, truth)
