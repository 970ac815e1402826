"""Inputs of batches, and the hashes that lone sessions have of them."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

import samebits as sb
from samebits.runtime.threads import pool
from samebits.sim.players import random_inputs
from samebits.sim.simulation import Simulation

Inputs = np.ndarray[Any, Any]


def inputs_of(simulation: Simulation, n: int, frames: int, seed: int = 1) -> Inputs:
    """Random inputs of shape (frames, n, players)."""
    inputs = np.zeros((frames, n, simulation.players), simulation.input_type.dtype)
    for world in range(n):
        inputs[:, world] = random_inputs(simulation, 0, frames, seed * 1000 + world)
    return inputs


def hashes_alone(simulation: Simulation, seeds: Any, inputs: Inputs) -> NDArray[np.uint64]:
    """The hashes, of shape (frames, n), of a session for each world."""
    found = [simulation.start(int(seed)).run(inputs[:, i]) for i, seed in enumerate(seeds)]
    return np.stack(found, axis=1)


@contextmanager
def workers(count: int) -> Generator[None]:
    """Inside, kernels and batches have so many workers."""
    before = pool.workers()
    sb.set_workers(count)
    try:
        yield
    finally:
        sb.set_workers(before)
