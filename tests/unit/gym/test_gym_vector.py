"""A vector environment does what Gymnasium's own does with one environment a world."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.support.batches import workers
from tests.support.simulations.walk_simulation import WALK

from samebits.errors import ArgumentError, Trap
from samebits.sim.batch.seeds import episode_seed

gymnasium = pytest.importorskip("gymnasium", reason="pip install 'samebits[gym]'")

from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402

import samebits.gym as sg  # noqa: E402

N = 5
MODES = [mode.value for mode in AutoresetMode]


class Alone(gymnasium.Env):  # type: ignore[misc, name-defined]
    """World i, by sessions and plain Python, as an environment of its own."""

    def __init__(self, index: int) -> None:
        same = sg.make(WALK)
        self.action_space, self.observation_space = same.action_space, same.observation_space
        self.index = index

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        if seed is not None:
            # Gymnasium gives environment i the seed plus i.
            self.root, self.episode = seed - self.index, 0
        else:
            self.episode += 1
        number = int(episode_seed(self.root, self.index, self.episode))
        self.session = WALK.start(number)
        return self.seen(), {}

    def seen(self) -> Any:
        state = self.session.state
        start = np.float32(np.uint64(state.start) >> np.uint64(40))
        return np.array([state.place, np.float32(state.frame), start], np.float32)

    def step(self, action: Any) -> Any:
        before = np.float32(self.session.state.place)
        self.session.step([{"move": int(action)}])
        place = np.float32(self.session.state.place)
        cut = bool(place < -3) or self.session.frame >= 8
        return self.seen(), float(place * before + np.float32(1)), bool(place > 3), cut, {}


def alike(ours: Any, theirs: Any) -> None:
    seen, rewards, ended, cut, infos = ours
    other_seen, other_rewards, other_ended, other_cut, other_infos = theirs
    assert seen.dtype == other_seen.dtype
    assert seen.tobytes() == other_seen.tobytes()
    assert rewards.tolist() == other_rewards.tolist()
    assert ended.tolist() == other_ended.tolist()
    assert cut.tolist() == other_cut.tolist()
    assert infos.keys() == other_infos.keys()
    if infos:
        assert infos["_final_obs"].tolist() == other_infos["_final_obs"].tolist()
        assert infos["_final_info"].tolist() == other_infos["_final_info"].tolist()
        for final, other in zip(infos["final_obs"], other_infos["final_obs"], strict=True):
            assert (final is None) == (other is None)
            assert final is None or final.tolist() == other.tolist()


@pytest.mark.parametrize("reuse", [False, True])
@pytest.mark.parametrize("mode", MODES)
def test_each_mode_resets_as_gymnasium_does(mode: str, reuse: bool) -> None:
    ours = sg.make_vec(WALK, N, autoreset=mode, reuse=reuse)
    alone = [lambda i=i: Alone(i) for i in range(N)]
    theirs = SyncVectorEnv(alone, autoreset_mode=AutoresetMode(mode))
    assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"]
    assert ours.action_space == theirs.action_space
    assert ours.observation_space == theirs.observation_space
    assert ours.reset(seed=7)[0].tolist() == theirs.reset(seed=7)[0].tolist()
    random, over = np.random.default_rng(1), np.zeros(N, bool)
    episodes = 0
    for _ in range(60):
        if mode == "Disabled" and over.any():
            episodes += int(over.sum())
            mask = {"reset_mask": over}
            assert (
                ours.reset(options={**mask})[0].tolist()
                == theirs.reset(options={**mask})[0].tolist()
            )
        actions = random.integers(-1, 2, N)
        stepped = ours.step(actions)
        alike(stepped, theirs.step(actions))
        over = stepped[2] | stepped[3]
        episodes += int(over.sum()) * (mode != "Disabled")
    assert episodes > 20


@pytest.mark.parametrize("mode", MODES[:2])
def test_environment_i_depends_on_seed_index_and_episode_alone(mode: str) -> None:
    actions = np.random.default_rng(3).integers(-1, 2, (50, 600))

    def played(n: int, count: int) -> tuple[np.ndarray, np.ndarray]:
        with workers(count):
            envs = sg.make_vec(WALK, n, autoreset=mode)
            envs.reset(seed=5)
            seen = np.stack([envs.step(actions[k, :n])[0][:4].copy() for k in range(50)])
            return seen, envs.batch.hashes()[:4]

    seen, hashes = played(4, 1)
    for n, count in ((5, 1), (64, 2), (600, 5)):
        other, more = played(n, count)
        assert other.tobytes() == seen.tobytes()
        assert more.tolist() == hashes.tolist()


def test_what_a_step_gives_stays_unless_it_is_to_be_used_again() -> None:
    def kept(reuse: bool) -> list[tuple[Any, ...]]:
        envs = sg.make_vec(WALK, 3, reuse=reuse)
        envs.reset(seed=1)
        return [envs.step(np.zeros(3, int))[:4] for _ in range(12)]

    frames = [stepped[0][0, 1] for stepped in kept(False)]
    assert frames == [1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2, 3]
    first, *others = kept(True)
    assert all(other[0] is first[0] for other in others)
    # A view of what a step gave, or one of its four arrays, is enough to keep it.
    envs = sg.make_vec(WALK, 3)
    envs.reset(seed=1)
    views = [envs.step(np.zeros(3, int))[0][0] for _ in range(9)]
    assert [view[1] for view in views] == [1, 2, 3, 4, 5, 6, 7, 8, 0]
    cuts = [envs.step(np.zeros(3, int))[3] for _ in range(9)]
    assert [bool(cut[0]) for cut in cuts] == [False] * 7 + [True, False]


def test_an_environment_writes_where_it_says_after_its_batch_wrote_elsewhere() -> None:
    envs = sg.make_vec(WALK, 3, reuse=True)
    envs.reset(seed=1)
    out, rewards = np.zeros((3, 3), np.float32), np.zeros(3, np.float32)
    ended, cut = np.zeros(3, bool), np.zeros(3, bool)
    envs.batch.learn(np.zeros((3, 1), WALK.input_type.dtype), out, rewards, ended, cut)
    assert out[0, 1] == 1
    assert envs.step(np.zeros(3, int))[0][0, 1] == 2
    assert out[0, 1] == 1


def test_seeds_may_be_one_an_environment_and_resets_of_some() -> None:
    envs = sg.make_vec(WALK, 3, autoreset="Disabled")
    first, _ = envs.reset(seed=[4, 5, 6])
    assert envs.batch.seeds.tolist() == [4, 5, 6]
    envs.step(np.zeros(3, int))
    mask = np.array([True, False, True])
    seen, _ = envs.reset(seed=[4, 9, 6], options={"reset_mask": mask})
    assert seen[mask].tolist() == first[mask].tolist()
    assert seen[1].tolist() == [first[1][0], 1.0, first[1][2]]
    assert envs.batch.episodes.tolist() == [0, 0, 0]
    envs.reset(options={"reset_mask": mask})
    assert envs.batch.episodes.tolist() == [1, 0, 1]


def test_a_trap_stops_its_environment_alone() -> None:
    envs = sg.make_vec(WALK, 4)
    envs.reset(seed=1)
    envs.batch.states["place"][1] = 60
    with pytest.raises(Trap, match="too far"):
        envs.step(np.zeros(4, int))
    _, rewards, ended, _, _ = envs.step(np.zeros(4, int))
    assert (rewards[1], ended[1]) == (0, False)
    assert envs.batch.frames.tolist() == [2, 0, 2, 2]


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        (np.zeros(4, int), r"shape \(4,\)"),
        (np.array([0, 0, 9]), "is 9, outside"),
        (np.zeros(3), "are float64"),
        (np.full(3, np.nan), "are float64"),
        (0, r"shape \(\)"),
    ],
)
def test_actions_outside_of_the_space_are_refused(actions: Any, message: str) -> None:
    envs = sg.make_vec(WALK, 3)
    envs.reset(seed=1)
    with pytest.raises(ArgumentError, match=message):
        envs.step(actions)
    assert envs.batch.frames.tolist() == [0, 0, 0]


def test_what_is_out_of_order_says_so() -> None:
    with pytest.raises(ArgumentError, match="autoreset='never'"):
        sg.make_vec(WALK, 3, autoreset="never")
    envs = sg.make_vec(WALK, 3, autoreset="Disabled")
    with pytest.raises(ArgumentError, match="have not been reset"):
        envs.step(np.zeros(3, int))
    envs.reset(seed=1)
    for mask in (np.zeros(3, bool), np.ones(2, bool), [1, 0, 1]):
        with pytest.raises(ArgumentError, match="reset_mask"):
            envs.reset(options={"reset_mask": mask})
    with pytest.raises(ArgumentError, match="2 seeds for 3"):
        envs.reset(seed=[1, 2])
    for _ in range(8):
        envs.step(np.zeros(3, int))
    with pytest.raises(ArgumentError, match="environment 0 has ended its episode"):
        envs.step(np.zeros(3, int))
    envs.close()
    envs.close()
