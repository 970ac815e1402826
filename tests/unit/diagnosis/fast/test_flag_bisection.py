"""Of all that FAST may rewrite, what makes the difference is found, and confirmed."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from tests.support.runs.observed_frames import ARENA

from samebits.backend.llvm import engine
from samebits.diagnosis.fast.bisection import BisectionResult, FlagBisection
from samebits.diagnosis.fast.candidates import rewritable, with_flags
from samebits.diagnosis.fast.findings import tell
from samebits.diagnosis.frame.points import FramePoint, InitPoint
from samebits.diagnosis.report.findings import Diagnosis
from samebits.frame_trace.record import record
from samebits.sides.run import SideRun, open_run
from samebits.sides.side import parse_side
from samebits.sim.inputs import Inputs
from samebits.sim.load import load_simulation
from samebits.sim.program import Program
from samebits.sim.simulation import Simulation
from samebits.sim.sources import PlayerSource

HOST = engine.host_target()
HEAD = """\
import samebits as sb
from samebits import float32, float64, int32, math, uint64

@sb.struct
class State:
    x: sb.FixedArray[float32, 100]
    a: float32
    b: float32
    c: float32
    n: int32

@sb.struct
class Input:
    k: float32

@sb.kernel
def init(state: State, seed: uint64) -> None:
    for i in range(100):
        state.x[i] = float32(i * i + 1) * float32(0.01)
    state.a = 1.1
    state.b = 0.7
    state.c = 3.0

