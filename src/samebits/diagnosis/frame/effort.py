"""How much work frames are: in operations of the interpreter, so that a search stops at the same
frame on every machine.

Owns how frames are measured. How much a search may take is its own.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from samebits.errors import TraceError
from samebits.ir.analysis.budget import Budget
from samebits.sides.side import Side
from samebits.sim.inputs import Inputs
from samebits.trace.model import Model
from samebits.trace.observer import LIMIT, BoundedObserver, FrameInput


def frame_operations(side: Side, before: bytes, row: Inputs) -> int:
    """Operations of the frame from a canonical state, with inputs of shape (1, players)."""
    budget = Budget(operations=LIMIT, frame=LIMIT)
    model = replace(Model.of(side.plain), budget=budget)
    with suppress(TraceError):  # it is as much as can be counted
        FrameInput.of(model, before, row[0]).run(BoundedObserver())
    return LIMIT - max(0, budget.operations)
