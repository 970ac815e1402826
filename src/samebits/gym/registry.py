"""Environments by simulation, and by name in Gymnasium's registry."""

from __future__ import annotations

from functools import partial
from typing import Any

import gymnasium
from gymnasium.vector import AutoresetMode

from samebits.gym.env import WorldEnv
from samebits.gym.spaces import learning_of
from samebits.gym.vector import WorldVectorEnv
from samebits.lang.signal_safe import keeps_flags
from samebits.sim.simulation import Simulation


@keeps_flags
def make(simulation: Simulation, *, keep: int = 0, render_mode: str | None = None) -> WorldEnv:
    """A simulation of one player as a Gymnasium environment. Raises ArgumentError."""
    return WorldEnv(simulation, keep=keep, render_mode=render_mode)


@keeps_flags
def make_vec(
    simulation: Simulation,
    num_envs: int,
    *,
    autoreset: str | AutoresetMode = AutoresetMode.NEXT_STEP,
    reuse: bool = False,
    keep: int = 0,
    render_mode: str | None = None,
) -> WorldVectorEnv:
    """`num_envs` worlds of a simulation of one player as a Gymnasium vector environment; see
    `WorldVectorEnv`. Raises ArgumentError."""
    return WorldVectorEnv(
        simulation, num_envs, autoreset=autoreset, reuse=reuse, keep=keep, render_mode=render_mode
    )


@keeps_flags
def register(simulation: Simulation, name: str | None = None) -> str:
    """Enter a simulation in Gymnasium's registry, and return its id there.

    The id is `name`, or "samebits/Name-v1" of the simulation's name and version. Then
    `gymnasium.make(id)` and `gymnasium.make_vec(id, num_envs=8)` make it. Raises ArgumentError.
    """
    learning_of(simulation, 1)
    words = simulation.name.replace("-", " ").replace("_", " ").split()
    title = "".join(word[:1].upper() + word[1:] for word in words)
    version = simulation.version if simulation.version.isdigit() else "0"
    id_ = name or f"samebits/{title}-v{version}"
    entry: Any = partial(_made, simulation)
    vector: Any = partial(_vector, simulation)
    registry: Any = gymnasium
    registry.register(id_, entry_point=entry, vector_entry_point=vector)
    return id_


def _made(simulation: Simulation, keep: int = 0, render_mode: str | None = None) -> WorldEnv:
    return make(simulation, keep=keep, render_mode=render_mode)


def _vector(simulation: Simulation, num_envs: int = 1, **options: Any) -> WorldVectorEnv:
    return make_vec(simulation, num_envs, **options)
