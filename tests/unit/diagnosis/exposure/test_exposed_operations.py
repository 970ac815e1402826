"""Which other operations a cause exposes, always in one order."""

from __future__ import annotations

from tests.support.runs.traced_frames import TracedFrame
from tests.support.simulations.traced_simulation import TRACED

from samebits.diagnosis.exposure.operations import exposed_operations
from samebits.frame_trace.model import Model
from samebits.hazards.catalogue import by_name


def test_operations_as_near_to_the_state_come_in_the_order_of_their_places() -> None:
    """Not in that of a set, which is another in each process."""
    frame = TracedFrame(TRACED, 5, "push")
    first, *others = [place for place, _ in frame.ops("add")]
    hazard, model = by_name("changed-operation"), Model.of(frame.program)
    rows = [
        exposed_operations(model, *frame.before, hazard, "", first, only)
        for only in (others, others[::-1])
    ]
    assert len(rows[0]) > 2
    assert rows[0] == rows[1]
