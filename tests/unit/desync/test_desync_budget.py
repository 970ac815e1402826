"""Programs in reports that go deep, or on and on: given up by count, and what is known stays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Any

import pytest
from tests.support.runs.deep_programs import (
    AT,
    DEEP,
    brought,
    calls,
    filling,
    function,
    report,
    sums,
)
from tests.support.runs.desync_files import SMALL, evaluated, made, signed, small, use
from tests.support.work import peak_of

from samebits.desync.reader import report_from_bytes
from samebits.desync.record import ReportRequest
from samebits.desync.report import Report
from samebits.diagnosis.driver import diagnose_report, diagnose_reports
from samebits.diagnosis.operation.match_versions import match_versions
from samebits.diagnosis.report.findings import Diagnosis
from samebits.errors import TraceError
from samebits.frame_trace.observer import UnobservedEvaluator
from samebits.hazards.catalogue.expressions.fma_contraction import FUSED
from samebits.hazards.injection import variants_among
from samebits.ir.analysis.budget import Budget
from samebits.ir.text import parse_module
from samebits.ir.verify import verify
from samebits.sides.side import parse_side
from samebits.sim.sources import PlayerSource

FEW = 40_000
"""Operations of a frame in these tests; one of the small simulation takes 800."""


def endless(name: str) -> str:
    head = f"    while#0 {AT}\n      %1 = const true: bool {AT}\n    do %1\n"
    return function(name, f"{head}      %2 = const 1: int {AT}\n")


def nested(depth: int) -> str:
    body = ""
    for k in range(depth):
        indent = " " * (4 + 2 * k)
        body += f"{indent}%{2 * k} = const true: bool {AT}\n{indent}if#{2 * k + 1} %{2 * k} {AT}\n"
    return function("last", f"{body}{' ' * (4 + 2 * depth)}%{2 * depth} = const 1: int {AT}\n")


LONG = f"a frame of the report's program takes more than {FEW:,} operations"
SHAPES = {
    "deep calls": (calls(300, 1), "last", DEEP),
    "deep regions": (nested(190), "last", DEEP),
    "more and more calls": (calls(40, 2), "last", LONG),
    "a loop without an end": (endless("last"), "last", LONG),
    "a loop in what is called like the library": (
        endless("samebits.mathlib.last"), "samebits.mathlib.last", LONG,
    ),
    "much memory": (filling(), "last", LONG),
}  # fmt: skip


def brings(whole: Report, functions: str, called: str) -> Report:
    """As it is read."""
    data = brought(whole, functions, called)
    return replace(report_from_bytes(data), budget=Budget(frame=FEW))


def check(found: Diagnosis, budget: Budget, why: str) -> None:
    assert (found.frame, found.certainty) == (12, "unknown")
    assert [field.path for field in found.fields] == ["energy"]
    assert any(note.endswith(why) for note in found.notes)
    assert budget.why == why


@pytest.mark.parametrize("shape", SHAPES)
def test_a_program_that_cannot_be_followed_leaves_frame_and_fields(shape: str) -> None:
    functions, called, why = SHAPES[shape]
    other = brings(report(), functions, called)
    check(diagnose_reports(report("evaluate"), other), other.budget, why)


@pytest.mark.parametrize("shape", SHAPES)
def test_so_does_one_that_experiments_would_begin_with(shape: str) -> None:
    functions, called, why = SHAPES[shape]
    mine = brings(report("evaluate"), functions, called)
    check(diagnose_reports(mine, report()), mine.budget, why)


@pytest.mark.parametrize("shape", SHAPES)
def test_so_does_one_beside_a_run(shape: str) -> None:
    functions, called, why = SHAPES[shape]
    other = brings(report(), functions, called)
    found = diagnose_report(PlayerSource(SMALL, "push", 1, 40), evaluated(), other)
    check(found, other.budget, why)


def test_a_program_that_was_given_up_is_not_evaluated_again() -> None:
    other = brings(report(), endless("last"), "last")
    diagnose_reports(report("evaluate"), other)
    assert other.budget.operations <= 0


def test_what_is_left_untried_is_not_certain() -> None:
    """The budget ends in the midst of the experiments."""
    source = PlayerSource(SMALL, "push", 1, 40)
    b = made(
        source, ReportRequest(range(10, 30), 12), parse_side("evaluate,hazard=fma,from=12", SMALL)
    )
    a = made(source, ReportRequest(range(10, 30), 12), evaluated())
    spent = Budget()
    whole = diagnose_reports(replace(a, budget=spent), b)
    assert whole.causes[0].hazard == "fma"
    all_of_it = Budget().operations - spent.operations
    seen: set[str] = set()
    for share in (0.1, 0.4, 0.7, 0.95):
        few = Budget(operations=int(all_of_it * share))
        found = diagnose_reports(replace(a, budget=few), b)
        assert (found.frame, found.fields) == (whole.frame, whole.fields)
        assert few.is_spent
        assert found.certainty != "certain"
        assert any("takes more than" in note for note in found.notes)
        seen.add(found.certainty)
    assert seen


def test_a_state_that_is_only_claimed_is_not_made() -> None:
    whole = report()
    few = replace(whole, budget=Budget(memory=16))
    found = diagnose_reports(report("evaluate"), few)
    assert (found.frame, found.certainty) == (12, "unknown")
    assert any("has states of" in note and "bytes, more than 16" in note for note in found.notes)


def test_a_long_text_is_not_parsed() -> None:
    found = diagnose_reports(report("evaluate"), replace(report(), budget=Budget(text=100)))
    assert (found.frame, found.certainty) == (12, "unknown")
    assert any("has a program of" in note and "more than 100" in note for note in found.notes)


@pytest.mark.parametrize("kinds", [(2, 3), (1, 1)])
def test_matching_two_programs_is_bounded(
    kinds: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A matcher may look at all pairs that are alike once for each stretch that it finds."""
    looked = 0
    matcher: Any = SequenceMatcher
    look = matcher.find_longest_match

    def counted(self: Any, alo: int, ahi: int, blo: int, bhi: int) -> Any:
        nonlocal looked
        looked += sum(1 + len(self.b2j.get(token, ())) for token in self.a[alo:ahi])
        return look(self, alo, ahi, blo, bhi)

    monkeypatch.setattr(matcher, "find_longest_match", counted)
    a, b = (
        parse_module("samebits ir 1\n\n" + function("f", body).rstrip("\n") + "\n")
        for body in (
            "".join(f"    %{k} = const {k % kind}: int {AT}\n" for k in range(count))
            for kind, count in zip(kinds, (900, 899), strict=True)
        )
    )
    few = Budget(matching=5_000)
    changes = match_versions(a, b, few).changes
    assert changes
    assert looked <= 32 * 5_000
    assert Budget().operations - few.operations <= 5_000
    assert any(change.kind == "removed" for change in changes)
    verify(match_versions(a, b, few).module)
    assert match_versions(a, a, Budget()).changes == ()


