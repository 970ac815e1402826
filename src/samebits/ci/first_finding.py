"""A run that differs, for those who look into it: a desync report, and what `diagnose` says.

Both are commands in processes of their own, with a time limit: a difference may be a crash.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from samebits.bits import xxh64
from samebits.replay import ReplayWriter
from samebits.sim.simulation import Simulation
from samebits.sim.sources import InputSource
from samebits.verify.executions import Row

SECONDS = 120
"""Most seconds of one command."""
_AROUND = 3
"""Frames before the first difference that a report holds in detail."""


def plainest(rows: Sequence[Row], but: Row | None = None) -> Row:
    """Of rows that run here, the one beside which another is put: this processor's plainest level,
    which fuses nothing where that can be, not optimised; else the reference interpreter."""
    here = [row for row in rows if row is not but and row.reason is None and not row.emulated]
    plain = (row for row in here if row.name.endswith("-O0"))
    return next(plain, None) or next(row for row in here if row.name == "evaluate")


def report_name(*words: str, content: str = "") -> str:
    """A file name of words, those of a machine, a simulation and a run, with 8 digits of the words
    and of what tells the run from others of its name."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", "-".join(words)).strip("-.")[-120:]
    digest = xxh64("\0".join((*words, content)).encode("utf-8", "surrogateescape"))
    return f"{plain}-{digest:016x}"[: len(plain) + 9] + ".desync"


def write_report(words: Sequence[str], row: str, frame: int, path: Path) -> str:
    """Write a report of a run, which `words` name as commands take it, on target `row` around
    `frame`, from 0; returns a line that says what was written, or why nothing was."""
    first = max(0, frame - _AROUND)
    said = command(
        "report", *words, "--frames", f"{first}:{max(0, frame) + 2}", "--a", row,
        "--out", str(path), "--force",
    )  # fmt: skip
    return f"{path} written" if path.is_file() else f"no report: {said.strip()[:500]}"


def write_inputs(simulation: Simulation, source: InputSource, path: Path) -> Path:
    """Write a run's inputs as a replay of the code as it is, which commands take, whatever code
    recorded them. It has no hashes."""
    path.unlink(missing_ok=True)
    with ReplayWriter(path, simulation.header(source.seed)) as writer:
        for block in source.blocks():
            data = simulation.inputs.to_bytes(block.inputs)
            writer.add_block(data, None, frames=len(block.inputs))
    return path


def command(*words: str, seconds: float = SECONDS) -> str:
    """What `samebits` with these words prints, both streams."""
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "samebits", *words],
            capture_output=True, text=True, timeout=seconds, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"samebits {words[0]} took more than {seconds:g} s"
    return done.stdout + done.stderr
