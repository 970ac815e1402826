"""Simulations that print: sessions show it, verification and diagnosis do not, exports lack it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import samebits as sb
from samebits import float64, int32, uint64
from samebits.backend.targets.table import TARGETS
from samebits.export.library import kernels_of
from samebits.runtime.objects.output_buffer import has_output
from samebits.sim.rollback import Rollback
from samebits.sim.sources import PlayerSource
from samebits.verify.executions import all_rows, choose_rows
from samebits.verify.verification import Verification


@sb.struct
class State:
    x: float64
    n: int32


@sb.struct
class Input(sb.Struct):
    move: int32


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.x = float64(seed)
    print("init", state.x)


def told() -> Any:
    @sb.kernel
    def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
        state.x += float64(inputs[0].move)
        if state.n < 100:
            print("frame", state.n, state.x)
        state.n += 1
        sb.trace("x", state.x)

    return step


def quiet() -> Any:
    @sb.kernel(prints=False)
    def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
        state.x += float64(inputs[0].move)
        if state.n < 100:
            pass
        state.n += 1

    return step


def computing() -> Any:
    @sb.kernel
    def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
        state.x += float64(inputs[0].move)
        if state.n < 100:
            print(10 // state.n)
        state.n += 1

    return step


def climb(frame: int, player: int, seed: int) -> dict[str, object]:
    return {"move": frame % 3}


def simulation(step: Callable[[], Any]) -> sb.Simulation:
    return sb.Simulation(
        name="told", version="1", state=State, input=Input, players=1, init=init, step=step(),
        tick_rate=60, scripts={"climb": climb},
    )  # fmt: skip


TOLD = simulation(told)
LINES = ["init 7.0", "frame 0 7.0", "frame 1 8.0", "frame 2 8.0"]


def test_frames_that_are_played_again_print_again(capsys: Any) -> None:
    rollback = Rollback(TOLD, 2, 7)
    inputs = np.array([[(0,)], [(1,)], [(0,)]], Input.dtype)
    assert len(rollback.play(0, inputs)) == 3
    assert capsys.readouterr().out.splitlines() == LINES
    rollback.play(2, inputs[2:])
    assert capsys.readouterr().out.splitlines() == LINES[3:]


def test_a_session_prints_what_its_frames_print(capsys: Any) -> None:
    with sb.tracing() as records:
        session = TOLD.start(seed=7)
        session.step([{"move": 0}])
        inputs = np.zeros((2, 1), Input.dtype)  # pyright: ignore[reportUnknownVariableType]
        inputs["move"][0] = 1
        session.run(inputs)
    assert capsys.readouterr().out.splitlines() == LINES
    assert [record.value for record in records] == [7.0, 8.0, 8.0]


def test_verification_compares_hashes_and_prints_nothing(capsys: Any) -> None:
    verification = Verification(
        TOLD, PlayerSource(TOLD, "climb", 3, 30), tuple(choose_rows(all_rows()))
    )
    with sb.tracing() as records:
        verification.run(lambda what, frames: None)
    assert verification.same
    assert len([row for row in verification.rows if row.frames == 30]) > 3
    assert capsys.readouterr().out == ""
    assert records == []


def test_diagnosis_and_reports_print_nothing(tmp_path: Path, capsys: Any) -> None:
    path = str(tmp_path / "told.mcap")
    with TOLD.record(path, seed=7) as recording:
        recording.run(np.zeros((9, 1), Input.dtype))
    assert capsys.readouterr().out.splitlines()[:2] == LINES[:2]
    assert sb.diagnose(TOLD, path, b="opt=0").frame is None
    assert sb.make_report(TOLD, path, range(3, 6), trace=5)
    assert capsys.readouterr().out == ""


def test_code_for_elsewhere_has_no_output() -> None:
    target = TARGETS["x86-64-v2"]
    assert has_output(TOLD.program.compiled(target, 3).traps)
    assert not has_output(TOLD.program.compiled(target, 3, exported=True).traps)
    assert not has_output(kernels_of(TOLD.program).sites(target))


def test_a_plain_print_leaves_the_simulation_what_it_is() -> None:
    assert TOLD.digest == simulation(quiet).digest
    assert TOLD.digest != simulation(computing).digest
