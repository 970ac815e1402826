"""A side that runs a program which a compiler built."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from samebits.diagnosis.builds.compilers.execution import BuiltExecution
from samebits.frame_trace.model import Model
from samebits.sides.side import Side
from samebits.sim.execution import Execution
from samebits.sim.program import Program

_SECONDS = 600.0


@dataclass(frozen=True, eq=False)
class CompiledSide(Side):
    """A side whose `file` runs in place of its program; the file must be there while it does."""

    file: Path | None = None
    forms: bytes = b""
    """Which form of each function acts, where there are several."""
    begins: bytes | None = None
    """The state after `init`, where it is not the file's own."""

    def execution(self, program: Program) -> Execution:
        assert self.file is not None
        execution = BuiltExecution(program, self.file, _SECONDS, self.begins)
        if self.forms:
            execution.choose(self.forms)
        return execution

    def model(self, frame: int) -> Model | None:
        return None
