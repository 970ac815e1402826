"""The lines that write what differs after a frame."""

from __future__ import annotations

import numpy as np
from tests.support.runs.traced_frames import SMALL

from samebits.bits import from_canonical, to_canonical
from samebits.diagnosis.operation.writers import writers


def sources(*fields: str) -> list[str]:
    """The lines that are named where these fields are others in the other state."""
    state = SMALL.program.state
    memory = from_canonical(state, SMALL.trace.after)
    for field in fields:
        memory[field] = np.nextafter(memory[field], np.float32(9))
    return [place.source.strip() for place in writers(SMALL.trace, to_canonical(state, memory))]


def test_the_lines_that_write_what_differs_are_named() -> None:
    assert sources() == []
    (total,) = sources("total")
    assert "state.total" in total
    (faint,) = sources("faint")
    assert "state.faint" in faint
    assert sources("faint", "total") == [total, faint], "in the order of the state"
