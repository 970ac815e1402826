"""A trap in a world stops that world alone; an interrupt leaves everything as it was."""

from __future__ import annotations

import contextlib
import pickle
from functools import cache

import numpy as np
import pytest
from tests.support.batches import hashes_alone, inputs_of, workers
from tests.support.interrupting import Interrupt, at_each
from tests.support.simulations.small_simulation import SMALL

import samebits as sb
from samebits import uint64
from samebits.backend.records import LEFT
from samebits.runtime.threads import preempt
from samebits.sim.batch.loops import BLOCK_BYTES, MOST_BLOCK
from samebits.sim.batch.traps import WorldTrap

FRAMES = 9


def inputs_with(traps: dict[int, int], n: int = 8) -> np.ndarray:
    """Inputs with which world w traps in frame `traps[w]`."""
    inputs = inputs_of(SMALL, n, FRAMES)
    inputs["at"] %= 5
    for world, frame in traps.items():
        inputs["at"][frame, world, 0] = 99
        inputs["fire"][frame, world, 0] = False
    return inputs


WORLDS = 3 * MOST_BLOCK + 5
TRAPS = {2: 5, 3: 5, MOST_BLOCK: 0, 2 * MOST_BLOCK + 1: 8, WORLDS - 1: 3}


@cache
def inputs_of_blocks() -> np.ndarray:
    return inputs_with(TRAPS, WORLDS)


@cache
def run_alone(world: int, seed: int) -> list[int]:
    """The hashes of one of these worlds, until it traps, in a session of its own."""
    inputs = inputs_of_blocks()[: TRAPS.get(world, FRAMES), world]
    return SMALL.start(seed).run(inputs).tolist()


@pytest.mark.parametrize("count", [1, 2])
def test_traps_in_several_blocks_stop_their_worlds_alone(count: int) -> None:
    n, traps = WORLDS, TRAPS
    assert SMALL.state_type.size * MOST_BLOCK <= BLOCK_BYTES
    inputs = inputs_of_blocks()
    with workers(count):
        batch = SMALL.batch(n, seeds=3)
        with pytest.raises(WorldTrap) as caught:
            batch.run(inputs)
        stepped = SMALL.batch(n, seeds=3)
        for frame in inputs:
            with contextlib.suppress(WorldTrap):
                stepped.step(frame)
    assert caught.value.frames == traps
    assert stepped.traps.keys() == batch.traps.keys() == traps.keys()
    assert stepped.frames.tolist() == batch.frames.tolist()
    assert stepped.hashes().tolist() == batch.hashes().tolist()
    found = caught.value.hashes
    assert found is not None
    for world in range(n):
        alone = run_alone(world, int(batch.seeds[world]))
        assert found[: len(alone), world].tolist() == alone
        assert not found[len(alone) :, world].any()


@pytest.mark.parametrize("count", [1, 2])
def test_a_trap_stops_its_world_alone_and_is_named(count: int) -> None:
    traps = {2: 5, 6: 0, 7: 8}
    inputs = inputs_with(traps)
    with workers(count):
        batch = SMALL.batch(8, seeds=3)
        with pytest.raises(WorldTrap, match="nobody is at 99") as caught:
            batch.run(inputs)
    assert caught.value.frames == traps
    assert caught.value.note.startswith("in frame 5 of world 2 of 8; so did worlds 6, 7;")
    assert {w: t.kind for w, t in caught.value.worlds.items()} == dict.fromkeys(traps, "assert")
    assert batch.traps.keys() == traps.keys()
    assert batch.frames.tolist() == [traps.get(w, FRAMES) for w in range(8)]
    hashes = batch.hashes()
    found = caught.value.hashes
    assert found is not None
    for world in range(8):
        session = SMALL.start(int(batch.seeds[world]))
        alone = session.run(inputs[: traps.get(world, FRAMES), world])
        assert session.hash() == hashes[world]
        assert found[: len(alone), world].tolist() == alone.tolist()
        assert not found[len(alone) :, world].any()


def test_a_stopped_world_stands_still_until_it_is_reset_or_restored() -> None:
    inputs = inputs_with({1: 2, 4: 2})
    batch = SMALL.batch(8, seeds=3)
    batch.run(inputs[:2])
    saved = batch.save()
    with pytest.raises(WorldTrap):
        batch.step(inputs[2])
    batch.run(inputs[3:5])
    assert batch.frames.tolist() == [5, 2, 5, 5, 2, 5, 5, 5]
    batch.reset(1)
    batch.step(inputs[5])
    assert batch.frames.tolist() == [6, 1, 6, 6, 2, 6, 6, 6]
    assert batch.traps.keys() == {4}
    batch.restore(saved)
    assert not batch.traps
    batch.step(inputs[0])
    assert batch.frames.tolist() == [3] * 8


def test_every_world_may_trap_at_once() -> None:
    inputs = inputs_with(dict.fromkeys(range(50), 1), 50)
    with workers(2):
        batch = SMALL.batch(50)
        with pytest.raises(WorldTrap, match="world 0 of 50"):
            batch.run(inputs)
    assert batch.frames.tolist() == [1] * 50
    assert list(batch.traps) == list(range(50))


