"""Ways to step n environments: each a function of one frame's actions, ready to be timed."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

import samebits.gym as sg
from benchmarks.peers import C_FLAGS
from samebits.sim.load import load_simulation
from samebits.sim.simulation import Simulation

Step = Callable[[Any], object]
ROOT = Path(__file__).parents[2]
MOST_SLOW = 256
"""Environments that are stepped one by one in Python at most."""
SYNC, NUMPY, ENVPOOL, C = "SyncVectorEnv", "Gymnasium, NumPy", "EnvPool", "C loop"
PASS, OURS = "samebits, one pass", "samebits, make_vec"


@dataclass(frozen=True)
class Task:
    """An environment: its simulation, its name in Gymnasium and EnvPool, its function in C."""

    name: str
    file: str
    gymnasium: str
    c: str
    state: np.dtype[Any]

    @property
    def simulation(self) -> Simulation:
        """The example."""
        return load_simulation(str(ROOT / "examples" / "classic_control" / self.file))

    def actions(self, n: int) -> list[np.ndarray[Any, Any]]:
        """Random actions of some frames, which come round again."""
        random = np.random.default_rng(1)
        if self.c == "cartpole":
            return [random.integers(0, 2, n) for _ in range(16)]
        return [random.uniform(-2, 2, (n, 1)).astype(np.float32) for _ in range(16)]


def _dtype(*names: str) -> np.dtype[Any]:
    numbers = [(name, "f8") for name in names]
    return np.dtype([*numbers, ("random", "u8"), ("frame", "i8"), ("over", "i8")])


TASKS = (
    Task("CartPole", "cart_pole.py", "CartPole-v1", "cartpole", _dtype("x", "v", "angle", "turn")),
    Task("Pendulum", "swing_up.py", "Pendulum-v1", "pendulum", _dtype("angle", "speed")),
)


def compiled_c(folder: Path) -> ctypes.CDLL:
    """The loops in C, by the compiler and flags of the other tables."""
    source, library = Path(__file__).parent / "loops.c", folder / "loops.so"
    command = [sys.executable, "-P", "-m", "ziglang", "cc", *C_FLAGS, "-shared", "-fPIC"]
    subprocess.run([*command, str(source), "-o", str(library), "-lm"], check=True)
    return ctypes.CDLL(str(library))


def peers_of(task: Task, n: int, library: ctypes.CDLL) -> dict[str, Step]:
    """What steps n environments of a task here, by name."""
    found = {C: _c(task, n, library), PASS: _one_pass(task, n), OURS: _make_vec(task, n)}
    if n <= MOST_SLOW:
        envs = gymnasium.make_vec(task.gymnasium, n, vectorization_mode="sync")
        envs.reset(seed=1)
        found[SYNC] = envs.step
    if task.c == "cartpole":
        many = gymnasium.make_vec(task.gymnasium, n, vectorization_mode="vector_entry_point")
        many.reset(seed=1)
        found[NUMPY] = many.step
    pool = _envpool(task, n)
    if pool is not None:
        found[ENVPOOL] = pool
    return found


def _c(task: Task, n: int, library: ctypes.CDLL) -> Step:
    states = np.zeros(n, task.state)
    states["over"], states["random"] = 1, np.arange(n)
    seen = np.zeros((n, 4), np.float32)
    rewards, ended, cut = np.zeros(n, np.float32), np.zeros(n, np.uint8), np.zeros(n, np.uint8)
    function = getattr(library, task.c)
    pointers = [ctypes.c_void_p(a.ctypes.data) for a in (states, seen, rewards, ended, cut)]
    first, *rest = pointers
    count, kept = ctypes.c_int64(n), (states, seen, rewards, ended, cut)

    def step(actions: Any) -> object:
        function(first, ctypes.c_void_p(actions.ctypes.data), *rest, count)
        return kept

    return step


def _one_pass(task: Task, n: int) -> Step:
    """The compiled loop alone, into the same arrays each time, as the one in C."""
    envs = sg.make_vec(task.simulation, n, reuse=True)
    envs.reset(seed=1)
    worlds = envs.batch.opened()
    (field,) = task.simulation.input_type.field_types
    inputs = worlds.staged[field][0]
    given = [a.reshape(n, 1).astype(inputs.dtype) for a in task.actions(n)]
    limit, turn = 500 if task.c == "cartpole" else 200, 0

    def step(_: Any) -> object:
        nonlocal turn
        inputs[...] = given[turn % len(given)]
        turn += 1
        worlds.learn(limit)
        return envs  # which keeps the arrays alive

    return step


def _make_vec(task: Task, n: int) -> Step:
    envs = sg.make_vec(task.simulation, n)
    envs.reset(seed=1)
    return envs.step


def _envpool(task: Task, n: int) -> Step | None:
    try:
        import envpool  # type: ignore[import-not-found]  # pyright: ignore[reportMissingImports]
    except ImportError:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made: Any = envpool
        envs = made.make_gymnasium(task.gymnasium, num_envs=n, num_threads=1, seed=1)
        envs.reset()
    step: Step = envs.step
    return step
