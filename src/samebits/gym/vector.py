"""Many worlds as a Gymnasium vector environment, with all three ways of resetting them."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from samebits.errors import ArgumentError
from samebits.gym.rendering import Rendering
from samebits.gym.spaces import (
    Actions,
    Array,
    action_space,
    learning_of,
    observation_space,
    parts_of,
)
from samebits.gym.worlds import LearningWorlds
from samebits.lang.signal_safe import keeps_flags
from samebits.sim.batch.batch import Batch
from samebits.sim.simulation import Simulation

_MODES = {mode.value: mode for mode in AutoresetMode}
Stepped = tuple[Array, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


class WorldVectorEnv(VectorEnv[Any, Any, Any]):
    """`num_envs` worlds of a simulation of one player.

    `autoreset` is "NextStep", "SameStep" or "Disabled", as in Gymnasium. Environment i depends on
    (seed, i, episode) alone. With `reuse` every step writes into the same arrays, where they are
    new ones otherwise. A world that a trap stopped stands still, with zeros, until it is reset. A
    simulation with a scene has the render mode "rgb_array".
    """

    @keeps_flags
    def __init__(
        self,
        simulation: Simulation,
        num_envs: int,
        *,
        autoreset: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        reuse: bool = False,
        keep: int = 0,
        render_mode: str | None = None,
    ) -> None:
        learning = learning_of(simulation, 1)
        mode = _MODES.get(autoreset) if isinstance(autoreset, str) else autoreset
        if not isinstance(mode, AutoresetMode):
            raise ArgumentError(
                f"autoreset={autoreset!r:.40}", fix=f"give one of {', '.join(_MODES)}"
            )
        self.simulation = simulation
        self.autoreset_mode = mode
        self._rendering = Rendering(simulation, render_mode, window=False)
        self.metadata = {**self._rendering.metadata, "autoreset_mode": mode}
        self.render_mode = render_mode
        begins_next = mode is AutoresetMode.NEXT_STEP
        self._worlds = LearningWorlds(simulation, num_envs, keep, begins_next)
        self._over = self._worlds.over
        self.num_envs = num_envs
        parts = parts_of(simulation)
        one: Any = action_space(parts)
        seen: Any = observation_space(learning)
        self.single_action_space, self.single_observation_space = one, seen
        batched: Any = batch_space
        self.action_space = batched(one, num_envs)
        self.observation_space = batched(seen, num_envs)
        self._actions = Actions(parts)
        self._inputs = self._worlds.inputs[:, 0]
        self._reuse = reuse
        self._is_reset = False

    @property
    def batch(self) -> Batch:
        """The worlds: states, saves, replays."""
        return self._worlds.batch

    @keeps_flags
    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Array, dict[str, Any]]:
        """Begin the next episode of all environments, or with a seed, or one for each, the first.

        `options={"reset_mask": mask}` resets those alone of a bool array of shape (num_envs,).
        Raises ArgumentError, Trap.
        """
        if seed is None or isinstance(seed, int):
            super().reset(seed=seed)
        mask = None if options is None else options.get("reset_mask")
        which = None if mask is None else self._which(mask)
        seeds: Any = seed
        if isinstance(seed, list):
            if len(seed) != self.num_envs:
                raise ArgumentError(f"{len(seed)} seeds for {self.num_envs} environments")
            seeds = seed if which is None else [seed[i] for i in which]
            if all(one is None for one in seeds):
                seeds = None
        self._worlds.reset(seeds, which, self.np_random)
        self._over[slice(None) if which is None else which] = False
        self._is_reset = True
        return self._worlds.observe(), {}

    def _which(self, mask: Any) -> NDArray[np.int64]:
        given = np.asarray(mask)
        if given.shape != (self.num_envs,) or given.dtype != np.bool_ or not given.any():
            raise ArgumentError(
                "options['reset_mask'] is no bool array of shape "
                f"({self.num_envs},) with a True in it",
                fix="give np.array([...], bool), such as terminated | truncated",
            )
        return np.flatnonzero(given)

    @keeps_flags
    def step(self, actions: Any) -> Stepped:
        """Run a frame of every environment. Raises ArgumentError for actions that the space does
        not contain, and Trap once all others have run."""
        if not self._is_reset:
            raise ArgumentError("the environments have not been reset", fix="call reset() first")
        mode, over, worlds = self.autoreset_mode, self._over, self._worlds
        self._actions.put(self._inputs, actions)
        if mode is AutoresetMode.DISABLED and over.any():
            raise ArgumentError(
                f"environment {over.argmax()} has ended its episode, and is to be reset",
                fix='call reset(options={"reset_mask": terminated | truncated})',
            )
        if not self._reuse:
            worlds.fresh()
        at_once = mode is AutoresetMode.SAME_STEP
        out, rewards, ended, cut = worlds.learn(at_once)
        infos = self._last() if at_once and over.any() else {}
        return out, rewards, ended, cut, infos

    def _last(self) -> dict[str, Any]:
        """What is said of episodes that ended."""
        mask = self._over.copy()
        ended = np.flatnonzero(mask)
        final = np.full(self.num_envs, None, object)
        for i, seen in zip(ended.tolist(), self._worlds.final[ended], strict=True):
            final[i] = seen
        return {
            "final_obs": final, "_final_obs": mask, "final_info": {}, "_final_info": mask.copy(),
        }  # fmt: skip

    @keeps_flags
    def render(self) -> Any:
        """The pictures of all environments, a tuple of uint8 arrays of shape (height, width, 3).
        Raises ArgumentError without a render mode."""
        batch = self._worlds.batch
        return tuple(self._rendering.render(batch, i) for i in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """Give the worlds' memory back."""
        if not self._worlds.batch.is_closed:
            self._worlds.batch.close()
        self._is_reset = False
