"""The points at which a run can be taken up again: before a frame, and before `init`.

Owns what it takes to run or to evaluate from there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from samebits.bits import canonical_size, from_canonical
from samebits.errors import Trap
from samebits.frame_trace.model import Model
from samebits.frame_trace.observer import Memory
from samebits.frame_trace.record import Trace, record
from samebits.sim.execution import Execution
from samebits.sim.inputs import Inputs
from samebits.sim.program import Program


@dataclass(frozen=True, eq=False)
class FramePoint:
    """A frame: the canonical state before it and its inputs, of shape (1, players)."""

    before: bytes
    row: Inputs
    seed = None

    def run(self, execution: Execution) -> bytes | None:
        """The canonical state after it; None where it traps."""
        execution.restore(self.before)
        return execution.save() if execution.advance(self.row).trap is None else None

    def model(self, model: Model, program: Program) -> Model:
        """The model of a program's step as the one that this point enters."""
        return model

    def given(self, model: Model) -> tuple[bytes, Memory]:
        """The arguments of the model's function: the state, and the players' inputs."""
        return self.before, self.row[0]

    def trace(self, model: Model) -> Trace:
        """The evaluation of a model of it. Raises TraceError."""
        return record(model, *self.given(model))

    def arguments(self, program: Program) -> tuple[str, list[object]]:
        """The function that runs, and what it takes."""
        return program.step, [from_canonical(program.state, self.before), self.row[0]]


@dataclass(frozen=True, eq=False)
class InitPoint:
    """`init`, with a seed."""

    seed: int
    before = b""

    def run(self, execution: Execution) -> bytes | None:
        """The canonical state after it; None where it traps."""
        try:
            execution.start(self.seed)
        except Trap:
            return None
        return execution.save()

    def model(self, model: Model, program: Program) -> Model:
        """The model of a program's step as the one that this point enters."""
        return replace(model, step=program.init)

    def given(self, model: Model) -> tuple[bytes, Memory]:
        """The arguments of the model's function: a state of zeros, and the seed."""
        return bytes(canonical_size(model.state)), np.array([self.seed], np.uint64)

    def trace(self, model: Model) -> Trace:
        """The evaluation of a model of it. Raises TraceError."""
        return record(model, *self.given(model))

    def arguments(self, program: Program) -> tuple[str, list[object]]:
        """The function that runs, and what it takes."""
        return program.init, [np.zeros(1, program.state.dtype), self.seed]


Point = FramePoint | InitPoint
