"""What is promised at MEDIUM and LOW is proven, and a promise that is too small is not."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from random import Random
from sys import float_info
from typing import Any

import gmpy2
import pytest
from flint import arb
from tests.support.proofs import promise, without_gaps
from tools.prove import promises
from tools.prove.rounding import kept
from tools.prove.rounding.cells import Proof, a_float, variable
from tools.prove.rounding.claims import (
    area_low_f64,
    exponential_low_f64,
    roots_low_f64,
    turns_low_f64,
    turns_medium_f64,
)
from tools.prove.rounding.claims.half_turns_low_f64 import SIN
from tools.prove.rounding.expansions import Expansion
from tools.prove.rounding.machine import Bits, Machine
from tools.prove.rounding.numbers import constant
from tools.prove.rounding.rounding_rules import BINARY64
from tools.prove.rounding.ulps import promised, towards_zero

import samebits as sb
from samebits import float64
from samebits import math as of
from samebits.ir.grammar import Module

CLAIMED: dict[str, Callable[[], Proof]] = {
    "exp": exponential_low_f64.exp_low,
    "rsqrt": roots_low_f64.rsqrt_low,
    "cos": turns_low_f64.cos_low,
}


@pytest.mark.parametrize(
    "name",
    ["exp", *(pytest.param(name, marks=pytest.mark.proof) for name in ("rsqrt", "cos"))],
)
def test_a_bound_is_proven_anew_and_a_smaller_one_is_not(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    proof = CLAIMED[name]()
    assert not proof.failures
    assert 0.5 < proof.worst <= 1
    assert proof.cells > 100
    promise(monkeypatch, name, proof.worst * proof.margins()["ULP"] * 0.8)
    assert CLAIMED[name]().failures


def test_a_bound_below_one_is_proven_and_a_smaller_one_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def measured() -> Proof:
        proof = promised("sin", "MEDIUM")
        turns_medium_f64.turned(proof, 0, SIN)
        return proof

    monkeypatch.setattr(
        turns_medium_f64, "distances", lambda it: [(Fraction(1, 2), Fraction(25, 32))]
    )
    proof = measured()
    assert not proof.failures
    assert 0.7 < proof.worst < 0.9  # of 1 ULP, also around where the sine is 1/2
    promise(monkeypatch, "sin", proof.worst * 0.95)
    assert measured().failures


def test_what_is_lost_at_medium_is_more_than_any_sample_loses() -> None:
    rng, reduce = Random(6), turns_medium_f64.medium.reduce.managed
    with gmpy2.context(precision=300):
        turn = gmpy2.const_pi() / 2
        for _ in range(2000):
            k = rng.randrange(1, 667_000)
            x = float(turn * k) + rng.choice((0.0, 2.0 ** -rng.randrange(40), rng.uniform(0, 1)))
            k, d, d_low = reduce(float64(x))
            count = (int(k) & 0xFFFFFFFF) - (1 << 32 if int(k) & 1 << 31 else 0)
            missed = gmpy2.mpfr(x) - count * turn - gmpy2.mpfr(float(d)) - gmpy2.mpfr(float(d_low))
            most = Fraction(2) ** math.frexp(float(d))[1]
            assert abs(missed) <= gmpy2.mpq(turns_medium_f64.lost(most))
            assert abs(float(d_low)) <= math.ulp(float(d)) / 2
    assert turns_medium_f64.lost(Fraction(1, 2**60)) < Fraction(1, 2**127)


@pytest.mark.parametrize(
    ("claim", "argument", "first"),
    [
        (area_low_f64.asinh, area_low_f64.asinh_argument, 5e-324),
        (area_low_f64.acosh, area_low_f64.acosh_argument, math.nextafter(1.0, 2.0)),
        (area_low_f64.atanh, area_low_f64.atanh_argument, 5e-324),
    ],
)
def test_no_argument_is_in_no_cell(
    claim: Callable[[], Proof],
    argument: Callable[[], Proof],
    first: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = set[tuple[float, float]]()

    def note(*given: Any, **more: Any) -> None:
        if "cuts" not in more:  # the kernel is run as it is
            seen.add(given[4].ends)

    def take(self: Proof, cell: str, measure: Any, x: Any) -> None:
        seen.add(x.ends)

    monkeypatch.setattr(area_low_f64, "compare", note)
    monkeypatch.setattr(area_low_f64, "scaling", lambda proof: None)
    claim()
    monkeypatch.setattr(Proof, "bound", take)
    argument()
    last = math.nextafter(1.0, 0.0) if claim is area_low_f64.atanh else float_info.max
    without_gaps(seen, first, last)


@pytest.mark.parametrize(
    ("claim", "first", "most"),
    [
        (area_low_f64.asinh, 1.25, 1024),
        (area_low_f64.acosh, 1.0925, 1024),
        (area_low_f64.atanh, 1.25, 54),
    ],
)
def test_no_sum_is_in_no_cell(
    claim: Callable[[], Proof], first: float, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 1 + u = z·2^e: every e that there is, every z, and the kernel's way for sums of that size
    where what they lost counts, below 2^54, and where it is left out."""
    seen: dict[tuple[int, bool], set[tuple[float, float]]] = {}

    def note(*given: Any, **more: Any) -> None:
        if "cuts" in more:
            low, high = map(int, re.findall(r"\d+", given[3]))
            (x,) = more["args"]
            counts = x.value not in (2**60, Fraction(math.nextafter(1.0, 0.0)))
            for e in range(low, high + 1):
                seen.setdefault((e, counts), set()).add(given[4].ends)

    monkeypatch.setattr(area_low_f64, "compare", note)
    monkeypatch.setattr(area_low_f64, "scaling", lambda proof: None)
    claim()
    for e in range(most + 1):
        for counts in (True, False):
            if e == 54 or counts == (e < 54):
                start = first if e == 0 else 0.6875
                without_gaps(seen[e, counts], start, math.nextafter(1.375, 0.0))


