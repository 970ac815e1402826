"""Each world of a batch has the bits of a session of its own, whatever else is in the batch."""

from __future__ import annotations

import numpy as np
import pytest
from tests.support.batches import hashes_alone, inputs_of, workers
from tests.support.folders import EXAMPLES
from tests.support.shared_ranges import ranges_shared
from tests.support.simulations.crowd_simulation import crowd
from tests.support.simulations.small_simulation import SMALL

import samebits as sb
from samebits import random
from samebits.sim.batch.seeds import episode_seed
from samebits.sim.load import load_simulation


def small_inputs(n: int, frames: int, seed: int = 1) -> np.ndarray:
    inputs = inputs_of(SMALL, n, frames, seed)
    inputs["at"] %= 5
    return inputs


@pytest.mark.parametrize("n", [1, 7, 64])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_every_world_has_the_hashes_of_its_own_session(n: int, count: int) -> None:
    inputs = small_inputs(n, 12)
    with workers(count):
        batch = SMALL.batch(n, seeds=3)
        found = batch.run(inputs)
        assert (found == hashes_alone(SMALL, batch.seeds, inputs)).all()
        assert (batch.hashes() == found[-1]).all()
        assert batch.frames.tolist() == [12] * n


def test_more_workers_than_one_share_the_worlds() -> None:
    simulation = crowd(4)
    inputs = inputs_of(simulation, 400, 8)
    with workers(1):
        alone = simulation.batch(400).run(inputs)
    with workers(2):
        batch, before = simulation.batch(400), ranges_shared()
        assert (batch.run(inputs) == alone).all()
        assert ranges_shared() > before


@pytest.mark.parametrize("name", ["arena", "pendulum", "maze", "pinball"])
def test_examples_have_the_same_bits_in_batches(name: str) -> None:
    simulation = load_simulation(str(EXAMPLES / name / f"{name}.py"))
    inputs = inputs_of(simulation, 5, 10)
    batch = simulation.batch(5, seeds=[2, 3, 5, 7, 11])
    assert batch.seeds.tolist() == [2, 3, 5, 7, 11]
    assert (batch.run(inputs) == hashes_alone(simulation, batch.seeds, inputs)).all()


def test_steps_and_held_inputs_give_the_bits_of_a_run() -> None:
    inputs = small_inputs(9, 6)
    inputs[3:] = inputs[3]
    batch = SMALL.batch(9, seeds=4)
    expected = batch.run(inputs)
    batch.reset(seeds=4)
    for frame in range(3):
        batch.step(inputs[frame])
        assert (batch.hashes() == expected[frame]).all()
    assert (batch.run(inputs[3], 3) == expected[3:]).all()
    batch.reset(seeds=4)
    assert batch.run(inputs, hashes=False).shape == (0, 9)
    assert (batch.hashes() == expected[-1]).all()


def test_a_world_depends_on_seed_index_and_episode_alone() -> None:
    many, few = SMALL.batch(40, seeds=9), SMALL.batch(8, seeds=9)
    assert (many.seeds[:8] == few.seeds).all()
    for _ in range(2):
        many.reset()
    few.reset(3)
    few.reset([3, 5])
    assert few.episodes.tolist() == [0, 0, 0, 2, 0, 1, 0, 0]
    assert few.seeds[3] == many.seeds[3] == episode_seed.managed(9, 3, 2)
    assert few.hashes()[3] == many.hashes()[3]


def test_seeds_of_episodes_are_philox_of_root_world_and_episode() -> None:
    drawn = random.philox4x32.managed(sb.uint4(1, 7, 2, 0), sb.uint2(5, 6))
    found = int(episode_seed(5 | 6 << 32, 1 | 7 << 32, 2))
    assert found == int(drawn.x) | int(drawn.y) << 32
    assert found == episode_seed.managed(5 | 6 << 32, 1 | 7 << 32, 2)
    seeds = {int(episode_seed(r, w, e)) for r in range(4) for w in range(4) for e in range(4)}
    assert len(seeds) == 64


def test_a_reset_of_some_worlds_leaves_the_others() -> None:
    inputs = small_inputs(6, 5)
    batch = SMALL.batch(6, seeds=[10, 11, 12, 13, 14, 15])
    batch.run(inputs)
    before = batch.hashes()
    mask = np.array([1, 0, 0, 1, 0, 0], bool)
    batch.reset(mask, seeds=[10, 99])
    assert batch.frames.tolist() == [0, 5, 5, 0, 5, 5]
    assert batch.episodes.tolist() == [0] * 6
    after = batch.hashes()
    assert (after[~mask] == before[~mask]).all()
    assert after[0] == SMALL.start(10).hash()
    assert after[3] == SMALL.start(99).hash()


def test_states_are_a_view_of_the_batch_s_memory() -> None:
    batch = SMALL.batch(3)
    assert batch.states.dtype == SMALL.state_type.dtype
    batch.step(small_inputs(3, 1)[0])
    assert batch.states["frame"].tolist() == [1, 1, 1]
    batch.states["frame"][1] = 7
    batch.step(small_inputs(3, 1)[0])
    assert batch.states["frame"].tolist() == [2, 8, 2]


def test_one_player_s_inputs_need_no_axis_of_players() -> None:
    simulation = crowd(1)
    inputs = inputs_of(simulation, 4, 3)
    batch, other = simulation.batch(4), simulation.batch(4)
    assert (batch.run(inputs[..., 0]) == other.run(inputs)).all()
    batch.step(inputs[0, :, 0])
    other.step(inputs[0])
    assert (batch.hashes() == other.hashes()).all()
