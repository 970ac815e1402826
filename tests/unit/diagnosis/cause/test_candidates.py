"""What is observed of an operation leaves those hazards that give it, and no others."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

import samebits as sb
from samebits import float32
from samebits.bits import float_to_bits
from samebits.diagnosis.cause.experiment import Agreement
from samebits.diagnosis.cause.observations import (
    Candidate,
    Observation,
    Observations,
    candidates,
    gives,
)
from samebits.diagnosis.cause.trials import Trials
from samebits.frontend.compile import compile_kernel, link
from samebits.hazards.catalogue import EXPRESSION_HAZARDS
from samebits.hazards.expressions import Site, Sites
from samebits.hazards.site_variants import SiteVariant, variants_of
from samebits.ir.grammar import Module, Op, walk
from samebits.ir.refs import OpRef


@sb.kernel
def mixed(a: float32, b: float32, c: float32, d: float32) -> float32:
    return (a * b + c) / d


UNIT = compile_kernel(mixed, mixed.signature.resolve(()))
FUNCTION = link(UNIT).functions[UNIT.function.name]
SITES = Sites(FUNCTION)
LAST = [s for s in walk(FUNCTION.body) if isinstance(s, Op) and s.opcode == "div"][-1]
PLACE = OpRef(FUNCTION.name, LAST.id)


class Seen(Observations):
    """Evaluations by a hazard's first variant, among them one that differs from the strict one."""

    def __init__(self, hazard: str, count: int) -> None:
        row = next(row for row in EXPRESSION_HAZARDS if row.name == hazard)
        variant = next(variants_of(row, SITES, PLACE))
        self.site = variant.site
        random = Random(hazard)
        self.rows: list[Observation] = []
        self.differing: Observation | None = None
        while self.differing is None or len(self.rows) < count:
            given = {n: float_to_bits(random.uniform(0.5, 2.0), 32) for n in variant.site.operands}
            found = Observation(given, variant.site.bits(variant.tree, variant.arithmetic, given))
            self.rows.append(found)
            strict = variant.site.bits(variant.site.tree, variant.site.strict, given)
            if self.differing is None and found.result != strict:
                self.differing = found

    def of(self, site: Site) -> tuple[Observation | None, list[Observation]]:
        same = site.operands == self.site.operands
        return (self.differing, self.rows) if same else (None, [])


class Given(Observations):
    """Chosen evaluations of one site."""

    def __init__(self, site: Site, differing: Observation, rows: list[Observation]) -> None:
        self.site, self.differing, self.rows = site, differing, rows

    def of(self, site: Site) -> tuple[Observation | None, list[Observation]]:
        same = site.operands == self.site.operands
        return (self.differing, self.rows) if same else (None, [])


def fitting(observe: Observations) -> list[Candidate]:
    return [
        c
        for row in EXPRESSION_HAZARDS
        for c in candidates(variants_of(row, SITES, PLACE), observe)
        if c.fits
    ]


@pytest.mark.parametrize("hazard", ["reciprocal", "x87", "rounding", "narrower"])
def test_the_hazard_is_among_those_that_fit_and_gives_every_result(hazard: str) -> None:
    found = fitting(Seen(hazard, 40))
    assert hazard in {c.variant.hazard.name for c in found}
    assert all(0 < c.telling <= c.instances == 40 for c in found)


def test_more_results_leave_fewer_variants() -> None:
    seen = Seen("reciprocal", 40)
    assert seen.differing is not None
    one = fitting(Given(seen.site, seen.differing, [seen.differing]))
    many = fitting(seen)
    assert 0 < len(many) < len(one)


def test_a_result_that_nothing_gives_has_no_candidates() -> None:
    seen = Seen("reciprocal", 4)
    assert seen.differing is not None
    wrong = Observation(seen.differing.given, seen.differing.result ^ 0x00400000)
    assert fitting(Given(seen.site, wrong, [wrong])) == []


@sb.kernel
def longer(a: float32, b: float32, c: float32, d: float32) -> float32:
    return (a * b + c * d) / (a + c) + (b * d + a * c) / (b + d) + a * d + b * c


