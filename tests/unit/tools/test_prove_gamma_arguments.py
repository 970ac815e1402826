"""Arguments of tgamma and lgamma, and what is computed of them, are what the proofs of their
margins speak of; and no error is larger than is proven."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from fractions import Fraction
from math import inf, nextafter
from random import Random
from typing import Any

import pytest
from flint import arb, ctx
from tests.support.gamma_zeros import around_zero, least_between
from tools.prove.rounding.cells import linked
from tools.prove.rounding.claims import (
    exponent_sums_f64,
    gamma_steps_f64,
    lgamma_below_f64,
    lgamma_f64,
    sines_f64,
    stirling_f64,
    tgamma_f64,
    trigonometric_f64,
)
from tools.prove.rounding.claims.logarithm_f64 import _significands
from tools.prove.rounding.claims.power_f64 import EXPONENTS

from samebits.ir.grammar import Op, walk
from samebits.ir.interp.evaluator import evaluate
from samebits.lang.kernel import Kernel
from samebits.mathlib.float64 import lgamma_f64 as lgamma_kernels
from samebits.mathlib.float64 import log_f64
from samebits.mathlib.float64 import tgamma_f64 as kernels

Slots = dict[tuple[str, str], Any]
STEP_GRID = 2.0**gamma_steps_f64.GRID
GAMMA, IN_TWO, ABOVE, BELOW = (
    "gamma_of_1_more", "gamma_in_two_parts", "lgamma_in_two_parts", "lgamma_below_0",
)  # fmt: skip
CELLS = {
    "tgamma": [*stirling_f64.arguments(3, tgamma_f64.LARGEST)],
    "above": [*stirling_f64.arguments(3, lgamma_kernels.LARGEST)],
    "below": [*stirling_f64.arguments(3, -lgamma_kernels.LEAST)],
}


@pytest.fixture(autouse=True)
def precision() -> Iterator[None]:
    before, ctx.prec = ctx.prec, 2000
    yield
    ctx.prec = before


def slots_of(kernel: Kernel, x: float) -> Slots:
    """What slots hold when they are set the last time, and first."""
    module, name = linked(kernel)
    functions = {
        id(op): f.name.rpartition(".")[2] for f in module.functions.values() for op in walk(f.body)
    }
    found: Slots = {}

    def keep(place: tuple[str, str], value: Any) -> None:
        found.setdefault(("first " + place[0], place[1]), value)
        found[place] = value

    def listen(op: Op, args: tuple[Any, ...], results: tuple[Any, ...]) -> None:
        if op.opcode == "set":
            keep((functions[id(op)], str(op.attr)), args[0])

    evaluate(module, name, [x], listen)  # type: ignore[arg-type]
    return found


def around(*points: float) -> Iterator[float]:
    for point in points:
        yield from (nextafter(point, -inf), point, nextafter(point, inf))


def arguments(largest: float, least: float) -> list[float]:
    """Edges, neighbours of integers, of ties between steps and of zeros, and some at random."""
    random = Random(7)
    ends = [8.0, 0.75, 1.0, 2.0, 3.0, 171.0, -1.0, -2.0, -7.0, -8.0, -9.0, -33.0, -169.0]
    ties = [n / 64 for n in (1, 3, 47, 61, 65, 129, 509, 511)]
    found = [*around(*ends, *ties, *(-tie for tie in ties)), -0.5, -8.5, -100.5]
    for size in (2.0**-900, 2.0**-500, 2.0**-60, 2.0**-9, 2.0**-7):
        found += [size, -size, nextafter(size, 1.0), -nextafter(size, 1.0)]
    for top in (largest, least):
        found += [top, nextafter(top, 0.0), nextafter(top, 0.0) / 2]
    for n in (2, 3, 5, 12, 30):
        bottom = least_between(-n - 1.0, -float(n))
        for pole in (nextafter(-n - 1.0, 0.0), nextafter(-float(n), -inf)):
            found += around_zero(*sorted((pole, bottom)))
    found += [random.uniform(0.0, 12.0) for _ in range(20)]
    found += [-random.uniform(0.0, 12.0) for _ in range(20)]
    found += [2.0 ** random.uniform(3, 7.4) * random.choice((-1, 1)) for _ in range(20)]
    return [x for x in found if least <= x <= largest]


def some_at_once(points: list[float]) -> list[Any]:
    """A third of the arguments for the suite, the others for `make prove-rounding`."""
    return [pytest.param(x, marks=() if n % 3 == 0 else pytest.mark.proof)
            for n, x in enumerate(points)]  # fmt: skip


def exactly(*parts: float) -> Any:
    return sum((arb(part) for part in parts), arb(0))


def check_step(h: float, i: int, steps: range) -> None:
    assert i % 15 == 0
    assert i // 15 in steps
    assert abs(h) <= gamma_steps_f64.HALF_STEP
    assert i // 15 in (0, lgamma_kernels.BELOW_0) or h % STEP_GRID == 0


def check_logarithm(slots: Slots, z: float, log: float, low: float, margin: float) -> None:
    """That of z is in a cell, and as near as is said."""
    u, e, r = (slots["log_of_normal", slot] for slot in ("u", "e", "r"))
    i = u >> 45 & 127
    c = Fraction(log_f64.RECIPROCALS[i])
    assert all(end * c - 1 >= r if k else end * c - 1 <= r
               for k, end in enumerate(map(Fraction, _significands(i))))  # fmt: skip
    assert any(first <= e <= last for first, last in EXPONENTS)
    assert abs(exactly(log, low) - arb(z).log()) <= stirling_f64.LOG_SHARE * margin
    assert abs(low) <= stirling_f64.SECOND * abs(log)
    ends = stirling_f64.LEAST_OF_LOG * abs(log), stirling_f64.OF_LOG * abs(log)
    assert ends[0] <= margin <= ends[1]


def check_stirling(z: float, cells: list[tuple[float, float]], s: float, low: float) -> None:
    k = bisect_right(cells, (z, inf)) - 1
    assert cells[k][0] <= z <= cells[k][1]
    assert abs(low) <= stirling_f64.SECOND * s
    assert abs(exactly(s, low) - (arb(z) + 1).lgamma()) <= 2.0**-58 * s


def check_sine(slots: Slots, within: str, z: float) -> None:
    f = slots["reduce_half_turns", "f"]
    assert f == 0 or 2.0**trigonometric_f64.LEAST <= abs(f) <= trigonometric_f64.HALF_STEP
    sine, low, margin = (slots[within, slot] for slot in ("sine", "sine_low", "s_margin"))
    if z % 1 == 0:
        assert sine == 0
        return
    assert abs(sine) >= sines_f64.LEAST_SINE
    assert abs(low) <= sines_f64.SECOND * abs(sine)
    assert margin <= sines_f64.OF_SINE * abs(sine)
    truth = (arb(z) * arb.pi()).sin()
    assert abs(abs(exactly(sine, low)) - abs(truth)) <= sines_f64.SHARE * margin


@pytest.mark.parametrize("x", some_at_once(arguments(kernels.LARGEST, kernels.LEAST)))
def test_tgamma(x: float) -> None:
    slots, z = slots_of(kernels.tgamma, x), abs(x)
    if not slots["tgamma", "known"]:
        assert z < kernels.SMALLEST
        return
    truth = (arb(z) + 1).gamma()
    if z < 8:
        h, i = (slots["gamma_of_steps", slot] for slot in ("h", "i"))
        check_step(h, i, gamma_steps_f64.STEPS)
    else:
        log, low, margin = (slots[GAMMA, slot] for slot in ("log", "log_low", "of_log"))
        check_logarithm(slots, z, log, low, margin)
        s, low = (slots["first " + GAMMA, slot] for slot in ("s", "s_low"))
        check_stirling(z, CELLS["tgamma"], s, low)
        assert s <= tgamma_f64.LARGEST_LOG
        assert abs(slots["first " + GAMMA, "r"]) <= exponent_sums_f64.MOST
        assert abs(slots["first " + GAMMA, "r_low"]) <= exponent_sums_f64.LOW
    f, low, margin, k = (slots[IN_TWO, slot] for slot in ("f", "f_low", "margin", "k"))
    power = arb(2) ** ((k & (1 << 18) - 1) // 128)
    assert k % 128 == 0
    assert abs(low) <= tgamma_f64.SECOND * f
    assert margin <= tgamma_f64.RELATIVE
    assert abs(exactly(f, low) * power - truth) <= truth * margin
    if x < 0:
        check_sine(slots, IN_TWO, z)
    if x > 0 or x % 1:
        s, low, margin = (slots["tgamma", slot] for slot in ("s", "low", "margin"))
        found = exactly(s, low) * (power if x > 0 else 1 / power)
        assert abs(found - arb(x).gamma()) <= margin * (power if x > 0 else 1 / power)


ABOVE_0 = [2.0**100, 2.0**899.5, lgamma_kernels.LARGEST, 1e6, 5e-324, 2.0**-1000]


@pytest.mark.parametrize("x", some_at_once(arguments(lgamma_kernels.LARGEST, 0.0) + ABOVE_0))
def test_lgamma_above_0(x: float) -> None:
    slots = slots_of(lgamma_kernels.lgamma, x)
    if not slots["lgamma", "known"]:
        assert x < kernels.SMALLEST
        return
    if x < lgamma_kernels.NEAR or x >= 8:
        log, low, margin = (slots["first " + ABOVE, s] for s in ("log", "log_low", "of_log"))
        check_logarithm(slots, x, log, low, margin)
    if x < 8:
        h, i = (slots["scaled_log_of_steps", slot] for slot in ("h", "i"))
        check_step(h, i, gamma_steps_f64.LOG_STEPS)
        t, low = (slots[ABOVE, slot] for slot in ("t", "t_low"))
        assert lgamma_f64.QUOTIENTS[0] < t < lgamma_f64.QUOTIENTS[1]
        assert abs(low) <= lgamma_f64.SECOND * t
        w = arb(x) - (0 if x < lgamma_kernels.NEAR else 1)
        if not (x == 1 or x == 2):
            truth = (w + 1).lgamma() / (w * (w - 1))
            assert abs(exactly(t, low) - truth) <= gamma_steps_f64.SHARE * lgamma_kernels.MARGIN * t
    else:
        assert any(low <= x <= high for low, high in CELLS["above"])
    s, low, margin = (slots["lgamma", slot] for slot in ("s", "low", "margin"))
    if x == 1 or x == 2:
        assert (s, low, margin) == (0.0, 0.0, 0.0)
    else:
        assert abs(exactly(s, low) - arb(x).lgamma()) <= margin


BELOW_0 = [-1e6 - 0.5, lgamma_kernels.LEAST + 0.5, nextafter(lgamma_kernels.LEAST, 0.0), -5e-324]


@pytest.mark.parametrize("x", some_at_once(arguments(-0.0, lgamma_kernels.LEAST) + BELOW_0))
def test_lgamma_below_0(x: float) -> None:
    slots, z = slots_of(lgamma_kernels.lgamma_rest, x), -x
    if (BELOW, "a") not in slots:
        assert z < kernels.SMALLEST
        return
    check_sine(slots, BELOW, z)
    if x % 1 == 0:
        assert slots["lgamma_rest", "margin"] != slots["lgamma_rest", "margin"]
        return
    g, low = (slots[BELOW, slot] for slot in ("g", "g_low"))
    truth = (arb(z if z < 8 else 0.0) + 1).gamma()
    assert abs(low) <= gamma_steps_f64.SECOND * g
    assert abs(exactly(g, low) - truth) <= lgamma_below_f64.TABLE * kernels.TABLE_MARGIN * truth
    over, rest = (slots[BELOW, slot] for slot in ("over", "over_low"))
    assert abs(rest) <= lgamma_below_f64.REST * over
    parts = [slots[BELOW, slot] for slot in ("sine", "sine_low", "g", "g_low")]
    product = exactly(*parts[:2]) * exactly(*parts[2:])
    assert abs(exactly(over, rest) - product) <= lgamma_below_f64.PRODUCT * product
    log, low = (slots[BELOW, slot] for slot in ("log", "log_low"))
    assert abs(low) <= lgamma_below_f64.LOG_SECOND
    assert abs(log) <= 2.0**lgamma_below_f64.LARGEST_LOG
    margin = slots[BELOW, "margin"]
    assert kernels.TABLE_MARGIN <= margin <= lgamma_below_f64.OF_LOG
    assert abs(exactly(log, low) - product.log()) <= margin - kernels.TABLE_MARGIN
    if z >= 8:
        of_z, of_z_low, of_log = (slots[BELOW, slot] for slot in ("of_z", "of_z_low", "of_log"))
        check_logarithm(slots, z, of_z, of_z_low, of_log)
        f, f_low = (slots[BELOW, slot] for slot in ("f", "f_low"))
        check_stirling(z, CELLS["below"], f, f_low)
        assert 2.0 ** lgamma_below_f64.STIRLINGS[0] <= f
        assert f <= 2.0 ** (lgamma_below_f64.STIRLINGS[-1] + 1)
        assert of_log * (z + 0.5) <= lgamma_below_f64.OF_STIRLING * f
    s, low, margin = (slots["lgamma_rest", slot] for slot in ("s", "low", "margin"))
    assert abs(exactly(s, low) - abs(arb(x).gamma()).log()) <= margin
