"""One world as a session, saved worlds, and replays of episodes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.support.batches import inputs_of
from tests.support.command_line import called
from tests.support.folders import SIMULATIONS
from tests.support.simulations.small_simulation import SMALL

import samebits as sb
from samebits.backend.llvm import engine
from samebits.errors import ArgumentError, ReplayError, Trap
from samebits.sim.batch.batch import Batch
from samebits.sim.batch.traps import WorldTrap

SOURCE = SIMULATIONS / "small_simulation.py"


def small_inputs(n: int, frames: int, seed: int = 1) -> np.ndarray:
    inputs = inputs_of(SMALL, n, frames, seed)
    inputs["at"] %= 5
    return inputs


def verified(path: Path) -> None:
    """The replay's hashes are those of a session that plays its inputs."""
    replay = sb.Replay.open(path, SMALL)
    assert replay.damage is None
    assert replay.hashes is not None
    session = SMALL.start(replay.header.seed)
    assert session.run(replay.inputs).tolist() == replay.hashes.tolist()


# A world -------------------------------------------------------------------------------------


def test_a_world_is_a_session_over_the_batch_s_memory() -> None:
    inputs = small_inputs(5, 8)
    batch = SMALL.batch(5, seeds=2)
    world, session = batch.world(3), SMALL.start(int(batch.seeds[3]))
    batch.step(inputs[0])
    session.step(inputs[0, 3])
    assert (world.frame, world.hash(), world.seed) == (1, session.hash(), session.seed)
    world.step(inputs[1, 3])
    assert (world.run(inputs[2:6, 3]) == session.run(inputs[1:6, 3])[1:]).all()
    assert batch.frames.tolist() == [1, 1, 1, 6, 1]
    assert batch.hashes()[3] == session.hash() == world.hash()
    session.restore(world.save())
    assert world.save() == session.save()
    world.restore(SMALL.start(99).save())
    assert (batch.frames[3], batch.seeds[3]) == (0, 99)
    assert world.state.frame == 0
    world.state.frame = 7
    assert batch.states["frame"][3] == 7


def test_a_trap_in_a_world_s_own_step_is_a_session_s() -> None:
    inputs = small_inputs(2, 3)
    inputs["at"][1, 0, 0] = 99
    inputs["fire"][1, 0, 0] = False
    batch = SMALL.batch(2, keep=10)
    with pytest.raises(Trap, match="in frame 1; the state"):
        batch.world(0).run(inputs[:, 0])
    assert batch.frames.tolist() == [1, 0]
    assert not batch.traps
    batch.step(inputs[2])
    assert batch.frames.tolist() == [2, 1]


# Saved worlds ---------------------------------------------------------------------------------


def test_saved_worlds_return_to_their_frames() -> None:
    inputs = small_inputs(6, 8)
    batch = SMALL.batch(6, seeds=1)
    first = batch.run(inputs[:4])
    saved, some = batch.save(), batch.save([1, 4])
    last = batch.run(inputs[4:])
    batch.reset([0, 1])
    batch.restore(saved)
    assert batch.episodes.tolist() == [0] * 6
    assert (batch.hashes() == first[-1]).all()
    assert (batch.run(inputs[4:]) == last).all()
    batch.restore(some)
    assert batch.frames.tolist() == [8, 4, 8, 8, 4, 8]
    assert batch.hashes()[[1, 4]].tolist() == first[-1][[1, 4]].tolist()


def test_saved_worlds_go_to_other_batches_and_places() -> None:
    inputs = small_inputs(4, 4)
    batch, other = SMALL.batch(4, seeds=1), SMALL.batch(2, seeds=5)
    batch.run(inputs)
    other.restore(batch.save([3, 0]), [0, 1])
    assert other.hashes().tolist() == batch.hashes()[[3, 0]].tolist()
    assert other.seeds.tolist() == batch.seeds[[3, 0]].tolist()


def damaged(saved: bytes) -> list[bytes]:
    return [b"", saved[:20], saved[:-1], saved + b"0", saved[:60] + b"X" + saved[61:]]


def test_damaged_and_foreign_bytes_are_refused_and_change_nothing() -> None:
    batch = SMALL.batch(3, seeds=1)
    batch.run(small_inputs(3, 2))
    saved, before = batch.save(), batch.hashes()
    for wrong in [*damaged(saved), SMALL.start(1).save()]:
        with pytest.raises(ReplayError):
            batch.restore(wrong)
    other = sb.Simulation(
        name="small", version="2", state=SMALL.state, input=SMALL.input, players=2,
        init=SMALL.init, step=SMALL.step,
    )  # fmt: skip
    with pytest.raises(ReplayError, match="another simulation"):
        batch.restore(other.batch(3).save())
    with pytest.raises(ArgumentError, match="bytes, not int"):
        batch.restore(3)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="3 worlds were saved, and are to go to 2"):
        batch.restore(saved, [0, 1])
    with pytest.raises(ArgumentError, match="no world 2"):
        SMALL.batch(2).restore(batch.save(2))
    assert batch.hashes().tolist() == before.tolist()


