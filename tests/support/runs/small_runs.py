"""The small simulation, sides of it that run, and its inputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from samebits.sides.input_stream import InputStream
from samebits.sides.run import SideRun, open_run
from samebits.sides.side import parse_side
from samebits.sim.load import load_simulation
from samebits.sim.sources import PlayerSource
from tests.support.folders import SIMULATIONS

SOURCE = SIMULATIONS / "small_simulation.py"
SMALL = load_simulation(str(SOURCE))
SWARM = load_simulation(str(SOURCE.with_name("parallel_simulation.py")))


def inputs(frames: int, script: str = "push", seed: int = 1) -> InputStream:
    return InputStream(PlayerSource(SMALL, script, seed, frames))


def side(text: str) -> SideRun:
    return open_run(parse_side(text, SMALL))


def hashes(text: str, frames: int, script: str = "push", seed: int = 1) -> list[int]:
    running = side(text)
    running.start(seed)
    given: Any = inputs(frames, script, seed).between(0, frames)
    return [int(value) for value in np.asarray(running.advance(given).hashes)]


def changed_source(folder: Path, *changes: tuple[str, str]) -> Path:
    """Another version of the small simulation, in a folder of its own."""
    text = SOURCE.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / SOURCE.name
    path.write_text(text)
    return path
