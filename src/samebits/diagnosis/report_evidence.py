"""What another machine's desync report tells in the stead of a run that cannot be made here: what
comes after a frame, its inputs, its operations.

Owns what of a report is believed. Whatever a report brings is interpreted, never compiled.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from samebits.bits import xxh64
from samebits.desync.compare import command
from samebits.desync.report import Report
from samebits.diagnosis.cause.experiment import Agreement
from samebits.diagnosis.frame.state_diff import differences
from samebits.diagnosis.operation.match_versions import Aligned, align
from samebits.diagnosis.report.findings import CauseFact, Diagnosis, HeatFact
from samebits.errors import IRError, ReportError, TraceError
from samebits.hazards.catalogue import by_name
from samebits.ir.analysis.budget import Budget
from samebits.sim.inputs import Inputs
from samebits.sim.outcome import TrapFact
from samebits.trace.encoding import decode
from samebits.trace.model import Model
from samebits.trace.record import Trace, record
from samebits.trace.restore import restore_trace

BELIEVED = "the traced run gives the plain run's bits, on both machines"
EVALUATED = "the report's own program, evaluated, gives the state that its machine reported"
OVER_INPUTS = "side a's program, evaluated over side b's inputs, gives side b's state"
AROUND = 2
"""Frames on each side of the differing one that another report is to tell."""


def silent(what: str, done: int, total: int) -> None:
    """Nobody watches."""


def title(report: Report) -> str:
    """What a report is called beside what it is compared with."""
    machine = report.machine
    words = [report.name, report.contents.side, machine.processor or machine.architecture]
    return ", ".join(word for word in (*words, machine.system) if word)


def after(report: Report, frame: int) -> str:
    """What a frame gave, in words: a hash, or a trap."""
    found, trap = report.hash_after(frame), report.contents.trap
    if trap is not None and frame == report.frames:
        return f"trap: {trap.message}"
    return "unknown" if found is None else f"{found:016x}"


def following(report: Report, frame: int) -> tuple[NDArray[np.uint64], TrapFact | None]:
    """The hashes from a frame on, as far as they are known without a gap, and the trap that ended
    the run, if it is behind them."""
    hashes, known = report.hashes.values[frame + 1 :], report.hashes.known[frame + 1 :]
    gaps = np.flatnonzero(~known)
    is_whole = not len(gaps) and len(report.hashes.known) == len(report.hashes)
    return hashes[: int(gaps[0]) if len(gaps) else None], (
        report.contents.trap if is_whole else None
    )


def gives(trace: Trace, report: Report, frame: int) -> bool:
    """Whether a traced frame ends as the report's did. A trap's place is as the report has it."""
    ends = report.contents.trap if frame == report.frames else None
    if trace.trap is not None or ends is not None:
        return trace.trap is not None and TrapFact.of(trace.trap) == ends
    return xxh64(trace.after) == report.hash_after(frame)


# -- the frame's operations ---------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Told:
    """A trace that a report gives, and why it is believed; with its source, where that is
    another."""

    trace: Trace
    believed: str
    aligned: Aligned | None = None


def told(
    report: Report, frame: int, mine: Model, before: bytes, given: Inputs, out: Diagnosis
) -> Told | None:
    """What the report's machine did in a frame, under the names of `mine`. Where that cannot be
    told, the notes say why."""
    try:
        return _told(report, frame, mine, before, given, out)
    except (IRError, ReportError, TraceError) as error:
        note(out, f"what {report.name} tells of frame {frame:,} cannot be followed: "
                  f"{error.message}")  # fmt: skip
        return None


def ask_for_trace(out: Diagnosis, report: Report, frame: int) -> None:
    """Say how a report is written that tells the frame's operations, if that is what lacks."""
    if report.budget.is_spent or (report.contents.traced == frame and report.trace is not None):
        return
    frames = range(max(0, frame - AROUND), frame + AROUND + 1)
    note(out, f"{report.name} does not tell the operations of frame {frame:,}; on that machine, "
              f"write another: {command(frames, frame)}")  # fmt: skip