# Replays ----------------------------------------------------------------------------------


def played() -> tuple[Batch, np.ndarray]:
    inputs = small_inputs(4, 12)
    batch = SMALL.batch(4, seeds=[5, 6, 7, 8], keep=20)
    batch.run(inputs[:5])
    batch.reset([1, 2])
    for frame in range(5, 9):
        batch.step(inputs[frame])
    batch.world(1).run(inputs[9:11, 1])
    return batch, inputs


@pytest.mark.parametrize(
    ("world", "episode", "frames"),
    [(0, 0, range(9)), (1, 0, range(5)), (1, 1, range(5, 11)), (2, None, range(5, 9))],
)
def test_episodes_become_replays(
    world: int, episode: int | None, frames: range, tmp_path: Path
) -> None:
    batch, inputs = played()
    path = tmp_path / "odd.mcap"
    assert batch.replay(world, path, episode) == len(frames)
    replay = sb.Replay.open(path, SMALL)
    expected = SMALL.inputs.to_bytes(inputs[frames.start : frames.stop, world])
    assert SMALL.inputs.to_bytes(replay.inputs) == expected
    verified(path)


def test_samebits_verify_accepts_a_world_s_replay(tmp_path: Path) -> None:
    batch, _ = played()
    path = tmp_path / "odd.mcap"
    batch.replay(1, path)
    targets = f"managed,evaluate,{engine.host_target().name}"
    assert called("verify", SOURCE, path, "--targets", targets) == 0


def test_a_replay_follows_what_was_restored(tmp_path: Path) -> None:
    inputs = small_inputs(3, 12)
    batch = SMALL.batch(3, seeds=1, keep=20)
    batch.run(inputs[:6])
    saved = batch.save()
    batch.run(inputs[6:9])
    batch.restore(saved, [0, 1, 2])
    batch.world(1).restore(SMALL_AT(batch, 1, inputs[:2]))
    expected = batch.run(inputs[9:12])
    for world, count in ((0, 9), (1, 5)):
        path = tmp_path / f"{world}.mcap"
        assert batch.replay(world, path) == count
        replay = sb.Replay.open(path, SMALL)
        assert replay.hashes is not None
        assert replay.hashes[-3:].tolist() == expected[:, world].tolist()
        verified(path)


def SMALL_AT(batch: Batch, world: int, inputs: np.ndarray) -> bytes:  # noqa: N802
    """The world's session after some frames."""
    session = SMALL.start(int(batch.seeds[world]))
    session.run(inputs[:, world])
    return session.save()


def test_a_replay_ends_with_the_frame_that_trapped(tmp_path: Path) -> None:
    inputs = small_inputs(3, 6)
    inputs["at"][4, 2, 1] = 99
    inputs["fire"][4, 2, 1] = False
    batch = SMALL.batch(3, keep=10)
    with pytest.raises(WorldTrap):
        batch.run(inputs)
    assert batch.replay(2, tmp_path / "now.mcap") == 5
    batch.reset()
    assert batch.replay(2, tmp_path / "then.mcap", 0) == 5
    for name in ("now", "then"):
        replay = sb.Replay.open(tmp_path / f"{name}.mcap", SMALL)
        session = SMALL.start(replay.header.seed)
        with pytest.raises(Trap, match="nobody is at 99"):
            session.run(replay.inputs)
        assert session.frame == 4


def test_what_is_not_kept_is_refused(tmp_path: Path) -> None:
    inputs = small_inputs(3, 12)
    path = tmp_path / "odd.mcap"
    batch = SMALL.batch(3, keep=8)
    batch.run(inputs)
    with pytest.raises(ReplayError, match="first frames of episode 0 of world 1 are not kept"):
        batch.replay(1, path)
    batch.reset()
    assert batch.replay(1, path) == 0
    batch.run(inputs[:7])
    with pytest.raises(ReplayError, match="episode 0 of world 1 are not kept"):
        batch.replay(1, path, 0)
    batch.states["frame"][1] = 3
    with pytest.raises(ReplayError, match="not that of its inputs"):
        batch.replay(1, tmp_path / "hand.mcap")
    assert not (tmp_path / "hand.mcap").exists()
    batch.restore(SMALL.batch(3, seeds=4).save())
    with pytest.raises(ReplayError, match="keeps no inputs"):
        SMALL.batch(3).replay(0, path)
    with pytest.raises(ArgumentError, match="has had no episode 2"):
        batch.replay(0, path, 2)
