"""A state that one machine changed outside of frames, by hand or by a restore, as its session told.

Owns how such a change is put into the other side's state, and how it is said.
"""

from __future__ import annotations

from samebits.desync.evidence.dump import DumpBuilder
from samebits.desync.format import StateChange
from samebits.desync.report import Report
from samebits.diagnosis.cause.experiment import Agreement
from samebits.diagnosis.report.findings import CauseFact
from samebits.diagnosis.report.wording import moment
from samebits.errors import ReportError
from samebits.types import StructType

SHOWN = 5
_TITLES = {"restore": "a restore that lost something", "hand": "a state changed by hand"}
_REMEDIES = {
    "restore": "save and restore the whole state, as session.save() and session.restore() do, and "
    "give back the very bytes",
    "hand": "change the state in step alone, from inputs that all peers have",
}


def change_before(report: Report, frame: int) -> StateChange | None:
    """The change of the state that a frame began with, where there was one."""
    return next((each for each in report.contents.changes if each.number == frame), None)


def changed(t: StructType, state: bytes, change: StateChange) -> bytes | None:
    """A state with a change made in it; None where that is not told whole, or was of another
    state."""
    if not 0 < change.differing == len(change.scalars):
        return None
    was, becomes = (DumpBuilder(t, "the change", change.number) for _ in range(2))
    try:
        for path, before, after in change.scalars:
            was.put_path("it", path, before)
            becomes.put_path("it", path, after)
        return becomes.dump().beside(state) if was.dump().beside(state) == state else None
    except ReportError:
        return None


def cause(report: Report, change: StateChange, found: Agreement) -> CauseFact:
    """A change as the cause; `found` is what side a's program gives with it."""
    frame = change.number
    scalars = [f"{path} {before} became {after}" for path, before, after in change.scalars[:SHOWN]]
    more = change.differing - len(scalars)
    between = f"between {moment(frame - 1)} and {moment(frame)}"
    how = "by session.restore" if change.by == "restore" else "outside of the frames"
    return CauseFact(
        hazard="changed-state",
        title=_TITLES[change.by],
        expression="" if not found.compared else "side a's program over the changed state",
        practice="rollback code that keeps some of the state, cheats, debuggers, editors, loading",
        remedy=_REMEDIES[change.by],
        scope="",
        frames_same=found.same,
        frames_compared=found.compared,
        evidence=(
            f"{report.name} tells that its state was changed {between}, {how}",
            *scalars,
            *([f"and {more:,} more scalars"] if more > 0 else []),
        ),
    )


def restores_said(report: Report, frame: int) -> str:
    """The restore after which a frame was run, in a sentence; empty where there was none."""
    behind = [pair for pair in report.contents.restores if pair[1] <= frame]
    if not behind:
        return ""
    at, to = behind[-1]
    count = len(report.contents.restores)
    times = "once" if count == 1 else f"{count:,} times, before this frame last"
    return (
        f"{report.name} was restored {times}: from the state before frame {at:,} to that before "
        f"frame {to:,}"
    )
