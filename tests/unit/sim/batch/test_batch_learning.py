"""What learners see of a frame comes with it, in their own arrays, and changes no state."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.support.batches import hashes_alone, inputs_of, workers
from tests.support.interrupting import Interrupt, at_each
from tests.support.shared_ranges import ranges_shared
from tests.support.simulations import duel_simulation as duel
from tests.support.simulations import walk_simulation as walk
from tests.support.simulations.duel_simulation import DUEL
from tests.support.simulations.small_simulation import SMALL
from tests.support.simulations.walk_simulation import WALK, Seen, State

import samebits as sb
from samebits import float64, int32
from samebits.errors import ArgumentError, SimulationError
from samebits.sim.batch.seeds import episode_seed
from samebits.sim.batch.traps import WorldTrap
from samebits.sim.simulation import Simulation

Arrays = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def arrays(n: int, *who: int) -> Arrays:
    out, rewards = np.full((n, *who, 3), 7, np.float32), np.full((n, *who), 7, np.float32)
    return out, rewards, np.ones(n, bool), np.ones(n, bool)


def duel_inputs(n: int, frames: int) -> np.ndarray:
    inputs = inputs_of(DUEL, n, frames)
    inputs["move"] %= 3
    inputs["push"] = 0.125
    return inputs


def test_a_frame_and_what_follows_it_are_those_of_plain_kernels() -> None:
    inputs = duel_inputs(4, 9)
    batch, (out, rewards, ended, cut) = DUEL.batch(4, seeds=2), arrays(4, 2)
    expected = hashes_alone(DUEL, batch.seeds, inputs)
    for frame in range(9):
        before = batch.states.copy()
        batch.learn(inputs[frame], out, rewards, ended, cut)
        assert (batch.hashes() == expected[frame]).all()
        for w in range(4):
            state, was = batch.world(w).state, DUEL.state.from_memory(before[w : w + 1])
            for p in range(2):
                seen = duel.Seen()
                duel.observe.managed(state, p, seen)
                assert out[w, p].tolist() == [seen.own, seen.other, seen.frame]
                assert rewards[w, p] == duel.reward.managed(was, state, p)
            assert (ended[w], cut[w]) == duel.done.managed(state)
    assert (batch.observe() == out).all()
    assert (batch.observe([3, 1]) == out[[3, 1]]).all()


def test_an_episode_is_cut_after_its_frames() -> None:
    batch, given = DUEL.batch(2), arrays(2, 2)
    inputs = np.zeros((2, 2), DUEL.input_type.dtype)
    inputs["move"][:, 0] = 1
    for frame in range(30):
        batch.learn(inputs, *given)
        assert given[3].tolist() == [frame == 29] * 2


def test_a_world_that_stands_still_has_its_observation_and_zeros() -> None:
    batch, given = WALK.batch(3), arrays(3)
    inputs = np.zeros((3, 1), WALK.input_type.dtype)
    batch.states["place"][1] = 77
    with pytest.raises(WorldTrap, match="too far"):
        batch.learn(inputs, *given)
    assert batch.frames.tolist() == [1, 0, 1]
    batch.learn(inputs, *given)
    out, rewards, ended, cut = given
    assert out[1, :2].tolist() == [77, 0]
    assert (rewards[1], ended[1], cut[1]) == (0, False, False)
    assert out[0, 1] == 2


def test_a_trap_elsewhere_lets_no_world_run_twice() -> None:
    n = 20_000
    inputs = np.zeros((n, 1), WALK.input_type.dtype)
    inputs["move"][:, 0] = np.arange(n) % 2

    def played(count: int) -> np.ndarray:
        with workers(count):
            batch, given = WALK.batch(n, seeds=4), arrays(n)
            batch.states["place"][[5, 9_000]] = 77
            before = ranges_shared()
            with pytest.raises(WorldTrap) as caught:
                batch.learn(inputs, *given)
            assert caught.value.frames == {5: 0, 9_000: 0}
            assert (ranges_shared() > before) == (count > 1)
            assert (batch.frames == np.where(np.isin(np.arange(n), [5, 9_000]), 0, 1)).all()
            return batch.hashes()

    alone = played(1)
    for _ in range(5):
        assert (played(2) == alone).all()


@pytest.mark.parametrize(
    ("which", "array", "message"),
    [
        (0, np.zeros((3, 4), np.float32), r"`out` is float32 of shape \(3, 4\)"),
        (0, np.zeros((3, 3)), "`out` is float64"),
        (0, np.zeros((3, 6), np.float32)[:, ::2], "with gaps"),
        (1, np.zeros((3, 1), np.float32), "`rewards` is float32 of shape"),
        (2, np.zeros(3, np.int8), "`ended` is int8"),
        (3, [False] * 3, "`cut` is list"),
        (3, np.broadcast_to(np.zeros(1, bool), 3), "that can't be written"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(which: int, array: Any, message: str) -> None:
    batch, given = WALK.batch(3), list(arrays(3))
    given[which] = array
    with pytest.raises(ArgumentError, match=message):
        batch.learn(np.zeros((3, 1), WALK.input_type.dtype), *given)
    assert batch.frames.tolist() == [0, 0, 0]


def test_a_simulation_without_observe_has_nothing_for_learners() -> None:
    with pytest.raises(ArgumentError, match="nothing for learners"):
        SMALL.batch(3).observe()


@pytest.mark.parametrize("at_once", [False, True])
def test_an_interrupt_at_any_bytecode_leaves_episodes_at_their_frames(at_once: bool) -> None:
    batch, (out, rewards, ended, cut) = WALK.batch(4, seeds=7), arrays(4)
    worlds = batch.opened()
    over = np.zeros(4, bool) if at_once else worlds.again
    final = out.copy()
    worlds.hand(out=out, rewards=rewards, ended=ended, cut=cut, final=final, over=over)
    worlds.staged["move"][0, :, 0] = [1, -1, 0, 1]
    start = batch.save()

    def play() -> None:
        batch.restore(start)
        for _ in range(9):
            worlds.learn(8, at_once)

    seen: set[tuple[int, ...]] = set()

    def check() -> None:
        seen.add(tuple(batch.episodes.tolist()))
        for w in range(4):
            episode, frame = int(batch.episodes[w]), int(batch.frames[w])
            session = WALK.start(int(episode_seed(7, w, episode)))
            for _ in range(frame):
                session.step([{"move": [1, -1, 0, 1][w]}])
            assert batch.seeds[w] == session.seed
            assert batch.hashes()[w] == session.hash()
        worlds.again[:] = False
        batch.restore(start)

    assert at_each(play, check, Interrupt, stride=2) > 100
    assert len(seen) > 2


# Declarations --------------------------------------------------------------------------------


@sb.kernel
def writes(state: State, out: Seen) -> None:
    state.frame += int32(1)
    out.place = state.place


@sb.kernel
def mixed(state: State, out: State) -> None:
    out.frame = state.frame


@sb.kernel(mode=sb.FAST)
def fast(state: State, out: Seen) -> None:
    out.place = state.place


@sb.kernel
def wide(before: State, after: State) -> float64:
    return float64(1)


@sb.kernel
def one(state: State) -> bool:
    return True


def declared(**changes: Any) -> Simulation:
    parts: Any = dict(
        name="walk", version="1", state=State, input=walk.Input, players=1, init=walk.init,
        step=walk.step, observe=walk.observe, reward=walk.reward, done=walk.done,
    )  # fmt: skip
    return Simulation(**{**parts, **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"observe": None}, "has reward without `observe`"),
        ({"observe": len}, "observe is builtin_function_or_method, not a kernel"),
        ({"observe": walk.step}, "observe takes"),
        ({"observe": duel.observe}, "observe takes"),
        ({"observe": mixed}, "not of one type of number"),
        ({"reward": wide}, "reward takes .* and returns float64"),
        ({"done": one}, "done takes .* and returns bool"),
        ({"actions": {"run": (0, 1)}}, "actions name 'run', which Input does not have"),
        ({"actions": {"move": 3}}, "range of 'move' is 3"),
        ({"actions": {"move": (2, 1)}}, r"range of 'move' is \(2, 1\)"),
        ({"actions": {"move": (0, float("nan"))}}, "range of 'move'"),
        ({"episode_frames": -1}, "episode_frames is -1"),
    ],
)
def test_declarations_that_do_not_fit_are_refused(changes: Any, message: str) -> None:
    with pytest.raises(SimulationError, match=message):
        declared(**changes)


@pytest.mark.parametrize(
    ("observe", "message"), [(writes, "observe changes the state"), (fast, "reaches FAST code")]
)
def test_what_would_change_bits_is_refused(observe: Any, message: str) -> None:
    with pytest.raises(SimulationError, match=message):
        declared(observe=observe).batch(1)


def test_what_learners_see_is_no_part_of_the_simulation_s_identity() -> None:
    plain = declared(observe=None, reward=None, done=None)
    assert plain.digest == declared().digest
