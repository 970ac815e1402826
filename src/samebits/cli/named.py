"""Simulations and comma-separated words that a command line names."""

from __future__ import annotations

import sys
from pathlib import Path

from samebits.errors import ArgumentError, SimulationError
from samebits.replay.mcap_records import MAGIC
from samebits.sim.load import FORMS, load_simulation
from samebits.sim.simulation import Simulation


def words(option: str, text: str) -> tuple[str, ...]:
    """The comma-separated words of an option. Raises ArgumentError if one is empty."""
    found = tuple(word.strip() for word in text.split(","))
    if not all(found):
        raise ArgumentError(f"{option} {text} has an empty word", fix="leave out the comma")
    return found


def named_simulation(name: str) -> Simulation:
    """The simulation of that name. Raises SimulationError, which says what another file is."""
    if name.endswith(":"):
        raise SimulationError(f"{name} names no simulation after the colon", fix=f"give {FORMS}")
    path = Path(name)
    parts = name.split(".")
    if path.is_dir() and not all(part.isidentifier() for part in parts):
        raise SimulationError(f"{name} is a folder, not a simulation", fix=f"give {FORMS}")
    if path.is_file() and len(parts) > 1 and parts[-1] != "py":
        what = "a recording" if _is_recording(path) else "not a Python file"
        raise SimulationError(f"{name} is {what}: the simulation comes first", fix=f"give {FORMS}")
    return load_simulation(name)


def file_in(sim: str) -> str:
    """The simulation's file where its folder is named: `arena/arena.py` for `arena`."""
    path = Path(sim)
    inner = path / f"{path.resolve().name}.py"
    return str(inner) if path.is_dir() and inner.is_file() else sim


def source_of(sim: str) -> str | None:
    """The file of a simulation that is named by one."""
    path = sim.rpartition(":")[0] if ":" in sim and not Path(sim).is_file() else sim
    return path if Path(path).is_file() else None


def warn_fewer_frames(replay: str | None, frames: int, asked: int | None) -> None:
    """Print on stderr that a replay has fewer frames than were asked for, if so."""
    if replay is not None and asked is not None and frames < asked:
        sys.stderr.write(f"{replay} has {frames:,} frames, fewer than the {asked:,} asked for\n")


def _is_recording(path: Path) -> bool:
    """Whether the file begins as replays and reports do."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False
