"""Classic control is Gymnasium's, step for step, once both have the same sine, cosine, square."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.support.folders import EXAMPLES

from samebits import math
from samebits.sim.load import load_simulation
from samebits.sim.simulation import Simulation

gymnasium = pytest.importorskip("gymnasium", reason="pip install 'samebits[gym]'")
FOLDER = EXAMPLES / "classic_control"
STEPS = 400


def example(name: str) -> Simulation:
    return load_simulation(str(FOLDER / f"{name}.py"))


def sine(x: Any) -> Any:
    return np.float64(math.sin(float(x)))


def cosine(x: Any) -> Any:
    return np.float64(math.cos(float(x)))


def with_our_library(env_class: Any) -> Any:
    """The environment's own class, its source run with samebits' sine and cosine, and with x*x for
    x**2, which NumPy takes from the C library for one number."""
    module = sys.modules[env_class.__module__]
    source = inspect.getsource(module)
    for name in ("dtheta1", "dtheta2", "d2", "lc1", "lc2", "l1", "thdot", "u", "l"):
        source = source.replace(f"{name}**2", f"({name} * {name})")
        source = source.replace(f"{name} ** 2", f"({name} * {name})")
    source = source.replace("angle_normalize(th) ** 2", "square(angle_normalize(th))")
    numpy = SimpleNamespace(**{n: getattr(np, n) for n in dir(np) if not n.startswith("__")})
    numpy.sin, numpy.cos, numpy.square = sine, cosine, lambda x: x * x
    given = {"__name__": module.__name__, "square": lambda x: x * x}
    exec(compile(source, module.__file__ or "", "exec"), given)
    given.update(np=numpy, sin=sine, cos=cosine)
    if "math" in given:
        given["math"] = SimpleNamespace(**{**vars(given["math"]), "sin": sine, "cos": cosine})
    return given[env_class.__name__]


def compare(
    env: Any, simulation: Simulation, numbers: tuple[str, ...], action: Callable[[Any], Any]
) -> int:
    """Steps of both from the same state until an episode ends, for some episodes; how many steps
    had the same bits."""
    random, same = np.random.default_rng(5), 0
    batch = simulation.batch(1, seeds=3)
    out = np.zeros((1, *simulation.learning.shape), np.float32)  # type: ignore[union-attr]
    rewards, ended, cut = np.zeros(1, np.float32), np.zeros(1, bool), np.zeros(1, bool)
    inputs = np.zeros((1, 1), simulation.input_type.dtype)
    (field,) = simulation.input_type.field_types
    env = env.unwrapped
    for _ in range(4):
        batch.reset()
        env.reset(seed=1)
        env.state = np.array([batch.states[name][0] for name in numbers])
        for _ in range(STEPS):
            given = action(random)
            seen, reward, terminated, _, _ = env.step(given)
            inputs[field] = np.asarray(given).reshape(-1)[0]
            batch.learn(inputs, out, rewards, ended, cut)
            assert out[0].tobytes() == seen.tobytes()
            state = np.array([batch.states[name][0] for name in numbers])
            assert state.tobytes() == np.array(env.state, np.float64).tobytes()
            assert rewards[0] == np.float32(reward)
            assert bool(ended[0]) == terminated
            same += 1
            if terminated:
                break
    return same


CASES = {
    "cart_pole": ("cartpole", "CartPoleEnv", ("x", "x_dot", "theta", "theta_dot"), 2),
    "mountain_car": ("mountain_car", "MountainCarEnv", ("position", "velocity"), 3),
    "acrobot": ("acrobot", "AcrobotEnv", ("angle_1", "angle_2", "speed_1", "speed_2"), 3),
    "swing_up": ("pendulum", "PendulumEnv", ("angle", "speed"), 0),
}


@pytest.mark.parametrize("name", CASES)
def test_classic_control_has_gymnasium_s_bits(name: str) -> None:
    module, cls, numbers, actions = CASES[name]
    found = __import__(f"gymnasium.envs.classic_control.{module}", fromlist=[cls])
    env = with_our_library(getattr(found, cls))()

    def action(random: Any) -> Any:
        if actions:
            return int(random.integers(actions))
        return random.uniform(-2, 2, 1).astype(np.float32)

    assert compare(env, example(name), numbers, action) > (50 if name == "cart_pole" else 1000)
