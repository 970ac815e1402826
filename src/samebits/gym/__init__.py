"""Simulations as Gymnasium and PettingZoo environments: `pip install 'samebits[gym]'`.

An environment's episode depends on the seed, its index and the episode's number alone: on no number
of environments, workers or machine.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from samebits.errors import ArgumentError, hide

if TYPE_CHECKING:
    from samebits.gym.env import WorldEnv
    from samebits.gym.parallel import WorldParallelEnv, make_parallel
    from samebits.gym.registry import make, make_vec, register
    from samebits.gym.vector import WorldVectorEnv

__all__ = [
    "WorldEnv", "WorldParallelEnv", "WorldVectorEnv", "make", "make_parallel", "make_vec",
    "register",
]  # fmt: skip
_PLACES = {
    "WorldEnv": "env",
    "WorldParallelEnv": "parallel",
    "WorldVectorEnv": "vector",
    "make": "registry",
    "make_parallel": "parallel",
    "make_vec": "registry",
    "register": "registry",
}
"""The modules of the names, which load Gymnasium and PettingZoo."""


def __getattr__(name: str) -> Any:
    module = _PLACES.get(name)
    if module is None:
        try:
            raise AttributeError(f"module 'samebits.gym' has no attribute '{name}'")
        except AttributeError as error:
            hide(error)
            raise
    try:
        found = importlib.import_module(f"samebits.gym.{module}")
    except ModuleNotFoundError as missing:
        if missing.name not in ("gymnasium", "pettingzoo"):
            raise
        raise ArgumentError(
            f"samebits.gym.{name} needs {missing.name}",
            fix="python -m pip install 'samebits[gym]'",
        ) from None
    value = getattr(found, name)
    globals()[name] = value
    return value
