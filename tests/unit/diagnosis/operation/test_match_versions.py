"""Two versions of a source: what stays the same keeps its number, and what changed is named."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from samebits.diagnosis.operation.match_versions import MatchedVersion, match_versions
from samebits.errors import Span
from samebits.ir.analysis.budget import Budget
from samebits.ir.grammar import Function, Module, Op, Statement, Value, walk
from samebits.ir.verify import verify
from samebits.sim.load import load_simulation
from samebits.types import FLOAT32

SOURCE = """
import samebits as sb
from samebits import float32, uint64

@sb.struct
class State:
    x: float32
    v: float32

@sb.struct
class Input:
    push: float32

@sb.kernel
def pull(x: float32, v: float32) -> float32:
    return x * float32(0.25) + v

@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.x = 1.0

@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    for i in range(3):
        state.v -= pull(state.x, inputs[0].push)
    if state.x < 4.0:
        state.x += state.v

SMALL = sb.Simulation(name="small", version="1", state=State, input=Input, players=1,
                      init=init, step=step)
"""


def kernels(folder: Path, text: str) -> Module:
    folder.mkdir()
    path = folder / "small.py"
    path.write_text(text)
    sys.modules.pop("small", None)
    return load_simulation(str(path)).program.kernels


def versions(
    tmp_path: Path, old: str, new: str, budget: Budget | None = None
) -> tuple[Module, MatchedVersion]:
    assert old in SOURCE
    first = kernels(tmp_path / "first", SOURCE)
    second = kernels(tmp_path / "second", SOURCE.replace(old, new))
    return first, match_versions(first, second, budget)


def test_the_same_source_has_no_changes_and_the_same_numbers(tmp_path: Path) -> None:
    first, aligned = versions(tmp_path, "import samebits", "# a comment\nimport samebits")
    assert not aligned.changes
    assert aligned.module.functions.keys() == first.functions.keys()
    for name, function in first.functions.items():
        ids = [(s.id, s.opcode) for s in walk(function.body) if isinstance(s, Op)]
        other = aligned.module.functions[name]
        assert ids == [(s.id, s.opcode) for s in walk(other.body) if isinstance(s, Op)]


CHANGES = [
    ("0.25", "0.5", "constant", "0.25 became 0.5", 16),
    ("state.x += state.v", "state.x -= state.v", "operation", "+ became -", 27),
    ("state.x < 4.0", "state.x <= 4.0", "operation", "< became <=", 26),
    ("range(3)", "range(4)", "constant", "3 became 4", 24),
    ("float32(0.25) + v", "float32(0.25) - v", "operation", "+ became -", 16),
    ("x * float32", "x + float32", "operation", "* became +", 16),
]


@pytest.mark.parametrize(("old", "new", "kind", "text", "line"), CHANGES)
def test_a_change_is_named_where_it_is(
    tmp_path: Path, old: str, new: str, kind: str, text: str, line: int
) -> None:
    _, aligned = versions(tmp_path, old, new)
    (change,) = aligned.changes
    assert (change.kind, change.text) == (kind, text)
    assert change.a is not None
    assert change.a.line == line
    verify(aligned.module)


def test_operands_the_other_way_round_are_a_change(tmp_path: Path) -> None:
    _, aligned = versions(
        tmp_path, "pull(state.x, inputs[0].push)", "pull(inputs[0].push, state.x)"
    )
    assert aligned.changes
    assert {c.a.line for c in aligned.changes if c.a} == {25}
    verify(aligned.module)


def test_what_follows_an_added_line_keeps_its_numbers(tmp_path: Path) -> None:
    first, aligned = versions(
        tmp_path, "    if state.x", "    state.v = state.v * float32(0.5)\n    if state.x"
    )
    assert {c.kind for c in aligned.changes} == {"added"}
    verify(aligned.module)
    name = next(n for n in first.functions if ".step" in n)
    old = {s.id for s in walk(first.functions[name].body) if isinstance(s, Op)}
    new = {s.id for s in walk(aligned.module.functions[name].body) if isinstance(s, Op)}
    assert old <= new


@pytest.mark.parametrize(("old", "new", "kind"), [
    ("    if state.x", "    state.v = state.v * float32(0.5)\n    if state.x", "added"),
    ("        state.v -= pull(state.x, inputs[0].push)\n", "        pass\n", "removed"),
])  # fmt: skip
def test_of_functions_too_large_the_ends_are_matched(
    tmp_path: Path, old: str, new: str, kind: str
) -> None:
    few = Budget(matching=0)
    first, aligned = versions(tmp_path, old, new, few)
    assert few.operations == Budget().operations
    assert kind in {c.kind for c in aligned.changes}
    verify(aligned.module)
    name = next(n for n in first.functions if ".step" in n)
    mine, other = (
        [s for s in walk(module.functions[name].body) if isinstance(s, Op)]
        for module in (first, aligned.module)
    )
    ends = [(s.id, s.opcode) for s in (mine[0], mine[-1])]
    assert ends == [(s.id, s.opcode) for s in (other[0], other[-1])]


def test_functions_of_many_alike_statements_are_matched_in_time() -> None:
    span = Span("big.py", 1, 0, 1, 1, "big")

    def big(count: int) -> Module:
        ops: list[Statement] = [
            Op(i, "const", (), 0.5 + i, (Value(i, 0, FLOAT32),), span) for i in range(count)
        ]
        return Module({"big": Function("big", (), (), {}, {}, ops, span)})

    aligned = match_versions(big(30_000), big(30_001))
    assert [change.kind for change in aligned.changes].count("added") == 1