@pytest.mark.parametrize("claim", [turns_medium_f64.sinpi, turns_medium_f64.cospi])
def test_no_fraction_is_in_no_cell(
    claim: Callable[[], Proof], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, set[tuple[float, float]]] = {}

    def note(*given: Any, **more: Any) -> None:
        seen.setdefault(given[3], set()).add(given[4].ends)

    monkeypatch.setattr(turns_medium_f64, "compare", note)
    claim()
    assert len(seen) == 3
    for cell, ends in seen.items():
        last = math.nextafter(0.25, 0.0) if cell == "x" else 0.25
        for sign in (1, -1):
            cells = {tuple(sorted((sign * a, sign * b))) for a, b in ends}
            without_gaps(cells, 2.0**-54, last)


def test_how_far_an_argument_is_off_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    few = [variable(0.6, 0.65)]
    monkeypatch.setattr(area_low_f64, "near_one", lambda *of: few)
    monkeypatch.setattr(area_low_f64, "_cells", lambda *of: [])
    assert not area_low_f64.atanh_argument().failures
    monkeypatch.setitem(area_low_f64.OFF, "atanh", 0.5 * 2.0**-53)
    assert area_low_f64.atanh_argument().failures


def test_what_is_promised_is_what_is_kept() -> None:
    """A promise that is made smaller is not said to be proven by what was."""
    found = {name: shown for name, shown in kept.load().items() if len(name.split()) == 3}
    assert len(found) >= 25
    for name, shown in found.items():
        function, type_name, precision = kept.parts_of(name)
        assert shown.phases[-1].margin == {
            "ULP": promises.promised(function, type_name, precision)
        }, name


EXACT = {
    "exp": (gmpy2.exp, -740.0, 709.0),
    "log": (gmpy2.log, 0.01, 20.0),
    "sin": (gmpy2.sin, -(2.0**20), 2.0**20),
    "cos": (gmpy2.cos, -(2.0**20), 2.0**20),
    "tan": (gmpy2.tan, -(2.0**20), 2.0**20),
    "acos": (gmpy2.acos, -1.0, 1.0),
    "asin": (gmpy2.asin, -1.0, 1.0),
    "atan": (gmpy2.atan, -1e5, 1e5),
    "sinh": (gmpy2.sinh, -700.0, 700.0),
    "tanh": (gmpy2.tanh, -25.0, 25.0),
    "cbrt": (gmpy2.cbrt, -1e300, 1e300),
    "rsqrt": (gmpy2.rec_sqrt, 2.0**-1022, 2.0**-1020),
    "expm1": (gmpy2.expm1, -50.0, 700.0),
    "log1p": (gmpy2.log1p, -0.999, 1e10),
    "asinh": (gmpy2.asinh, -3.0, 3.0),
    "acosh": (gmpy2.acosh, 1.0, 1.5),
    "atanh": (gmpy2.atanh, -1.0, 1.0),
}


