"""Statements that leave what differs after a frame, where nothing tells more of the operations."""

from __future__ import annotations

import numpy as np

from samebits.bits import from_canonical
from samebits.diagnosis.report.findings import Place
from samebits.frame_trace.last_write import origins_in_state
from samebits.frame_trace.record import Trace
from samebits.ir.own_code import is_own_code
from samebits.ir.refs import op_at

_MOST_BYTES = 256
MOST = 4
"""Lines that are named."""


def writers(trace: Trace, after: bytes) -> list[Place]:
    """The lines that in side a's frame write last what is other in the state `after`, each once, in
    the order of the state; none of the library's."""
    t = trace.model.state
    own, other = (from_canonical(t, state).view(np.uint8) for state in (trace.after, after))
    differing = np.flatnonzero(own != other)[:_MOST_BYTES].tolist()
    found: dict[tuple[str, int], Place] = {}
    for origin in origins_in_state(trace.frame_input, differing):
        if origin.write is None or is_own_code(origin.write.place.function):
            continue
        place = Place.of(op_at(trace.model.module, origin.write.place).span)
        found.setdefault((place.file, place.line), place)
    return list(found.values())
