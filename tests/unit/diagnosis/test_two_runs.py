"""From two sides to frame, field, operation and cause, for each kind of difference."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from samebits.diagnosis.driver import diagnose
from samebits.diagnosis.report.findings import Diagnosis
from samebits.sides.side import parse_side
from samebits.sim.load import load_simulation
from samebits.sim.simulation import Simulation
from samebits.sim.sources import PlayerSource

SOURCE = """
import samebits as sb
from samebits import float32, int32, math, uint32, uint64

N = 24

@sb.struct
class State:
    frame: uint32
    x: sb.FixedArray[float32, N]
    v: sb.FixedArray[float32, N]
    energy: float32
    cells: sb.FixedArray[int32, 8]

@sb.struct
class Input:
    push: float32

@sb.kernel
def init(state: State, seed: uint64) -> None:
    for i in range(N):
        state.x[i] = float32(i) * 0.37 + float32(seed % 7)
        state.v[i] = 0.7 / (float32(i) + 1.5)

@sb.kernel
def spring(x: float32, v: float32, rest: float32) -> float32:
    return (rest - x) * 0.0617 - v * 0.01

@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    push = inputs[0].push
    for i in range(N):
        force = spring(state.x[i], state.v[i], 3.0)
        state.v[i] = state.v[i] + (force + push) * 0.3
        state.x[i] = state.x[i] + state.v[i] * 0.1
    total = float32(0)
    for i in range(N):
        total += state.v[i] * state.v[i]
    state.energy = math.sin(total)
    cell = int32(state.energy * 3.9) + 4
    state.cells[cell] += 1
    state.frame += 1

def play(frame: int, player: int, seed: int) -> dict[str, float]:
    return {"push": (frame * 37 % 19) / 19 - 0.5}

SMALL = sb.Simulation(name="small", version="1", state=State, input=Input, players=1,
                      init=init, step=step, scripts={"play": play})
