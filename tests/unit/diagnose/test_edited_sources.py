"""Two versions of a source, diagnosed: the line, the operation and the cause are those of the edit,
and so is the column of what was written."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from samebits.diagnose.finding import Diagnosis
from samebits.diagnose.search import diagnose
from samebits.diagnose.sides import parse_side
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
    assert found.certainty == "certain"


def test_a_trap_of_one_version_is_traced(compare: Compare) -> None:
    found = compare("assert state.x[0] > -1e30", "\n    assert state.x[0] > 3.0")
    assert found.operation is not None
    assert (found.operation.place.line, found.operation.opcode) == (line_of("assert"), "const")
    assert found.causes[0].hazard == "changed-constant"
    assert found.causes[0].holds


def test_both_versions_of_the_line_are_evidence(compare: Compare) -> None:
    found = compare("0.1 * away * push", "0.1 * away + push")
    before, after = (f"`state.v[i] -= math.log(x * x + 1.5) + 0.1 * away {c} push`" for c in "*+")
    assert found.causes[0].evidence[0] == f"{before} is {after} on the other side"


def test_a_constant_is_marked_where_it_is_written(compare: Compare) -> None:
    found = compare("x * x + 1.5", "x * x + 2.5")
    assert found.operation is not None
    place = found.operation.place
    assert place.source[place.column : place.end_column] == "1.5"
