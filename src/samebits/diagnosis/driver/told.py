"""The facts that every comparison tells: headers, inputs, damage, restores, what was planted.

Owns what needs no trace. Knows nothing of how the first frame is found.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager

from samebits.desync.report import Report
from samebits.diagnosis.before.changed_state import restores_said
from samebits.diagnosis.before.headers import Header
from samebits.diagnosis.before.input_rows import InputRows
from samebits.diagnosis.before.inputs import other_inputs
from samebits.diagnosis.beyond import beyond_first_facts
from samebits.diagnosis.cause.inquiry import SURE_FRAMES
from samebits.diagnosis.frame.search import FrameReport, FrameSearch
from samebits.diagnosis.report.findings import SCOPES, CauseFact, Diagnosis
from samebits.sides.input_stream import InputStream
from samebits.sides.side import Side
from samebits.sim.inputs import Inputs
from samebits.types import StructType

OTHER_RUN = 0.5
"""The part of the frames whose inputs may differ before it may be another replay's."""


def begun(simulation: str, version: str, seed: int, a: str, b: str) -> Diagnosis:
    """A diagnosis of which nothing is known yet."""
    return Diagnosis(simulation=simulation, version=version, seed=seed, a=a, b=b, frames=0)


@contextmanager
def timed(out: Diagnosis) -> Generator[None]:
    """The seconds that the block takes are told."""
    began = time.perf_counter()
    yield
    out.seconds = time.perf_counter() - began


def header_of(report: Report) -> Header:
    """What a report's machine tells of itself."""
    return Header(report.header, report.machine, report.contents.side)


def searched(out: Diagnosis, search: FrameSearch, a: Side) -> FrameReport:
    """The result of a search, and where its run of side a departs from the replay."""
    done = search.run()
    if search.recorded is not None:
        with beyond_first_facts(out.notes, "where the run departs from its replay is"):
            out.recorded = search.recorded.fact(a)
    out.notes += done.notes
    return done


def tell_inputs(out: Diagnosis, a: InputRows, b: InputRows, frames: int) -> dict[int, Inputs]:
    """Tells the inputs that differ; those of side b that their hashes give away are returned."""
    found = other_inputs(a, b, frames)
    out.inputs, out.inputs_differing = found.facts, len(found.frames)
    unshaped = any(fact.shape in ("changed", "unknown") for fact in found.facts)
    if unshaped and len(found.frames) > found.compared * OTHER_RUN:
        out.note(
            f"the inputs of {len(found.frames):,} of {found.compared:,} frames differ: they may be "
            "of another replay"
        )
    return found.found


def rows_of(report: Report) -> InputRows:
    """The inputs that a report has, or their hashes."""
    return InputRows(report.types[1], report.inputs_array, report.input_hashes.__getitem__)


def rows_here(inputs: InputStream, t: StructType) -> InputRows:
    """The inputs of a run here, as a struct type for one player has them."""
    rows = inputs.between(0, inputs.frames)
    return InputRows(t, lambda n: rows[n] if 0 <= n < len(rows) else None, lambda n: None)


def tell_planted(out: Diagnosis, cause: CauseFact) -> None:
    """Tells a cause that the headers named, as far as the experiment with it goes."""
    out.causes = (cause,)
    by_itself = cause.scope in (SCOPES[-1], "")
    if cause.holds and cause.frames_compared >= SURE_FRAMES and by_itself:
        out.certainty = "certain"
    else:
        out.certainty = "likely" if cause.holds or not cause.frames_compared else "possible"


def tell_restores(out: Diagnosis, report: Report) -> None:
    """Tells the restore after which the differing frame was run."""
    assert out.frame is not None
    if said := restores_said(report, out.frame):
        out.note(said)


def tell_damage(out: Diagnosis, report: Report) -> None:
    """Tells that parts of a report are lost."""
    if report.damage:
        out.note(f"{report.name} {_DAMAGED}")


_DAMAGED = "is damaged: what it has lost is not compared"


def is_of_damage(note: str) -> bool:
    """Whether a note of a diagnosis tells that not all was there to be compared."""
    return note.endswith(_DAMAGED)


def tell_budget(out: Diagnosis, report: Report) -> None:
    """Tells what to do if the budget was not enough."""
    if report.budget.is_spent:
        out.note(report.budget.advice)
