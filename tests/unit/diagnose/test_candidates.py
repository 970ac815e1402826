"""What is observed of an operation leaves those hazards that give it, and no others."""

from __future__ import annotations

from random import Random

import pytest

import samebits as sb
from samebits import float32
from samebits.bits import float_to_bits
from samebits.diagnose.candidates import Candidate, Observe, Observed, candidates
from samebits.diagnose.hazards import HAZARDS
from samebits.diagnose.places import Place
from samebits.diagnose.sites import Site, Sites
from samebits.diagnose.ways import ways_of
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import Op, walk


@sb.kernel
def mixed(a: float32, b: float32, c: float32, d: float32) -> float32:
    return (a * b + c) / d


UNIT = compile_kernel(mixed, mixed.resolve(()))
FUNCTION = link(UNIT).functions[UNIT.function.name]
SITES = Sites(FUNCTION)
LAST = [s for s in walk(FUNCTION.body) if isinstance(s, Op) and s.opcode == "div"][-1]
PLACE = Place(FUNCTION.name, LAST.id)


class Seen:
    """Evaluations by the first way of a hazard, among them one that differs from the strict one."""

    def __init__(self, hazard: str, count: int) -> None:
        row = next(row for row in HAZARDS if row.name == hazard)
        way = next(ways_of(row, SITES, PLACE))
        self.site = way.site
        random = Random(hazard)
        self.rows: list[Observed] = []
        self.differing: Observed | None = None
        while self.differing is None or len(self.rows) < count:
            given = {n: float_to_bits(random.uniform(0.5, 2.0), 32) for n in way.site.operands}
            found = Observed(given, way.site.bits(way.tree, way.arithmetic, given))
            self.rows.append(found)
            strict = way.site.bits(way.site.tree, way.site.strict, given)
            if self.differing is None and found.result != strict:
                self.differing = found

    def of(self, site: Site) -> tuple[Observed | None, list[Observed]]:
        same = site.operands == self.site.operands
        return (self.differing, self.rows) if same else (None, [])


def fitting(observe: Observe) -> list[Candidate]:
    return [c for row in HAZARDS for c in candidates(ways_of(row, SITES, PLACE), observe) if c.fits]


@pytest.mark.parametrize("hazard", ["reciprocal", "x87", "rounding", "narrower"])
def test_the_hazard_is_among_those_that_fit_and_gives_every_result(hazard: str) -> None:
    found = fitting(Seen(hazard, 40).of)
    assert hazard in {c.way.hazard.name for c in found}
    assert all(0 < c.telling <= c.instances == 40 for c in found)


def test_more_results_leave_fewer_ways() -> None:
    seen = Seen("reciprocal", 40)
    one = fitting(lambda site: (seen.of(site)[0], [r for r in [seen.of(site)[0]] if r]))
    many = fitting(seen.of)
    assert 0 < len(many) < len(one)


def test_a_result_that_nothing_gives_has_no_candidates() -> None:
    seen = Seen("reciprocal", 4)
    assert seen.differing is not None
    wrong = Observed(seen.differing.given, seen.differing.result ^ 0x00400000)
    assert fitting(lambda site: (wrong, [wrong]) if seen.of(site)[0] else (None, [])) == []
