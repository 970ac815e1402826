"""A side that was built and run: its program, and what two runs of it recorded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from samebits.foreign.programs.description import ProgramSide
from samebits.foreign.programs.noise import Noise
from samebits.foreign.records import ForeignRun


@dataclass(frozen=True, slots=True)
class BuiltSide:
    """A side, its program, two runs of it, and what they disagree on."""

    side: ProgramSide
    built: Path
    run: ForeignRun
    again: ForeignRun
    noise: Noise | None