"""
TAIL = """
GAME = sb.Simulation(
    name="free", version="1", state=State, input=Input, players=1, init=init, step=step,
    scripts={"one": lambda frame, player, seed: {"k": 1.25 + 0.3 * frame}},
)
"""


@dataclass(frozen=True)
class Case:
    """A step, the text of the line on which operations have to be rewritten, and the flags."""

    step: str
    line: str
    flags: tuple[str, ...]
    what: tuple[str, ...]
    fma: bool = False


CASES = {
    "fused": Case(
        "    state.n += 1\n    state.c = state.c + state.b\n"
        "    state.a = state.a * inputs[0].k + state.b\n    state.b = -state.b\n",
        "state.a * inputs[0].k", ("contract",), ("add",), fma=True,
    ),
    "twice fused": Case(
        "    state.a = state.x[8] * inputs[0].k + state.x[10]\n"
        "    state.c = state.x[8] * inputs[0].k + state.x[11]\n",
        "state.x[10]", ("contract",), ("add",), fma=True,
    ),
    "regrouped": Case(
        "    state.a = state.a * state.b\n    total = float32(0)\n"
        "    for i in range(100):\n        total += state.x[i]\n    state.c = total\n",
        "for i in range(100)", ("reassoc",), ("for",),
    ),
    "cancelled": Case(
        "    state.b = state.b * state.b\n    state.c = (state.a + state.x[0]) - state.a\n",
        "(state.a + state.x[0]) - state.a", ("reassoc", "nsz"), ("add", "sub"),
    ),
    "reciprocal": Case(
        "    d = state.a + inputs[0].k\n    state.a = state.b / d\n    state.c = state.c / d\n"
        "    state.b = state.x[3] / d\n",
        "/ d", ("arcp",), ("div",),
    ),
}  # fmt: skip


def simulation(folder: Path, name: str) -> Simulation:
    path = folder / f"free_{name}.py"
    step = "@sb.kernel\ndef step(state: State, inputs: sb.ReadOnly[Input]) -> None:\n"
    path.write_text(f"{HEAD}{step}{CASES[name].step}{TAIL}")
    return load_simulation(str(path))


def after(running: SideRun, frame: int, before: bytes, row: Inputs) -> bytes:
    running.restore_canonical(frame, before)
    running.advance(row)
    return running.save()


def search(game: Simulation, b: str, frame: int = 2, **more: object) -> FlagBisection:
    """A search in a frame of a run of the plain side."""
    source = next(iter(PlayerSource(game, "one", 1, frame + 1).blocks()))
    plain, side = open_run(parse_side("", game)), parse_side(b, game)
    plain.start(1)
    plain.advance(source.inputs[:frame])
    before, row = plain.save(), source.inputs[frame:]
    a_after = after(plain, frame, before, row)
    b_after = after(open_run(side), frame, before, row)
    return FlagBisection(side, FramePoint(before, row), a_after, b_after, **more)  # type: ignore[arg-type]


def found(game: Simulation, b: str = "mode=FAST", **more: object) -> BisectionResult:
    return search(game, b, **more).run()


@pytest.mark.parametrize("opt", [0, 3])
@pytest.mark.parametrize("name", CASES)
def test_the_operations_that_make_the_difference_are_found(
    tmp_path: Path, name: str, opt: int
) -> None:
    case = CASES[name]
    if case.fma and not HOST.has_fma:
        pytest.skip("this processor fuses nothing")
    game = simulation(tmp_path, name)
    one = search(game, f"mode=FAST,opt={opt}")
    out = one.run()
    if one.a_after == one.b_after:
        assert opt == 0
        assert out.notes == ["both sides give the same state: there is nothing to explain"]
        return
    assert (out.is_confirmed, out.is_minimal, out.notes) == (True, True, [])
    assert {o.what for o in out.operations} <= {*case.what}
    assert len(out.operations) <= 3
    assert out.flags == case.flags
    lines = (tmp_path / f"free_{name}.py").read_text().splitlines()
    for operation in out.operations:
        assert case.line in lines[operation.span.line - 1]
    assert 0 < out.explained <= out.differing
    assert out.runs < 40


def test_only_what_is_found_gives_the_bits(tmp_path: Path) -> None:
    game = simulation(tmp_path, "regrouped")
    one = search(game, "mode=FAST")
    out = one.run()
    assert out.is_whole
    for place in (operation.place for operation in out.operations):
        enabled = {o.place: out.flags for o in out.operations if o.place != place}
        execution = one.b.execution(with_flags(one.b, enabled))
        assert one.point.run(execution) == one.a_after


@pytest.mark.parametrize("goal", ["speed", "size"])
def test_what_has_leave_is_compiled_for_the_goal_of_the_side(tmp_path: Path, goal: str) -> None:
    game = simulation(tmp_path, "regrouped")
    side = parse_side(f"mode=FAST,optimize_for={goal}", game)

    def goals(program: Program) -> list[str]:
        return [program.module.functions[name].options.optimize_for for name in program.entries]

    assert goals(with_flags(side, {})) == goals(side.program)


def test_some_of_the_state_is_explained(tmp_path: Path) -> None:
    if not HOST.has_fma:
        pytest.skip("this processor fuses nothing")
    game = simulation(tmp_path, "twice fused")
    some = found(game)
    assert some.differing == 2
    assert (some.explained, len(some.operations), some.is_whole) == (1, 1, False)


def test_init_is_searched_too() -> None:
    plain, fast = (parse_side(text, ARENA) for text in ("opt=0", "mode=FAST,opt=0"))
    states = [InitPoint(1).run(open_run(side).execution) for side in (plain, fast)]
    if states[0] == states[1]:
        assert not HOST.has_fma
        return
    out = FlagBisection(fast, InitPoint(1), *states).run()
    assert out.is_confirmed
    assert {o.place.function for o in out.operations} <= {"arena.draw", "arena.spawn_asteroid"}
    assert out.flags == ("contract",)


def test_only_operations_that_were_executed_are_tried(tmp_path: Path) -> None:
    game = simulation(tmp_path, "fused")
    one = search(game, "mode=FAST")
    places = rewritable(one.b, one.point)
    kernels = one.b.linked.kernels.functions
    assert {place.function for place in places} == {one.b.plain.step}
    assert all(kernels[place.function].options.mode.name == "FAST" for place in places)
    strict = parse_side("", game)
    assert rewritable(strict, one.point) == []


def test_what_rewriting_does_not_explain_is_reported(tmp_path: Path) -> None:
    game = simulation(tmp_path, "regrouped")
    rounded = found(game, "mode=FAST,fpenv=up")
    assert not rounded.is_confirmed
    assert rounded.notes == [
        "with no operation free the side's code does not give side a's bits: something else than "
        "rewriting makes a difference"
    ]
    strict = search(game, "mode=FAST")
    strict.b_after = bytes(reversed(strict.b_after or b""))
    out = strict.run()
    assert (out.is_confirmed, out.operations) == (False, ())


def test_a_search_that_has_no_runs_left_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("samebits.diagnosis.fast.bisection.STATEMENTS", 0)
    out = found(simulation(tmp_path, "regrouped"))
    assert not out.is_minimal
    assert out.notes[0].startswith("stopped after 0 runs")


def test_no_clock_decides_what_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = simulation(tmp_path, "cancelled")
    expected = found(game)
    hours = iter(range(0, 10**9, 3600))
    for clock in ("perf_counter", "monotonic", "time"):
        monkeypatch.setattr(time, clock, lambda: float(next(hours)))
    out = found(game)
    assert expected.is_minimal
    assert expected.runs > 5
    assert (out.operations, out.flags, out.runs) == (
        expected.operations, expected.flags, expected.runs,
    )  # fmt: skip


def test_what_may_be_more_than_is_needed_is_never_likely(tmp_path: Path) -> None:
    game = simulation(tmp_path, "reciprocal")
    out = found(game)
    assert out.is_whole
    model = parse_side("", game).model(2)
    assert model is not None
    inputs = next(iter(PlayerSource(game, "one", 1, 1).blocks())).inputs
    trace = record(model, np.zeros(1, model.memory.dtype), inputs[0])
    for minimal, said in ((True, "certain"), (False, "possible")):
        out.is_minimal = minimal
        diagnosis = Diagnosis(simulation="free", version="1", seed=1, a="", b="", frames=1)
        tell(diagnosis, out, trace)
        assert diagnosis.certainty == said
