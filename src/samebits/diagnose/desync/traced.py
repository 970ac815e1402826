"""The operation trace in a desync report: made where the report is, followed elsewhere.

Owns the program that both trace by: the plain one, under portable names, so that operations are
numbered alike on every machine.
"""

from __future__ import annotations

from samebits.bits import xxh64
from samebits.diagnose.desync.make import Running, Side, TracedFrame, Tracer
from samebits.diagnose.desync.portable import Names, portable
from samebits.diagnose.desync.report import Report
from samebits.diagnose.model import Model
from samebits.diagnose.replayed import replay
from samebits.diagnose.trace import Trace, record
from samebits.diagnose.trace_bytes import decode, encode
from samebits.errors import ReportError, TraceError
from samebits.sim.inputs import Inputs
from samebits.sim.program import Program


def tracer_of(side: Side) -> Tracer:
    """What traces a frame of a side's run: its kernels, evaluated from the state before it."""

    def trace(running: Running, inputs: Inputs) -> TracedFrame:
        names = Names(side.simulation)
        found = record(Model.of(portable(side.plain, names)), running.save(), inputs)
        return TracedFrame(encode(found), xxh64(found.after))

    return trace


def trace_of(report: Report, program: Program | None = None) -> Trace | None:
    """The trace in a report, each operation with its results; None where there is none.

    `program` is a plain one under portable names, by default the report's own. Raises ReportError
    where the trace is damaged, of another program, or none that this program could give.
    """
    data = report.trace
    if data is None:
        return None
    frame = report.contents.traced
    state, inputs = report.state(frame), report.inputs_array(frame)
    program = program or report.program
    if state is None or inputs is None or program is None:
        lacking = {"state": state, "inputs": inputs, "program": program}
        names = " and ".join(name for name, value in lacking.items() if value is None)
        raise ReportError(f"the trace in {report.name} cannot be followed without the {names}")
    if (program.state, program.input) != report.types:
        raise ReportError(f"the trace in {report.name} is of a program with other types")
    try:
        return replay(Model.of(program), decode(data), state, inputs)
    except TraceError as error:
        raise ReportError(
            f"the trace in {report.name} cannot be followed: {error.message}", note=error.note
        ) from None
