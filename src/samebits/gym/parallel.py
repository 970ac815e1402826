"""A simulation of several players as a PettingZoo parallel environment."""

from __future__ import annotations

from typing import Any

import numpy as np
from pettingzoo import ParallelEnv  # pyright: ignore[reportMissingTypeStubs]

from samebits.errors import ArgumentError
from samebits.gym.rendering import Rendering
from samebits.gym.spaces import Actions, action_space, learning_of, observation_space, one, parts_of
from samebits.gym.worlds import LearningWorlds
from samebits.lang.signal_safe import keeps_flags
from samebits.sim.batch.batch import Batch
from samebits.sim.simulation import Simulation

Infos = dict[str, dict[str, Any]]
Stepped = tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], Infos]


class WorldParallelEnv(ParallelEnv[str, Any, Any]):
    """A simulation whose players are the agents "player_0", "player_1", …

    An episode ends for all at once. `observe` and `reward` that take no player give everybody the
    same. A simulation with a scene has the render modes "human" and "rgb_array".
    """

    @keeps_flags
    def __init__(
        self, simulation: Simulation, *, keep: int = 0, render_mode: str | None = None
    ) -> None:
        learning = learning_of(simulation)
        self.simulation = simulation
        self._rendering = Rendering(simulation, render_mode)
        self.metadata = {**self._rendering.metadata, "name": simulation.name}
        self.render_mode = render_mode
        self.possible_agents = [f"player_{p}" for p in range(simulation.players)]
        self.agents: list[str] = []
        parts = parts_of(simulation)
        seen, acts = observation_space(learning), action_space(parts)
        self.observation_spaces: dict[str, Any] = dict.fromkeys(self.possible_agents, seen)
        self.action_spaces: dict[str, Any] = dict.fromkeys(self.possible_agents, acts)
        self._by_player = learning.by_player
        self._worlds = LearningWorlds(simulation, 1, keep)
        self._actions = Actions(parts)
        self._random = np.random.default_rng()

    @property
    def batch(self) -> Batch:
        """The batch of one world: its state, saves, replays."""
        return self._worlds.batch

    def observation_space(self, agent: str) -> Any:
        """The space of what an agent sees, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The space of an agent's actions, always the same object."""
        return self.action_spaces[agent]

    @keeps_flags
    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Begin the next episode, or with a seed the first; no options. Raises Trap."""
        self._worlds.reset(seed, None, self._random)
        self.agents = list(self.possible_agents)
        self._rendering.show(self._worlds.batch)
        seen = self._worlds.observe()[0]
        return self._each(seen), {agent: {} for agent in self.agents}

    @keeps_flags
    def step(
        self, actions: dict[str, Any]
    ) -> tuple[
        dict[str, Any],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Run one frame. Raises ArgumentError for actions that the spaces do not contain or of
        other agents than there are, and Trap."""
        if not self.agents:
            raise ArgumentError("the environment has no agents", fix="call reset() first")
        if actions.keys() != set(self.agents):
            raise ArgumentError(
                f"actions of {', '.join(map(str, actions)) or 'nobody'}",
                fix=f"give one for each of {', '.join(self.agents)}",
            )
        for player, agent in enumerate(self.agents):
            action: Any = actions[agent]
            self._actions.put(self._worlds.inputs[:, player], one(action))
        self._worlds.fresh()
        arrays, agents = self._worlds.learn(), self.agents
        seen, gained = self._each(arrays.out[0]), self._each(arrays.rewards[0])
        ended, cut = bool(arrays.ended[0]), bool(arrays.cut[0])
        if ended or cut:
            self.agents = []
        self._rendering.show(self._worlds.batch)
        return (
            seen,
            {agent: float(value) for agent, value in gained.items()},
            dict.fromkeys(agents, ended),
            dict.fromkeys(agents, cut),
            {agent: {} for agent in agents},
        )

    def _each(self, values: Any) -> dict[str, Any]:
        """What each agent gets of values by player, or of one for all."""
        if self._by_player:
            return {agent: values[p] for p, agent in enumerate(self.possible_agents)}
        return {agent: np.copy(values) for agent in self.possible_agents}

    @keeps_flags
    def render(self) -> Any:
        """The picture of the state, a uint8 array of shape (height, width, 3), in "rgb_array"; None
        in "human", where each frame is shown as it comes. Raises ArgumentError in neither."""
        return self._rendering.render(self._worlds.batch)

    def close(self) -> None:
        """Nothing else may follow but another `close`."""
        self._rendering.close()
        if not self._worlds.batch.is_closed:
            self._worlds.batch.close()
        self.agents = []


@keeps_flags
def make_parallel(
    simulation: Simulation, *, keep: int = 0, render_mode: str | None = None
) -> WorldParallelEnv:
    """A simulation of any number of players as a parallel environment of PettingZoo. Raises
    ArgumentError."""
    return WorldParallelEnv(simulation, keep=keep, render_mode=render_mode)
