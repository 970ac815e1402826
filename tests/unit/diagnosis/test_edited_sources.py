"""Two versions of a source, diagnosed: the line, the operation and the cause are those of the edit,
and so is the column of what was written."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from samebits.diagnosis import live_evidence
from samebits.diagnosis import narrow as narrowing
from samebits.diagnosis.cause.experiment import Experiment
from samebits.diagnosis.driver import diagnose, steps, two_runs
from samebits.diagnosis.operation.first_difference import OperationDifference
from samebits.diagnosis.report.findings import Diagnosis
from samebits.diagnosis.report.text import as_lines
from samebits.errors import HazardError
from samebits.frame_trace.record import Trace
from samebits.ir.refs import OpRef
from samebits.sides.side import parse_side
from samebits.sim.load import load_simulation
from samebits.sim.simulation import Simulation
from samebits.sim.sources import PlayerSource

SOURCE = """
import samebits as sb
from samebits import float32, math, uint64

N = 8
REST = 0.5
WIDE = REST + 2.0

@sb.struct
class State:
    x: sb.FixedArray[float32, N]
    v: sb.FixedArray[float32, N]

@sb.struct
class Input:
    push: float32

@sb.kernel
def init(state: State, seed: uint64) -> None:
    for i in range(N):
        state.x[i] = float32(i) * 0.37 + float32(seed % 7)

@sb.kernel
def pull(state: State, push: float32) -> None:
    for i in sb.prange(N):
        x = state.x[i]
        away = 3.0 * REST * x / WIDE
        state.v[i] -= math.log(x * x + 1.5) + 0.1 * away * push

@sb.kernel
def move(state: State) -> None:
    for i in sb.prange(N):
        state.x[i] += state.v[i] * 0.0625

@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    pull(state, inputs[0].push)
    move(state)
    assert state.x[0] > -1e30

SMALL = sb.Simulation(name="small", version="1", state=State, input=Input, players=1,
                      init=init, step=step)
"""
Compare = Callable[[str, str], Diagnosis]


@pytest.fixture
def compare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Compare:
    def load(folder: str, text: str) -> tuple[Simulation, Path]:
        path = tmp_path / folder / "small.py"
        path.parent.mkdir()
        path.write_text(text)
        monkeypatch.delitem(sys.modules, "small", raising=False)
        return load_simulation(str(path)), path

    def compared(old: str, new: str) -> Diagnosis:
        assert SOURCE.count(old) == 1
        small, _ = load("first", SOURCE)
        _, path = load("second", SOURCE.replace(old, new))
        source = PlayerSource(small, "random", 5, 40)
        return diagnose(small, source, parse_side("", small), parse_side(f"source={path}", small))

    return compared


def line_of(text: str) -> int:
    return 1 + next(n for n, line in enumerate(SOURCE.split("\n")) if text in line)


AWAY, PULL = line_of("away ="), line_of("math.log")
EDITS = [
    # Products that were taken together are no more: what the one version lacks is to blame.
    ("REST * x / WIDE", "REST + x / WIDE", AWAY, "mul", "changed-operation"),
    ("0.1 * away * push", "0.1 * away + push", PULL, "mul", "changed-operation"),
    ("+ 0.1 * away", "* 0.1 * away", PULL, "add", "changed-operation"),
    # An operator that moves nothing, in one of several parallel ranges.
    ("state.v[i] * 0.0625", "state.v[i] / 0.0625", line_of("0.0625"), "mul", "changed-operation"),
    # What is folded is a constant, though an operator is what has changed.
    ("3.0 * REST * x", "(3.0 + REST) * x", AWAY, "const", "changed-operation"),
    ("3.0 * REST * x", "5.0 * REST * x", AWAY, "const", "changed-constant"),
    ("REST = 0.5", "REST = 0.625", AWAY, "const", "changed-constant"),
    ("x * x + 1.5", "x * x + 2.5", PULL, "const", "changed-constant"),
]


@pytest.mark.parametrize(("old", "new", "line", "opcode", "hazard"), EDITS)
def test_an_edit_is_found_where_it_is(
    compare: Compare, old: str, new: str, line: int, opcode: str, hazard: str
) -> None:
    found = compare(old, new)
    assert found.operation is not None
    assert (found.operation.place.line, found.operation.opcode) == (line, opcode)
    assert found.causes[0].hazard == hazard
    assert found.causes[0].holds
    assert found.causes[0].scope == "made alone in a's source"
    assert found.certainty == "certain"
    assert found.edits is not None
    (answer,) = found.edits.answers
    assert (answer.alone, answer.left) == (found.frame, None)
    assert {edit.a and edit.a.line for edit in answer.edits} == {line_of(old)}


STEP = """@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
"""
DRAG = """@sb.kernel
def drag(state: State) -> None:
    for i in range(N):
        state.v[i] = state.v[i] * 0.875

