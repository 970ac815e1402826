"""The arena's compiled `session.run` against the managed run of the same frames."""

import importlib.util
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from samebits.verify.executions import all_rows

ARENA = Path(__file__).parents[1] / "examples" / "arena" / "arena.py"
GOAL = 1_000.0
COMPILED_FRAMES = 20_000
MANAGED_FRAMES = 12


@dataclass(frozen=True)
class ArenaSpeed:
    """Seconds a frame of both runs; `same` says that their hashes agree."""

    compiled: float
    managed: float
    same: bool

    @property
    def ratio(self) -> float:
        return self.managed / self.compiled


def load_arena() -> ModuleType:
    """The example as a module."""
    spec = importlib.util.spec_from_file_location("arena", ARENA)
    if spec is None or spec.loader is None:
        raise ImportError(f"no Python module at {ARENA}")
    module = importlib.util.module_from_spec(spec)
    sys.modules["arena"] = module
    spec.loader.exec_module(module)
    return module


def script_inputs(simulation: Any, name: str, frames: int) -> np.ndarray[Any, Any]:
    """What the script presses, shape (frames, players)."""
    inputs = np.zeros((frames, simulation.players), simulation.input.dtype)
    script = simulation.scripts[name]
    for frame in range(frames):
        for player in range(simulation.players):
            for field, value in script(frame, player, 1).items():
                inputs[field][frame, player] = value
    return inputs


def measure() -> ArenaSpeed:
    """Time both runs over scripted input. Raises whatever the simulation raises."""
    simulation = load_arena().ARENA
    inputs = script_inputs(simulation, "duel", COMPILED_FRAMES)
    simulation.start(seed=1).run(inputs[:60])
    session = simulation.start(seed=1)
    before = time.thread_time_ns()
    hashes = session.run(inputs)
    compiled = (time.thread_time_ns() - before) / 1e9 / COMPILED_FRAMES
    reference = next(row for row in all_rows() if row.name == "managed").make(simulation)
    reference.start(1)
    few = simulation.inputs.frames(inputs[:MANAGED_FRAMES])
    before = time.thread_time_ns()
    managed_hashes = reference.advance(few).hashes
    managed = (time.thread_time_ns() - before) / 1e9 / MANAGED_FRAMES
    same = bool((managed_hashes == hashes[:MANAGED_FRAMES]).all())
    return ArenaSpeed(compiled, managed, same)
