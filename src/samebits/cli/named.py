"""What a command line names: simulations, and what stands there instead of one; lists of words."""

from __future__ import annotations

import sys
from pathlib import Path

from samebits.errors import ArgumentError, SimulationError
from samebits.replay.mcap_records import MAGIC
from samebits.sim.load import FORMS, load_simulation
from samebits.sim.simulation import Simulation


def words(option: str, text: str) -> tuple[str, ...]:
    """The words of an option with commas between. Raises ArgumentError where one is empty."""
    found = tuple(word.strip() for word in text.split(","))
    if not all(found):
        raise ArgumentError(f"{option} {text} has an empty word", fix="leave out the comma")
    return found


def named_simulation(name: str) -> Simulation:
    """The simulation of that name. Raises SimulationError, also for files and folders that are
    something else."""
    if name.endswith(":"):
        raise SimulationError(f"{name} names no simulation behind the colon", fix=f"give {FORMS}")
    path = Path(name)
    parts = name.split(".")
    if path.is_dir() and not all(part.isidentifier() for part in parts):
        raise SimulationError(f"{name} is a folder, not a simulation", fix=f"give {FORMS}")
    if path.is_file() and len(parts) > 1 and parts[-1] != "py":
        what = "a recording" if _is_recording(path) else "no Python file"
        raise SimulationError(
            f"{name} is {what}, and a simulation is to be named first", fix=f"give {FORMS}"
        )
    return load_simulation(name)


def warn_fewer_frames(replay: str | None, frames: int, asked: int | None) -> None:
    """Say on stderr where a replay has fewer frames than were asked for."""
    if replay is not None and asked is not None and frames < asked:
        sys.stderr.write(f"{replay} has {frames:,} frames, fewer than the {asked:,} asked for\n")


def _is_recording(path: Path) -> bool:
    """Whether it begins as replays and reports do."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False