def _told(
    report: Report, frame: int, mine: Model, before: bytes, given: Inputs, out: Diagnosis
) -> Told | None:
    program = report.program
    if program is None:
        return None
    theirs = report.model_of(program)
    entry = program.init if frame < 0 else program.step
    aligned = align(mine.module, theirs.module, report.budget, (mine.step, entry))
    stored = report.trace if report.contents.traced == frame else None
    if stored is not None and not report.trace_is_faithful:
        note(out, f"the trace in {report.name} is of an evaluation that left another state than "
                  "the run: it is not believed")  # fmt: skip
    elif stored is not None and not aligned.changes:
        return Told(_under(restore_trace(theirs, decode(stored), before, given), mine), BELIEVED)
    if not aligned.changes:
        return None
    trace = record(replace(theirs, module=aligned.module, step=mine.step), before, given)
    return Told(trace, EVALUATED, aligned) if gives(trace, report, frame) else None


def _under(trace: Trace, model: Model) -> Trace:
    """The trace with places as another model of the same operations calls them."""
    if len(model.numbering) != len(trace.model.numbering):
        raise TraceError("the trace is of another program", event=0)
    return replace(trace, frame_input=replace(trace.frame_input, model=model))


# -- inputs -------------------------------------------------------------------------------------


def joined(rows: Iterator[Inputs | None]) -> Inputs | None:
    """Inputs of frames, each of shape (players,), up to the first that is not known; None where
    that is the first."""
    found: list[Inputs] = []
    for row in rows:
        if row is None:
            break
        found.append(row)
    if not found:
        return None
    # Not stacked, which would take the padding out of their type.
    array = np.zeros((len(found), len(found[0])), found[0].dtype)
    for k, row in enumerate(found):
        array[k] = row
    return array


def blame_inputs(out: Diagnosis, frame: int, agreement: Agreement | None) -> None:
    """Name the frame's inputs as the cause: nothing else has to be found. `agreement` is what
    side a's program gives over side b's inputs, where these are known."""
    hazard = by_name("changed-input")
    found = agreement or Agreement(0, 0)
    cause = CauseFact(
        hazard=hazard.name,
        title=hazard.title,
        expression="" if agreement is None else "side a's program over side b's inputs",
        practice=hazard.practice,
        remedy=hazard.remedy,
        reach="",
        frames_same=found.same,
        frames_compared=found.compared,
        evidence=(f"the inputs of frame {frame:,} are not the same on both sides",),
    )
    out.causes = (cause,)
    out.certainty = "certain" if found.whole else "likely"


# -- the state after the frame ------------------------------------------------------------------


def tell_fields(out: Diagnosis, report: Report, frame: int, mine: bytes) -> None:
    """The differing fields: from the report's state, or as far as its hash tree tells."""
    theirs = report.state(frame + 1)
    if theirs is None:
        tell_trees(out, report, frame, report.tree.hashes(mine))
        return
    found = differences(report.types[0], mine, theirs)
    out.fields, out.differing = found.first, found.differing
    out.heat = tuple(row for row in found.heat if row.differing)


def tell_trees(out: Diagnosis, report: Report, frame: int, mine: NDArray[np.uint64] | None) -> None:
    """The parts of the state whose hashes differ."""
    theirs = report.tree_hashes(frame + 1)
    if mine is None or theirs is None:
        note(out, f"the state after frame {frame:,} is not told")
        return
    nodes = report.tree.differing(mine, theirs)
    out.heat = tuple(HeatFact(node.path, 0, 0, None) for node in nodes)


def tell_budget(out: Diagnosis, budget: Budget) -> None:
    """Where the budget was not enough: what can be done."""
    if budget.is_spent:
        note(out, budget.advice)


def note(out: Diagnosis, text: str) -> None:
    """Add a note, once."""
    if text not in out.notes:
        out.notes.append(text)