def test_claims_of_many_frames_are_reported_in_little_memory() -> None:
    def change(values: dict[str, object]) -> None:
        contents: Any = values["contents"]
        contents |= {"frames": 2**22, "asked": [0, 30_000]}

    data = signed(small(), change)
    assert len(data) < 20_000
    assert peak_of(lambda: use(data)) < 20e6


def test_looking_for_other_evaluations_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = 0
    true = FUSED.variants

    def counted(tree: Any, arithmetic: Any) -> Iterator[Any]:
        nonlocal looked
        for variant in true(tree, arithmetic):
            looked += 1
            yield variant

    def named(name: str) -> Any:
        return replace(FUSED, variants=counted, notes=None)

    monkeypatch.setattr("samebits.hazards.injection.by_name", named)
    few = Budget(operations=100_000)
    with pytest.raises(TraceError, match="more than 100,000 operations"):
        variants_among(sums(60), "fma", budget=few)
    assert 0 < looked <= 100_000 / 64
    assert few.is_spent
    assert variants_among(sums(2), "fma", budget=Budget())


def test_an_experiment_that_goes_on_costs_no_other() -> None:
    budget = Budget(operations=100_000, frame=1_000)
    budget.begin(0)
    with pytest.raises(TraceError, match="an experiment"), budget.trying():
        budget.spend(2_000)
    assert budget.is_spent
    assert budget.operations > 90_000
    budget.begin(0)
    with pytest.raises(TraceError):
        budget.spend(2_000)
    assert budget.operations <= 0


def test_two_reports_have_one_budget() -> None:
    b = brings(report(), endless("last"), "last")
    a = replace(report("evaluate"), budget=replace(b.budget))
    diagnose_reports(a, b)
    left = sorted(each.budget.operations for each in (a, b))
    assert left[0] <= 0
    assert left[1] == Budget().operations


MANY = 640


def loop(body: str, slots: str = "", before: str = "", iterations: int = 3) -> str:
    head = f"    %0 = const 0: int {AT}\n    %1 = const {iterations}: int {AT}\n{before}"
    head += f'    for#2 "i" = %0, %1, 1 {AT}\n{body}'
    return function("f", head, f'  slot "i": int\n{slots}').rstrip("\n") + "\n"


def listed(what: str) -> str:
    return ", ".join([what] * MANY)


CALL = f'      %3 = call "g" {AT}\n'
DEAR: dict[str, tuple[str, int]] = {
    "locals": (
        function("g", "", "".join(f'  local "l{k}": uint8\n' for k in range(MANY))) + loop(CALL),
        MANY,
    ),
    "operands": (
        function("g", "", "".join(f'  param "p{k}": int\n' for k in range(MANY)))
        + loop(f'      %3 = call "g" {listed("%0")} {AT}\n'),
        MANY // 16,
    ),
    "results": (
        function("g", f"    %0 = const 0: int {AT}\n", "  result int\n" * MANY).replace(
            f"return {AT}", f"return {listed('%0')} {AT}"
        )
        + loop(f'      %3 = call "g": {listed("int")} {AT}\n'),
        MANY // 16,
    ),
    "a frame": (
        function("g", "", "".join(f'  slot "s{k}": int\n' for k in range(10 * MANY))) + loop(CALL),
        10 * MANY // 64,
    ),
    "lanes": (
        loop(
            '      for#3 "j" = %0, %4, 1 lanes 256 add '
            + ", add ".join(f'"s{k}"' for k in range(20))
            + f" {AT}\n",
            '  slot "j": int\n' + "".join(f'  slot "s{k}": float32\n' for k in range(20)),
            f"    %4 = const 256: int {AT}\n    %5 = const 0x0p+0: float32 {AT}\n"
            + "".join(f'    %{6 + k} = set "s{k}" %5 {AT}\n' for k in range(20)),
        ),
        2 * 256 * 20,
    ),
}


@pytest.mark.parametrize("what", DEAR)
def test_what_takes_long_without_operations_is_paid_for(what: str) -> None:
    """Locals that each call makes, operands that it is given, lanes that a loop begins with."""
    text, least = DEAR[what]
    module = parse_module("samebits ir 1\n\n" + text)
    verify(module)
    budget = Budget()
    UnobservedEvaluator(module, budget).call("f", [])
    assert Budget().operations - budget.operations >= 3 * least
    few = Budget(operations=3 * least)
    with pytest.raises(TraceError, match="takes more than"):
        UnobservedEvaluator(module, few).call("f", [])
