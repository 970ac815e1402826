"""The trace of one frame in a desync report: recorded here, restored on another machine.

Owns the program that both use: the plain one under portable names, so that operations have the same
numbers on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from samebits.bits import xxh64
from samebits.desync.portable import PortableNames, portable
from samebits.frame_trace.encoding import encode
from samebits.frame_trace.model import Model
from samebits.frame_trace.record import record
from samebits.ir.grammar import Module
from samebits.sides.run import SideRun
from samebits.sides.side import Side
from samebits.sim.inputs import Inputs


@dataclass(frozen=True, slots=True)
class TracedFrame:
    """One frame's encoded trace, and the hash of the state after it."""

    encoded: bytes
    hash: int


def readable(side: Side, frame: int) -> Module:
    """The kernels, without hazards, by which other machines restore a side's trace of a frame."""
    model = side.model(frame)
    return side.plain.kernels if model is None else model.reader.module


def portable_model(model: Model, names: PortableNames) -> Model:
    """The same step under portable names, so that traces of several machines are comparable."""
    plain = None if model.plain is None else portable(model.plain, names)
    return replace(
        model, module=portable(model.module, names), step=names.function(model.step), plain=plain
    )


def trace_frame(running: SideRun, inputs: Inputs, names: PortableNames) -> TracedFrame:
    """The trace of a run's next frame, without running it; inputs have shape (players,).

    If no evaluation reproduces the side's bits, the plain program is traced, and the hash shows
    that the trace is not the run's.
    """
    side = running.side
    model = side.model(running.frame) or Model.of(side.plain)
    given = portable_model(model, names)
    if given.memory == given.state or side.is_emulated:
        found = record(given, running.save(), inputs)
    else:
        # Unhashed memory affects the frame too.
        memory = np.frombuffer(running.snapshot().memory, np.uint8)
        found = record(given, memory, inputs)
    return TracedFrame(encode(found), xxh64(found.after))