MEDIUM = {
    "sin": EXACT["sin"],
    "cos": EXACT["cos"],
    "sinpi": (lambda x: gmpy2.sin(x * gmpy2.const_pi()), -3.0, 3.0),
    "cospi": (lambda x: gmpy2.cos(x * gmpy2.const_pi()), -3.0, 3.0),
}
RESULTS = [("LOW", name, row) for name, row in EXACT.items()] + [
    ("MEDIUM", name, row) for name, row in MEDIUM.items()
]


@pytest.mark.parametrize(
    ("precision", "function", "row"), RESULTS, ids=[f"{a}-{b}" for a, b, _ in RESULTS]
)
def test_no_result_is_further_off_than_is_proven(precision: str, function: str, row: Any) -> None:
    kernel = getattr(of, function)
    shown = kept.load()[f"float64 {function} {precision}"]
    most = shown.phases[-1].worst * shown.phases[-1].margin["ULP"]
    exact, low, high = row
    rng = Random(function)
    worst = 0.0
    with gmpy2.context(precision=200), of.precision(getattr(sb, precision)):
        for _ in range(300):
            x = rng.uniform(low, high)
            if rng.random() < 0.3:
                x = math.copysign(min(abs(x), 2.0 ** -rng.randrange(40)), x)
            truth = exact(gmpy2.mpfr(x))
            got = float(kernel(float64(x)))
            off = abs(gmpy2.mpfr(got) - truth) / math.ulp(float(truth))
            worst = max(worst, float(off))
    assert 0.5 < worst <= most  # and is not that of HIGH


def test_every_float_is_in_a_cell() -> None:
    cells = sorted(towards_zero(0.3, -10))
    assert cells[0][0] == -0.3
    assert cells[-1][1] == 0.3
    for (_, high), (low, _) in pairwise(cells):
        assert low <= math.nextafter(high, math.inf)


def test_up_to_half_a_spacing_above_a_power_of_two_all_is_rounded_down_to_it() -> None:
    for size, bound in ((1.0, 2.0**-54), (1.0 + 2.0**-52, 2.0**-53), (2.0, 2.0**-53)):
        assert BINARY64.half_ulp(arb(size)) == bound
    assert BINARY64.half_ulp(arb(1) + arb(2) ** -70) == 2.0**-54
    assert BINARY64.half_ulp(arb(1) + arb(2) ** -53) == 2.0**-53
    assert variable(1.0, 2.0).ends == (1.0, 2.0)


def test_the_nearest_float_to_a_quarter_turn_is_near() -> None:
    assert 2.0**-61 < turns_low_f64.nearest() < 2.0**-60


def test_the_bits_of_a_zero_are_not_known() -> None:
    """It has two patterns."""
    assert Machine(Module({}))._bitcast(constant(1.0)) == 0x3FF << 52
    assert isinstance(Machine(Module({}))._bitcast(constant(0.0)), Bits)


def test_a_number_is_normal_where_that_is_said_and_finite() -> None:
    for scale, normal, ends in (
        (2.0**-1022, True, (2.0**-1022, 1.5 * 2.0**-1022)),
        (2.0**-1022, False, (0.5 * 2.0**-1022, 1.5 * 2.0**-1022)),
        (2.0**1023, True, (2.0**1022, sys.float_info.max)),
    ):
        whole = Expansion.of_ends(arb(scale), arb(scale) * (3 if scale > 1 else 1) / 2)
        found = a_float(whole, "x", normal=normal).ends
        assert found is not None
        assert found == (ends if scale < 1 else (found[0], ends[1]))


def test_what_is_lost_of_a_distance_is_more_than_any_sample_loses() -> None:
    """Next to multiples of π too, where most of x is taken off."""
    rng = Random(5)
    it = turns_low_f64.HALF_TURNS
    with gmpy2.context(precision=300):
        turn = gmpy2.const_pi()
        for _ in range(4000):
            k = rng.randrange(1, 333_000)
            x = float(turn * k) + rng.choice((0.0, 2.0 ** -rng.randrange(40), rng.uniform(0, 1.5)))
            d = x
            for part in it.parts:
                d -= k * part
            e = math.frexp(d)[1]
            most = min(Fraction(2) ** e, Fraction(it.largest))
            lost = turns_low_f64.lost(it, most)
            assert abs(gmpy2.mpfr(d) - (gmpy2.mpfr(x) - k * turn)) <= gmpy2.mpq(lost)