LONGER = compile_kernel(longer, longer.signature.resolve(()))
MODULE = Module(link(LONGER).functions)
SUM = [s for s in walk(LONGER.function.body) if isinstance(s, Op) and s.opcode == "add"][-1]
SUM_PLACE = OpRef(LONGER.function.name, SUM.id)


class Running(Observations):
    """The other side has a hazard's last variant, of which one evaluation is known at first. An
    experiment fails in the first frame whose evaluation its variant does not give."""

    def __init__(self, hazard: str) -> None:
        sites = Sites(MODULE.functions[SUM_PLACE.function])
        row = next(row for row in EXPRESSION_HAZARDS if row.name == hazard)
        *_, true = variants_of(row, sites, SUM_PLACE)
        self.site = true.site
        self.kept: list[Observation] = []
        self.tried: list[SiteVariant] = []
        random = Random(hazard)
        operands = [
            {n: float_to_bits(random.uniform(0.5, 2.0), 32) for n in self.site.operands}
            for _ in range(400)
        ]
        self.frames = [
            Observation(given, self.site.bits(true.tree, true.arithmetic, given))
            for given in operands
        ]
        self.differing = next(
            seen
            for seen in self.frames
            if self.site.bits(self.site.tree, self.site.strict, seen.given) != seen.result
        )

    def of(self, site: Site) -> tuple[Observation | None, list[Observation]]:
        same = site.operands == self.site.operands
        return (self.differing, [self.differing, *self.kept]) if same else (None, [])

    def attempt(self, what: str, variants: Sequence[SiteVariant]) -> Agreement:
        if len(variants) > 1:
            return Agreement(0, len(self.frames))
        variant = variants[0]
        self.tried.append(variant)
        wrong = (n for n, seen in enumerate(self.frames) if not gives(variant, seen))
        return Agreement(next(wrong, len(self.frames)), len(self.frames))

    def refuting(self, site: Site) -> list[Observation]:
        return self.kept if site.operands == self.site.operands else []


class Refuting(Running):
    """And that frame's evaluation is known from then on."""

    def refutes(self, variant: SiteVariant, frame: int) -> bool:
        self.kept.append(self.frames[frame])
        return True


@pytest.mark.parametrize("hazard", ["double-rounding", "fma", "order"])
def test_where_an_experiment_fails_it_refutes_variants_that_are_not_tried(hazard: str) -> None:
    run = Refuting(hazard)
    trials = Trials(MODULE, SUM_PLACE, run, run.attempt, lambda variant: None)
    found = [trial.variant.hazard.name for trial in trials.run() if trial.agreement.whole]
    assert hazard in found
    assert hazard not in trials.untried
    assert len(set(map(id, run.tried))) == len(run.tried) < 20


def test_variants_that_fit_and_were_not_tried_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("samebits.diagnosis.cause.trials.ROUNDS", (2, 2))
    run = Running("order")
    trials = Trials(MODULE, SUM_PLACE, run, run.attempt, lambda variant: None)
    assert not any(trial.agreement.whole for trial in trials.run())
    assert "order" in trials.untried


@pytest.mark.parametrize("most", [0, 2])
def test_rivals_that_too_many_experiments_leave_open_are_reported(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr("samebits.diagnosis.cause.trials.MOST_WITH_RIVALS", most)
    monkeypatch.setattr("samebits.diagnosis.cause.trials.ROUNDS", (99, 99))
    run = Running("fma")  # the first in the table, and one evaluation is known: others fit it too
    trials = Trials(MODULE, SUM_PLACE, run, run.attempt, lambda variant: None)
    found = [trial.variant.hazard.name for trial in trials.run()]
    before = next(k for k, variant in enumerate(run.tried, 1) if gives_all(variant, run.frames))
    assert len(run.tried) == before + most
    assert found[before - 1] == "fma"
    assert {"x87", "double-rounding"} <= trials.untried


def gives_all(variant: SiteVariant, rows: Sequence[Observation]) -> bool:
    return all(gives(variant, row) for row in rows)
