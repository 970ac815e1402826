"""A replay as another machine's report: its inputs, and the hashes and states that it recorded.

Owns that conversion. What a replay does not hold, the program and the machine, is empty.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samebits.bits import xxh64
from samebits.desync.format import (
    HASHES,
    INPUT_HASHES,
    INPUTS,
    MAX_ASKED,
    MAX_FRAMES,
    MAX_STATES,
    STATES,
    Contents,
    Key,
    input_block,
)
from samebits.desync.machine import UNKNOWN
from samebits.desync.report import Report
from samebits.errors import ReportError
from samebits.replay import ReplayHeader, ReplayReader


def report_of_replay(path: str) -> Report:
    """The facts of a replay as those of a report.

    Raises ReplayError if it cannot be read, and ReportError if it has no frames, or more than a
    report holds.
    """
    with ReplayReader(path) as reader:
        header = reader.header
        parts: dict[Key, bytes] = {}
        inputs: list[bytes] = []
        for block in reader.blocks():
            first, size = block.first_frame, header.frame_size
            rows = [block.inputs[k * size : (k + 1) * size] for k in range(block.frames)]
            inputs += rows
            hashes = np.array([xxh64(row) for row in rows], "<u8")
            parts[Key(INPUT_HASHES, first)] = hashes.tobytes()
            if block.hashes is not None:
                parts[Key(HASHES, first + 1)] = _bytes(block.hashes)
        damage = reader.damage
        kept = 0
        for number, state in reader.keyframes():
            kept += len(state)
            if number <= len(inputs) and kept <= MAX_STATES:
                parts[Key(STATES, number)] = state
    if not 0 < len(inputs) <= MAX_FRAMES:
        raise ReportError(
            f"{path} has {len(inputs):,} frames, not 1 to {MAX_FRAMES:,}",
            note=damage,
            fix="record it again" if not inputs else "compare a shorter one",
        )
    asked = range(min(len(inputs), MAX_ASKED))
    parts |= _inputs(header, inputs[: asked.stop])
    states = tuple(sorted(key.number for key in parts if key.topic == STATES))
    contents = Contents("", len(inputs), asked, states, 0, 0)
    return Report(UNKNOWN, header, contents, parts, (damage,) if damage else (), path,
                  is_replay=True)  # fmt: skip


def _bytes(hashes: NDArray[np.uint64]) -> bytes:
    return hashes.astype("<u8").tobytes()


def _inputs(header: ReplayHeader, rows: list[bytes]) -> dict[Key, bytes]:
    """The inputs of frames from 0 on, in parts as a report has them."""
    count = input_block(header)
    return {
        Key(INPUTS, first): b"".join(rows[first : first + count])
        for first in range(0, len(rows), count)
    }
