"""Simulations are environments as Gymnasium and PettingZoo check them."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.simulations.duel_simulation import DUEL
from tests.support.simulations.small_simulation import SMALL
from tests.support.simulations.walk_simulation import WALK

import samebits as sb
from samebits.errors import ArgumentError, Trap

gymnasium = pytest.importorskip("gymnasium", reason="pip install 'samebits[gym]'")
pytest.importorskip("pettingzoo", reason="pip install 'samebits[gym]'")

from gymnasium import spaces  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402

with warnings.catch_warnings():  # its checkers load games that PettingZoo itself calls old
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import parallel_api_test, parallel_seed_test

import samebits.gym as sg  # noqa: E402


def test_gymnasium_s_checker_passes() -> None:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        check_env(sg.make(WALK), skip_render_check=True)
    # Nothing says how far a float goes that is no action.
    assert all("infinity" in str(warning.message) for warning in found)


def test_pettingzoo_s_checkers_pass() -> None:
    parallel_api_test(sg.make_parallel(DUEL), num_cycles=200)
    parallel_seed_test(lambda: sg.make_parallel(DUEL), num_cycles=20)
    parallel_api_test(sg.make_parallel(WALK), num_cycles=50)


def test_registered_environments_are_made_by_name() -> None:
    assert sg.register(WALK) == "samebits/ShortWalk-v1"
    env = gymnasium.make("samebits/ShortWalk-v1")
    envs = gymnasium.make_vec("samebits/ShortWalk-v1", num_envs=3)
    first, _ = env.reset(seed=4)
    assert first.tolist() == envs.reset(seed=4)[0][0].tolist()
    assert sg.register(WALK, "mine/Walk-v7") == "mine/Walk-v7"


def test_spaces_follow_from_schemas() -> None:
    env = sg.make(WALK)
    assert env.action_space == spaces.Discrete(5, start=-1)
    assert env.observation_space == spaces.Box(-np.inf, np.inf, (3,), np.float32)
    both = sg.make_parallel(DUEL).action_space("player_1")
    assert both == spaces.Dict(
        {
            "move": spaces.Discrete(5, start=-2),
            "push": spaces.Box(-1.0, 1.0, (1,), np.float32),
            "jump": spaces.Discrete(2),
        }
    )


def test_a_seed_begins_the_same_episodes_anew() -> None:
    env, other = sg.make(WALK), sg.make(WALK)
    first = [env.reset(seed=11)[0].tolist(), env.reset()[0].tolist(), env.reset()[0].tolist()]
    again = [other.reset(seed=11)[0].tolist(), other.reset()[0].tolist(), other.reset()[0].tolist()]
    assert first == again
    assert len({tuple(seen) for seen in first}) == 3
    assert env.reset(seed=11)[0].tolist() == first[0]
    assert other.reset(seed=12)[0].tolist() != first[0]
    unseeded = {float(sg.make(WALK).reset()[0][2]) for _ in range(3)}
    assert len(unseeded) == 3


def test_an_episode_becomes_a_replay(tmp_path: Path) -> None:
    env = sg.make(WALK, keep=50)
    env.reset(seed=2)
    for _ in range(4):
        env.step(0)
    env.reset()
    assert env.replay(tmp_path / "first.mcap", 0) == 4
    assert sb.Replay.open(tmp_path / "first.mcap", WALK).inputs["move"].tolist() == [[0]] * 4


def test_players_see_and_gain_their_own() -> None:
    env = sg.make_parallel(DUEL)
    seen, _ = env.reset(seed=3)
    actions: Any = {
        "player_0": {"move": 2, "push": np.array([0.5], np.float32), "jump": 1},
        "player_1": {"move": np.int64(-2), "push": np.array([0.0], np.float32), "jump": 0},
    }
    after, gained, ended, cut, _ = env.step(actions)
    assert gained == {"player_0": 2.0, "player_1": -0.5}
    assert after["player_0"][0] == seen["player_0"][0] + 2.0 == after["player_1"][1]
    assert not any(ended.values())
    for _ in range(29):
        _, _, ended, cut, _ = env.step(
            {agent: {**action, "move": 0, "jump": 0, "push": np.zeros(1, np.float32)}
             for agent, action in actions.items()}
        )  # fmt: skip
    assert cut == {"player_0": True, "player_1": True}
    assert env.agents == []
    with pytest.raises(ArgumentError, match="no agents"):
        env.step({})


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (4, "is 4, outside -1 to 3"),
        (-2, "outside -1 to 3"),
        (0.5, "are float64"),
        (np.nan, "are float64"),
        (np.array([1, 1]), r"have shape \(1, 2\)"),
        ("up", "are <U2"),
        (None, "are object"),
    ],
)
def test_actions_outside_of_the_space_are_refused(action: Any, message: str) -> None:
    env = sg.make(WALK)
    env.reset(seed=1)
    before = env.batch.hashes()
    with pytest.raises(ArgumentError, match=message):
        env.step(action)
    assert env.batch.hashes() == before


@pytest.mark.parametrize(
    ("push", "message"),
    [(np.nan, "is nan, outside"), (1.5, "is 1.5, outside"), (-np.inf, "is -inf")],
)
def test_floats_that_are_not_in_range_are_refused(push: float, message: str) -> None:
    env = sg.make_parallel(DUEL)
    env.reset(seed=1)
    action = {"move": 0, "push": np.array([push], np.float32), "jump": 0}
    with pytest.raises(ArgumentError, match=message):
        env.step({"player_0": action, "player_1": action})
    with pytest.raises(ArgumentError, match="a dict of move, push, jump"):
        env.step({"player_0": 1, "player_1": 1})
    with pytest.raises(ArgumentError, match="actions of player_0"):
        env.step({"player_0": action})


def test_what_cannot_be_an_environment_says_why() -> None:
    with pytest.raises(ArgumentError, match="nothing for learners"):
        sg.make(SMALL)
    with pytest.raises(ArgumentError, match="has 2 players"):
        sg.make(DUEL)
    env = sg.make(WALK)
    with pytest.raises(ArgumentError, match="has not been reset"):
        env.step(0)
    env.reset(seed=0)
    env.close()
    env.close()
    with pytest.raises(ArgumentError):
        env.step(0)
    with pytest.raises(ArgumentError, match="the batch is closed"):
        env.reset()


def test_a_trap_is_raised() -> None:
    env = sg.make(WALK)
    env.reset(seed=0)
    env.batch.states["place"] = 60
    with pytest.raises(Trap, match="too far"):
        env.step(3)
    env.reset()
    env.step(0)