"""
FRAMES = 240


def line(text: str) -> int:
    return next(n for n, row in enumerate(SOURCE.split("\n"), 1) if text in row)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Simulation]:
    path = tmp_path_factory.mktemp("first") / "small.py"
    path.write_text(SOURCE)
    yield load_simulation(str(path))
    sys.modules.pop("small", None)


def compare(small: Simulation, a: str, b: str) -> Diagnosis:
    source = PlayerSource(small, "play", 3, FRAMES)
    return diagnose(small, source, parse_side(a, small), parse_side(b, small))


CASES = [
    ("fma@spring,from=40", "fma", "return (rest", "sub"),
    ("reciprocal@init", "reciprocal", "0.7 / (", "div"),
    ("libm-ulp@step,from=40", "libm-ulp", "math.sin", "call of sin"),
    ("lanes@step,from=40", "lanes", "for i in range(N):", "for"),
    ("changed-input@step", "changed-input", "push = inputs", "load"),
    ("uninitialised@init", "uninitialised", "def init", "state"),
    ("host@spring,from=40", "host", "return (rest", None),
    (f"unhashed@small.py:{line('push = in')},from=40", "unhashed", "push = in", None),
]


@pytest.mark.parametrize(("hazard", "cause", "text", "opcode"), CASES, ids=[c[0] for c in CASES])
def test_what_was_injected_is_named(
    small: Simulation, hazard: str, cause: str, text: str, opcode: str | None
) -> None:
    found = compare(small, "", f"hazard={hazard}")
    assert found.frame is not None
    assert found.operation is not None
    assert found.causes, found.notes
    assert found.causes[0].hazard == cause
    assert opcode in (None, found.operation.opcode)
    assert text in SOURCE.split("\n")[found.operation.place.line - 1]
    assert found.fields
    assert found.fields[0].a.bits != found.fields[0].b.bits


def test_the_frame_is_the_first_in_which_the_hazard_shows(small: Simulation) -> None:
    found = compare(small, "", "hazard=fma@spring,from=40")
    assert found.frame is not None
    assert found.frame >= 40
    before = [row.differing for row in found.timeline if row.frame < found.frame]
    after = [row.differing for row in found.timeline if row.frame >= found.frame]
    assert not any(before)
    assert after[0] > 0


def test_the_timeline_of_what_init_leaves_begins_there(small: Simulation) -> None:
    found = compare(small, "", "hazard=reciprocal@init")
    assert [row.frame for row in found.timeline[:3]] == [-1, 0, 1]
    assert len(found.timeline) == 121
    assert found.timeline[0].differing == found.differing > 0
    assert found.followed == 120


def test_a_cause_that_nothing_else_explains_is_certain_and_holds_to_the_end(
    small: Simulation,
) -> None:
    found = compare(small, "", "hazard=lanes@step,from=40")
    assert found.certainty == "certain"
    assert found.frame is not None
    assert found.causes[0].holds
    assert found.causes[0].frames_compared == FRAMES - found.frame


def test_what_the_operation_itself_does_comes_before_what_is_around_it(small: Simulation) -> None:
    # Side b traps in that frame: a constant beside it would explain as much.
    found = compare(small, "", f"hazard=changed-operation@small.py:{line('cell = ')}:12,from=40")
    assert found.causes[0].hazard == "changed-operation"
    assert found.causes[0].frames_compared == 1


def test_exposed_operations_are_what_else_the_hazard_would_change(small: Simulation) -> None:
    found = compare(small, "", "hazard=fma@spring,from=40")
    lines = {fact.place.line for fact in found.exposed}
    assert line("state.x[i] = state.x[i] + state.v[i] * 0.1") in lines
    steps = [fact.steps for fact in found.exposed if fact.steps is not None]
    assert steps == sorted(steps)
    assert any(fact.changed for fact in found.exposed)


def test_sides_that_agree_are_the_same(small: Simulation) -> None:
    found = compare(small, "evaluate", "opt=0")
    assert found.same
    assert found.frames == FRAMES


def test_a_hazard_that_changes_nothing_in_the_run_is_the_same(small: Simulation) -> None:
    assert compare(small, "", f"hazard=fma@spring,from={FRAMES}").same


def test_another_version_is_found_by_its_changed_line(small: Simulation, tmp_path: Path) -> None:
    other = tmp_path / "small.py"
    other.write_text(SOURCE.replace("v * 0.01", "v * 0.02"))
    found = compare(small, "", f"source={other}")
    assert found.operation is not None
    assert found.operation.place.line == line("return (rest")
    assert found.causes[0].hazard == "changed-constant"
    assert found.certainty == "certain"


def test_modes_are_two_ways_to_run(small: Simulation) -> None:
    found = compare(small, "", "mode=DETERMINISTIC,contract")
    assert found.causes[0].hazard == "fma"
    assert found.frame == -1
    assert found.operation is not None
    assert found.operation.place.line == line("float32(i) * 0.37")


def test_everything_is_json(small: Simulation) -> None:
    import json

    found = compare(small, "", "hazard=fma@spring,from=40")
    facts = json.loads(json.dumps(found.to_json()))
    assert facts["frame"] == found.frame
    assert facts["causes"][0]["hazard"] == "fma"
    assert not facts["same"]


def test_fast_code_is_found_by_switching_leave_on_and_off(small: Simulation) -> None:
    found = compare(small, "", "mode=FAST")
    assert found.operation is not None
    assert "fast-math enabled" in found.operation.validation
    assert found.causes[0].hazard == "fma"
    assert found.operation.place.line == line("float32(i) * 0.37")


def test_another_precision_is_a_call_of_another_function(small: Simulation) -> None:
    found = compare(small, "", "precision=LOW")
    assert found.operation is not None
    assert found.operation.opcode == "call of sin"
    assert "low" in found.causes[0].expression
    assert found.certainty == "certain"


def test_a_precision_is_that_of_all_calls_and_these_are_exposed(tmp_path: Path) -> None:
    path = tmp_path / "precise.py"
    more = "state.energy = math.sin(total) * 0.5 + math.cos(total) * 0.5"
    path.write_text(SOURCE.replace("state.energy = math.sin(total)", more))
    game = load_simulation(str(path))
    source = PlayerSource(game, "play", 3, FRAMES)
    found = diagnose(game, source, parse_side("", game), parse_side("precision=LOW", game))
    assert (found.causes[0].scope, found.certainty) == ("everywhere", "certain")
    assert [(fact.opcode, fact.place.function) for fact in found.exposed] == [
        ("call of cos", "step")
    ]


def test_other_changes_of_a_source_are_causes_of_their_own(tmp_path: Path) -> None:
    old, new = tmp_path / "old" / "game.py", tmp_path / "new" / "game.py"
    for path in (old, new):
        path.parent.mkdir()
    old.write_text(SOURCE)
    new.write_text(SOURCE.replace("* 0.0617", "* 0.0618").replace("* 0.1\n", "* 0.11\n"))
    game = load_simulation(str(old))
    source = PlayerSource(game, "play", 3, FRAMES)
    found = diagnose(game, source, parse_side("", game), parse_side(f"source={new}", game))
    assert found.certainty == "certain"
    assert found.edits is not None
    assert [[edit.new for edit in answer.edits] for answer in found.edits.answers] == [
        ["0.0618"], ["0.11"],
    ]  # fmt: skip


def test_a_rival_is_tried_as_widely_as_what_explains_the_rest(small: Simulation) -> None:
    # Products of doubles in 53 bits are what double-rounding gives, everywhere.
    found = compare(small, "", "hazard=x87#3,from=40")
    alike = {cause.hazard for cause in found.causes if cause.holds}
    assert "x87" in alike
    assert found.certainty == ("certain" if alike == {"x87"} else "likely")