"""
MOVE, LOAD = "    move(state)\n", "        x = state.x[i]\n"
FIRST = "    for i in range(N):\n        state.x[i] = float32(i)"
ONE_SIDED = [
    # What the other version adds: it is told where it stands there.
    (MOVE, f"{MOVE}    state.v[1] = 0.5\n", "second", "state.v[1] = 0.5"),
    (MOVE, f"    for i in range(N):\n        state.v[i] *= 0.5\n{MOVE}", "second", "v[i] *= 0.5"),
    (STEP, f"{DRAG}{STEP}    drag(state)\n", "second", "state.v[i] = state.v[i] * 0.875"),
    (MOVE, f"{MOVE}    assert state.x[1] < 0.5\n", "second", "assert state.x[1]"),
    (FIRST, f"    state.v[0] = 1.0\n{FIRST}", "second", "state.v[0] = 1.0"),
    # A branch that it adds shows in the variable that is another behind it.
    (LOAD, f"{LOAD}        if x > 1.0:\n            x = float32(0)\n", "first", "x = state.x[i]"),
    # What it lacks is told where it stands here.
    (MOVE, "", "first", "state.x[i] += state.v[i] * 0.0625"),
    ("        state.x[i] += state.v[i] * 0.0625", "        pass", "first", "* 0.0625"),
]


@pytest.mark.parametrize(("old", "new", "version", "text"), ONE_SIDED)
def test_what_one_version_alone_has_is_found(
    compare: Compare, old: str, new: str, version: str, text: str
) -> None:
    found = compare(old, new)
    assert found.frame is not None
    assert found.fields or (found.hashes is not None and "trap" in found.hashes[1])
    assert found.notes == []
    assert found.operation is not None
    source = SOURCE if version == "first" else SOURCE.replace(old, new)
    line = source[: source.index(text)].count("\n") + 1
    assert found.operation.place.line in (line - 1, line)  # a loop's head, or its body
    assert Path(found.operation.place.file).parent.name == version
    assert found.causes[0].hazard == "changed-operation"
    assert found.causes[0].holds
    assert found.certainty == "certain"


def test_two_changes_of_one_statement_are_one_cause(compare: Compare) -> None:
    found = compare("3.0 * REST * x / WIDE", "3.5 * REST * x / (WIDE * 1.0625)")
    assert found.causes[0].holds
    assert found.certainty == "certain"
    assert found.edits is not None
    (answer,) = found.edits.answers
    assert {edit.a and edit.a.line for edit in answer.edits} == {AWAY}


def test_without_its_edits_no_version_is_certain(
    compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(two_runs, "tell_edits", lost)
    found = compare("3.0 * REST * x / WIDE", "3.5 * REST * x / (WIDE * 1.0625)")
    assert found.causes[0].holds
    assert found.certainty == "likely"
    assert "changes, 2 in all, at " in found.causes[0].evidence[-1]
    assert found.notes[0].startswith("which edits of the source matter is unknown, for samebits")


# -- what fails on the way ------------------------------------------------------------------------


def lost(*arguments: object, **options: object) -> None:
    raise KeyError("lost")


def nothing(*arguments: object) -> None:
    pass


FAILING = {
    "the fields": (steps, "differences", (), "the fields are"),
    "the operation": (live_evidence, "record", ("fields",), "the operation and its cause are"),
    "the difference": (
        narrowing,
        "first_difference",
        ("fields", "operation"),
        "the operation and its cause",
    ),
    "the change": (narrowing, "attributed", ("fields", "operation"), "the operation and its cause"),
    "what is in both": (
        live_evidence,
        "match_versions",
        ("fields", "operation"),
        "which operations both versions",
    ),
    "the cause": (narrowing, "explain_difference", ("fields", "operation"), "the cause is"),
    "the exposed": (
        narrowing,
        "exposed_operations",
        ("fields", "operation", "causes"),
        "the exposed operations are",
    ),
    "the timeline": (two_runs, "timeline", ("fields", "operation", "causes"), "the timeline is"),
}


@pytest.mark.parametrize("missing", FAILING)
def test_what_cannot_be_found_leaves_what_was_found(
    missing: str, compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, name, left, words = FAILING[missing]
    monkeypatch.setattr(two_runs, "tell_edits", nothing)
    monkeypatch.setattr(module, name, lost)
    found = compare("REST = 0.5", "REST = 0.625")
    assert found.frame == 0
    assert found.hashes is not None
    assert all(getattr(found, fact) for fact in left)
    assert found.certainty != "certain"
    (note,) = found.notes
    assert note.startswith(words)
    assert "unknown, for samebits met what it did not expect: KeyError: 'lost', at " in note


LINES = [
    (MOVE, f"{MOVE}    state.v[1] = 0.5\n", "b", "state.v[1] = 0.5"),
    (MOVE, "", "a", "move(state)"),
    ("REST * x / WIDE", "REST + x / WIDE", "b", "away = 3.0"),
    ("REST = 0.5", "REST = 0.625", "", "away = 3.0"),
]


@pytest.mark.parametrize(("old", "new", "side", "text"), LINES)
def test_the_line_is_told_where_no_place_can_be_looked_up(
    old: str, new: str, side: str, text: str, compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(narrowing, "first_difference", lost)
    found = compare(old, new)
    assert found.fields
    assert found.operation is not None
    assert found.operation.only == side
    assert text in found.operation.place.source
    other = {"a": "b", "b": "a", "": ""}[side]
    told = f"{side} executes line {found.operation.place.line}, {other} does not"
    assert (told in [line.strip() for _, line in as_lines(found)]) == bool(side)


def test_a_side_that_does_not_compute_it_shows_no_value(
    compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where one version has gone into a function that the other has written out."""
    first = narrowing.first_difference

    def elsewhere(a: Trace, b: Trace) -> OperationDifference:
        found = first(a, b)
        assert found is not None
        assert found.b is not None
        return replace(found, b=replace(found.b, place=OpRef("small.step", 0)))

    monkeypatch.setattr(narrowing, "first_difference", elsewhere)
    found = compare("REST = 0.5", "REST = 0.625")
    assert found.operation is not None
    assert found.operation.a is not None
    assert (found.operation.b, found.operation.ulps) == (None, None)


def test_an_experiment_that_cannot_be_made_leaves_the_others(
    compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*arguments: object) -> None:
        raise HazardError("it does not fit")

    monkeypatch.setattr(two_runs, "tell_edits", nothing)
    monkeypatch.setattr(Experiment, "run", refused)
    found = compare("REST = 0.5", "REST = 0.625")
    assert found.fields
    assert found.operation is not None
    assert not any(cause.frames_same for cause in found.causes)
    assert found.certainty != "certain"
    assert "an experiment was not made (the changed source): it does not fit" in found.notes