@sb.kernel
def fragile_init(state: SMALL.state, seed: uint64) -> None:
    assert seed % 5 != 3, "no such world"
    state.random = 5


FRAGILE = sb.Simulation(
    name="fragile", version="1", state=SMALL.state, input=SMALL.input, players=2,
    init=fragile_init, step=SMALL.step,
)  # fmt: skip


def test_a_trap_in_init_stops_its_world_alone() -> None:
    with pytest.raises(WorldTrap, match="in init of world 1 of 2"):
        FRAGILE.batch(2, seeds=[5, 8])
    batch = FRAGILE.batch(3, seeds=[5, 6, 7])
    with pytest.raises(WorldTrap, match="no such world") as caught:
        batch.reset([2, 1], seeds=[10, 13])
    assert caught.value.frames == {1: -1}
    batch.run(inputs_with({}, 3))
    assert batch.frames.tolist() == [FRAMES, 0, FRAMES]
    assert batch.states["random"][1] == 0


def test_a_trap_of_worlds_can_be_sent_to_another_process() -> None:
    batch = SMALL.batch(8)
    with pytest.raises(WorldTrap) as caught:
        batch.run(inputs_with({3: 1}))
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (copy.frames, copy.note) == ({3: 1}, caught.value.note)


@pytest.mark.parametrize("keep", [0, 4])
def test_an_interrupt_at_any_bytecode_leaves_worlds_at_their_frames(keep: int) -> None:
    inputs = inputs_with({1: 6}, 3)
    batch = SMALL.batch(3, seeds=[7, 8, 9], keep=keep)
    known = np.concatenate([[batch.hashes()], hashes_alone(SMALL, [7, 8, 9], inputs[:6])])
    start, world = batch.save(), batch.world(2)

    def play() -> None:
        batch.restore(start)
        batch.step(inputs[0])
        batch.run(inputs[1:4])
        saved = batch.save()
        batch.run(inputs[4:6])
        batch.reset([0, 2], seeds=[7, 9])
        batch.restore(saved)
        batch.reset(1, seeds=[8])
        world.step(inputs[4, 2])

    seen: set[tuple[int, ...]] = set()

    def check() -> None:
        frames = batch.frames
        seen.add(tuple(frames.tolist()))
        assert batch.hashes().tolist() == [int(known[f, w]) for w, f in enumerate(frames)]
        assert batch.seeds.tolist() == [7, 8, 9]
        batch.restore(start)

    assert at_each(play, check, Interrupt, stride=3) > 100
    assert {(1, 1, 1), (4, 4, 4), (6, 6, 6), (0, 6, 0), (4, 0, 4), (4, 0, 5)} <= seen


def test_an_interrupt_around_a_trap_leaves_worlds_at_their_frames() -> None:
    inputs = inputs_with({1: 2}, 3)
    batch = SMALL.batch(3, seeds=[7, 8, 9])
    known = np.concatenate([[batch.hashes()], hashes_alone(SMALL, [7, 8, 9], inputs[:2])])
    start = batch.save()

    def play() -> None:
        batch.restore(start)
        batch.step(inputs[0])
        try:
            batch.run(inputs[1:2])
            batch.step(inputs[2])
        except WorldTrap:
            batch.hashes()

    def check() -> None:
        frames = batch.frames
        if frames.max() < 3:
            assert batch.hashes().tolist() == [int(known[f, w]) for w, f in enumerate(frames)]
        else:
            assert frames.tolist() == [3, 2, 3]
            assert batch.traps.keys() == {1}
            assert batch.hashes()[1] == known[2, 1]
        batch.restore(start)

    assert at_each(play, check, Interrupt) > 50


@pytest.mark.parametrize("keep", [0, 20])
def test_an_interrupt_that_comes_behind_the_last_frame_leaves_worlds_at_their_frames(
    keep: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Native code looks for one last when its work is done, and is then inside of no world."""
    batch = SMALL.batch(3, seeds=[7, 8, 9], keep=keep)
    inputs = inputs_with({}, 3)
    batch.run(inputs)
    frames, hashes, kept = batch.frames.copy(), batch.hashes(), batch.save()
    worlds = batch.opened("run", True)
    monkeypatch.setattr(preempt, "raised", Interrupt)
    for call, played in (
        (worlds._run, lambda: batch.run(inputs)),
        (worlds._step, lambda: batch.step(inputs[0])),
    ):
        run = call.run
        monkeypatch.setattr(call, "run", lambda run=run: run() or LEFT)
        with pytest.raises(Interrupt):
            played()
        monkeypatch.setattr(call, "run", run)
        assert (batch.frames == frames).all()
        assert (batch.hashes() == hashes).all()
        assert batch.save() == kept
        assert not batch.traps
    batch.run(inputs)
    again = SMALL.batch(3, seeds=[7, 8, 9])
    again.run(inputs)
    again.run(inputs)
    assert (batch.hashes() == again.hashes()).all()
