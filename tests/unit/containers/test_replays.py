"""A simulation with containers in its state: replays, golden hashes, restored states."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import samebits as sb
from samebits import int32, uint64
from samebits.cli import status
from samebits.sim.load import load_simulation
from samebits.sim.sources import PlayerSource
from samebits.verify.executions import all_rows, choose_rows
from samebits.verify.golden import read_golden

MAZE = Path(__file__).parents[3] / "examples" / "maze"
FRAMES = 130


def test_a_replay_verifies(tmp_path: Path) -> None:
    maze, replay = str(MAZE / "maze.py"), str(tmp_path / "maze.mcap")
    assert status(["record", maze, "--players", "builders", "--frames", "20", "--out", replay]) == 0
    assert status(["verify", maze, replay]) == 0


def test_the_maze_has_its_golden_hashes_and_interpreters_go_on_from_a_state() -> None:
    maze = load_simulation(str(MAZE / "maze.py"))
    written = read_golden(MAZE / "golden.txt")
    assert written.digest == maze.digest
    rows = choose_rows(all_rows())
    native = next(row for row in rows if not row.slow and not row.emulated).make(maze)
    inputs = np.concatenate([b.inputs for b in PlayerSource(maze, None, 1, FRAMES).blocks()])
    native.start(1)
    hashes = [*native.advance(inputs[: FRAMES - 4]).hashes]
    state = native.save()
    hashes += [*native.advance(inputs[FRAMES - 4 :]).hashes]
    expected = {frame: value for frame, value in written.hashes if frame < FRAMES}
    assert {frame: int(hashes[frame]) for frame in expected} == expected
    for row in (row for row in rows if row.slow):
        slow = row.make(maze)
        slow.start(1)
        slow.restore(state)
        assert [*slow.advance(inputs[FRAMES - 4 :]).hashes] == hashes[FRAMES - 4 :]


@sb.struct
class Order:
    what: int32


@sb.struct
class Table:
    seen: sb.Map[int32, int32, 8]


@sb.kernel
def init(state: Table, seed: uint64) -> None:
    state.seen[int32(0)] = 1


@sb.kernel
def step(state: Table, inputs: sb.ReadOnly[Order]) -> None:
    what = inputs[0].what
    if what < 0:
        del state.seen[-what]
    else:
        state.seen[what] = 1


def test_states_with_equal_contents_have_equal_hashes_whatever_their_history() -> None:
    game = sb.Simulation(
        name="table", version="1", state=Table, input=Order, players=1, init=init, step=step
    )
    ends: list[int] = []
    for history in ([5, 7, 9, -5, -9], [7, 7, 7, 7, 7], [9, 8, -9, -8, 7]):
        session = game.start(seed=1)
        inputs = np.zeros((len(history), 1), Order.dtype)
        inputs["what"][:, 0] = history
        ends.append(int(session.run(inputs)[-1]))
    assert ends[0] == ends[1] == ends[2]
