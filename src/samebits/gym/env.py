"""One world as a Gymnasium environment."""

from __future__ import annotations

import ctypes
import os
from typing import Any

import gymnasium
from gymnasium import spaces

from samebits.errors import ArgumentError
from samebits.gym.rendering import Rendering
from samebits.gym.spaces import Actions, action_space, learning_of, observation_space, one, parts_of
from samebits.gym.worlds import LearningWorlds
from samebits.lang.signal_safe import keeps_flags
from samebits.sim.batch.worlds import address
from samebits.sim.simulation import Simulation
from samebits.types import ScalarType

_INTEGERS: Any = {1: ctypes.c_int8, 2: ctypes.c_int16, 4: ctypes.c_int32, 8: ctypes.c_int64}


class WorldEnv(gymnasium.Env[Any, Any]):
    """A simulation of one player as an environment; world 0 of a batch of one.

    With a seed, episode e is that of environment 0 of any vector environment with the same seed.
    `keep` is how many of its last frames `batch.replay` can write. A simulation with a scene has
    the render modes "human" and "rgb_array".
    """

    @keeps_flags
    def __init__(
        self, simulation: Simulation, *, keep: int = 0, render_mode: str | None = None
    ) -> None:
        learning = learning_of(simulation, 1)
        self.simulation = simulation
        parts = parts_of(simulation)
        self.action_space = action_space(parts)
        self.observation_space = observation_space(learning)
        self._rendering = Rendering(simulation, render_mode)
        self.metadata = self._rendering.metadata
        self.render_mode = render_mode
        self._worlds = LearningWorlds(simulation, 1, keep)
        self._actions = Actions(parts)
        self._inputs = self._worlds.inputs[:, 0]
        self._learn = self._worlds.learn
        out, rewards, ended, cut = self._worlds.arrays
        self._seen = out.reshape(learning.shape)
        self._reward = ctypes.c_float.from_address(address(rewards))
        self._ended = ctypes.c_bool.from_address(address(ended))
        self._cut = ctypes.c_bool.from_address(address(cut))
        self._quick: Any = None
        """The number in memory that a discrete action is stored in."""
        self._low, self._high = parts[0].low, parts[0].high
        t = simulation.input_type.fields[0][1]
        if isinstance(self.action_space, spaces.Discrete) and isinstance(t, ScalarType):
            self._quick = _INTEGERS[t.size].from_address(address(self._inputs))
        self._is_over = True

    @property
    def batch(self) -> Any:
        """The batch of one world: its state, saves, replays."""
        return self._worlds.batch

    @keeps_flags
    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin the next episode, or with a seed the first; no options. Raises Trap."""
        super().reset(seed=seed)
        self._worlds.reset(seed, None, self.np_random)
        self._is_over = False
        self._rendering.show(self._worlds.batch)
        return self._worlds.observe()[0], {}

    @keeps_flags
    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Run one frame. Raises ArgumentError for an action that the space does not contain, and
        Trap."""
        if self._is_over:
            raise ArgumentError("the environment has not been reset", fix="call reset() first")
        quick = self._quick
        if quick is not None and type(action) is int and self._low <= action <= self._high:
            quick.value = action
        else:
            self._actions.put(self._inputs, one(action))
        self._learn()
        if self.render_mode == "human":
            self._rendering.show(self._worlds.batch)
        return self._seen.copy(), self._reward.value, self._ended.value, self._cut.value, {}

    @keeps_flags
    def render(self) -> Any:
        """The picture of the state, a uint8 array of shape (height, width, 3), in "rgb_array"; None
        in "human", where each frame is shown as it comes. Raises ArgumentError in neither."""
        return self._rendering.render(self._worlds.batch)

    def replay(self, path: str | os.PathLike[str], episode: int | None = None) -> int:
        """As `Batch.replay` of the only world."""
        return self._worlds.batch.replay(0, path, episode)

    def close(self) -> None:
        """Nothing else may follow but another `close`."""
        self._rendering.close()
        if not self._worlds.batch.is_closed:
            self._worlds.batch.close()
        self._is_over = True
