"""Peak memory of verifying an hour of the arena, beside that of verifying a minute."""

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.arena_speed import ARENA, load_arena, script_inputs

FRAMES = 216_000
"""An hour at 60 frames a second."""
FEW = 3_600


@dataclass(frozen=True)
class Memory:
    """Peak resident bytes of the two verifications, seconds and bytes on disk of the long one."""

    few: int
    many: int
    seconds: float
    file_bytes: int


def measure() -> Memory:
    """Record both replays and verify each in a fresh process, in every execution there is.

    Raises subprocess.CalledProcessError where a verification does not end with "the same".
    """
    simulation = load_arena().ARENA
    inputs = script_inputs(simulation, "chaos", FRAMES)
    with tempfile.TemporaryDirectory() as folder:
        few, many = Path(folder, "few.mcap"), Path(folder, "many.mcap")
        for path, frames in ((few, FEW), (many, FRAMES)):
            with simulation.record(path, seed=1) as recording:
                recording.run(inputs[:frames])
        peak_few, _ = verify(few)
        peak_many, seconds = verify(many)
        return Memory(peak_few, peak_many, seconds, many.stat().st_size)


def verify(replay: Path) -> tuple[int, float]:
    """Peak resident bytes and CPU seconds of `samebits verify`."""
    command = [sys.executable, "-m", "samebits", "verify", str(ARENA), str(replay)]
    helper = [sys.executable, "-m", "benchmarks.peak", *command]
    found = json.loads(subprocess.run(helper, check=True, capture_output=True, text=True).stdout)
    if found["status"]:
        raise subprocess.CalledProcessError(found["status"], command)
    return found["bytes"], found["seconds"]
