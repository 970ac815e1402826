"""The operation trace in a desync report: made where the report is, followed elsewhere.

Owns the program that both trace by: the plain one, under portable names, so that operations are
numbered alike on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from samebits.bits import xxh64
from samebits.desync.portable import PortableNames, portable
from samebits.ir.grammar import Module
from samebits.sides.run import SideRun
from samebits.sides.side import Side
from samebits.sim.inputs import Inputs
from samebits.trace.encoding import encode
from samebits.trace.model import Model
from samebits.trace.record import record


@dataclass(frozen=True, slots=True)
class TracedFrame:
    """One frame's operations as they are stored, and the hash of the state that they left."""

    encoded: bytes
    hash: int


def readable(side: Side, frame: int) -> Module:
    """The kernels by which others read what a side did in a frame: those without hazards."""
    model = side.model(frame)
    return side.plain.kernels if model is None else model.reader.module


def portable_model(model: Model, names: PortableNames) -> Model:
    """The same step under portable names, by which traces of several machines are compared."""
    plain = None if model.plain is None else portable(model.plain, names)
    return replace(
        model, module=portable(model.module, names), step=names.function(model.step), plain=plain
    )


def trace_frame(running: SideRun, inputs: Inputs, names: PortableNames) -> TracedFrame:
    """The next frame of a run, which stays where it is; inputs have the shape (players,).

    Where no evaluation can give the side's bits, it is the plain program that is traced, and the
    hash says that it is not what ran.
    """
    side = running.side
    model = side.model(running.frame) or Model.of(side.plain)
    given = portable_model(model, names)
    if given.memory == given.state or side.is_emulated:
        found = record(given, running.save(), inputs)
    else:
        # What no hash sees counts as well.
        memory = np.frombuffer(running.snapshot().memory, np.uint8)
        found = record(given, memory, inputs)
    return TracedFrame(encode(found), xxh64(found.after))
