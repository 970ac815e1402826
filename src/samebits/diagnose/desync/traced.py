"""The operation trace in a desync report: made where the report is, followed elsewhere.

Owns the program that both trace by: the plain one, under portable names, so that operations are
numbered alike on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from samebits.bits import xxh64
from samebits.diagnose.desync.portable import Names, portable
from samebits.diagnose.desync.report import Report
from samebits.diagnose.model import Model
from samebits.diagnose.replayed import replay
from samebits.diagnose.running import Running
from samebits.diagnose.sides import Side
from samebits.diagnose.trace import Trace, record
from samebits.diagnose.trace_bytes import decode, encode
from samebits.errors import ReportError, TraceError
from samebits.ir.grammar import Module
from samebits.sim.inputs import Inputs
from samebits.sim.simulation import Simulation


@dataclass(frozen=True, slots=True)
class TracedFrame:
    """One frame's operations as they are stored, and the hash of the state that they left."""

    encoded: bytes
    hash: int


def readable(side: Side, frame: int) -> Module:
    """The kernels by which others read what a side did in a frame: those without hazards."""
    model = side.model(frame)
    return side.plain.kernels if model is None else model.reader.module


def portable_model(model: Model, names: Names) -> Model:
    """The same step under portable names, by which traces of several machines are compared."""
    plain = None if model.plain is None else portable(model.plain, names)
    return replace(
        model, module=portable(model.module, names), step=names.function(model.step), plain=plain
    )


def traced(running: Running, inputs: Inputs, names: Names) -> TracedFrame:
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
        memory = np.frombuffer(running.keep().memory, np.uint8)
        found = record(given, memory, inputs)
    return TracedFrame(encode(found), xxh64(found.after))


def trace_of(report: Report, simulation: Simulation | None = None) -> Trace | None:
    """The trace in a report, each operation with its results; None where there is none.

    It is followed along the report's own program, or that of a simulation that is here. Raises
    ReportError where it is damaged, of another program, or none that this program could give.
    """
    data = report.trace
    if data is None:
        return None
    frame = report.contents.traced
    state, inputs = report.state(frame), report.inputs_array(frame)
    model = _own(report) if simulation is None else _of(simulation)
    lacking = {"state": state, "inputs": inputs, "program": model}
    if state is None or inputs is None or model is None:
        names = " and ".join(name for name, value in lacking.items() if value is None)
        raise ReportError(f"the trace in {report.name} cannot be followed without the {names}")
    if (model.state, model.input) != report.types:
        raise ReportError(f"the trace in {report.name} is of a program with other types")
    try:
        return replay(model, decode(data), state, inputs)
    except TraceError as error:
        raise ReportError(
            f"the trace in {report.name} cannot be followed: {error.message}", note=error.note
        ) from None


def _own(report: Report) -> Model | None:
    return None if report.program is None else report.model_of(report.program)


def _of(simulation: Simulation) -> Model:
    return portable_model(Model.of(simulation.program), Names(simulation))
