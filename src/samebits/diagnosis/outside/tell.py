"""Changes of side b's state outside of its frames, as facts and as a cause.

Owns what is said of them, and how sure it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from samebits.desync.report import Report
from samebits.diagnosis.cause.inquiry import SURE_FRAMES
from samebits.diagnosis.frame.state_diff import differences
from samebits.diagnosis.outside.search import Change, Changes, OutsideSearch
from samebits.diagnosis.report.findings import CauseFact, ChangeFact, Diagnosis
from samebits.diagnosis.report.wording import change_said
from samebits.sides.input_stream import InputStream
from samebits.sides.run import SideRun
from samebits.types import StructType

CHANGED_STATE = "changed-state"
BEFORE = ("changed-input", "seed")
"""Causes on top of which a state may be changed besides."""
_SLIGHT = 8
"""ULPs."""
MOST_FRAMES = 4096
"""Frames behind the first differing one that are followed."""
_PRACTICE = (
    "a rollback that restores part of the state, or goes back to the wrong frame, or plays a frame "
    "too few again; a value that is set outside of step"
)
_REMEDY = "save and restore the whole state, and change it in step alone"


def changes_of(
    run: SideRun, inputs: InputStream, report: Report, frame: int | None, frames: int
) -> Changes:
    """Search a report's run for changes; `frame` is its first that differs, None for none. The run
    has not begun. Raises what running raises."""
    numbers = [n for n in report.states if n - 1 not in report.made_up]
    states = {n: state for n in numbers if (state := report.state(n)) is not None}
    first = frames if frame is None else frame
    end = min(frames, first + MOST_FRAMES)
    found = OutsideSearch(run, inputs, report.told, states, first, end).run()
    found.knows_inputs = all(report.input_hashes[each.frame] is not None for each in found.found)
    return found


def facts_of(t: StructType, found: Changes) -> Iterator[ChangeFact]:
    """The changes as a diagnosis has them: those of which more is known than one frame's hash."""
    for each in found.found:
        if each.is_exact or found.behind:
            after = each.after
            every = None if after is None else differences(t, each.before, after)
            yield ChangeFact(
                each.frame, _shape(each), each.of, () if every is None else every.first,
                0 if every is None else every.differing, each.keyframe,
            )  # fmt: skip


def _shape(change: Change) -> str:
    if change.is_skipped:
        return "skipped"
    if change.of is not None:
        return "frame"
    return "fields" if change.is_exact else "unknown"


def are_slight(changes: Sequence[ChangeFact]) -> bool:
    """Whether each time one float changed, by little, as a guess has it: a step that computes it
    otherwise, in a way that nobody has thought of, looks the same."""
    return bool(changes) and all(
        each.differing == len(each.fields) == 1
        and each.keyframe is None
        and (each.fields[0].ulps or _SLIGHT + 1) <= _SLIGHT
        for each in changes
    )


def tell_certain(out: Diagnosis, found: Changes) -> bool:
    """Tells changes that give all of b's hashes as the cause, with what is known already to make
    the first frame differ: inputs, or a seed. Whether they do."""
    if not found.are_exact or not out.changes:
        return False
    is_slight = are_slight(out.changes)
    if is_slight and out.certainty in ("certain", "likely") and not _is_before(out):
        out.changes = ()  # that machine computes otherwise
        return True
    if any(cause.hazard == CHANGED_STATE for cause in out.causes):
        return True  # the other side's session has told of it
    first = out.causes[0] if out.causes and out.changes[0].frame > found.first else None
    if first is not None and first.hazard not in BEFORE:
        return False
    out.causes = (_cause(out, found) if first is None else _with(first, out, found),)
    alone = found.knows_inputs and all(each.alone for each in found.found)
    sure = alone and found.compared >= SURE_FRAMES and found.first >= 0  # init may compute it so
    out.certainty = "possible" if is_slight else "certain" if sure else "likely"
    return True


def _is_before(out: Diagnosis) -> bool:
    """Whether the cause is one on top of which a state may be changed, or such a change."""
    return bool(out.causes) and out.causes[0].hazard in (*BEFORE, CHANGED_STATE)


def tell_likely(out: Diagnosis, found: Changes) -> None:
    """Tells changes of which something is not known, where nothing else explains the frame."""
    if out.causes and out.causes[0].hazard not in BEFORE and out.certainty in ("certain", "likely"):
        out.changes = ()  # that machine computes otherwise
        return
    unknown = next((each.frame for each in found.found if not each.is_exact), None)
    if unknown is not None and not found.behind:
        out.note(unexplained(unknown))
    is_first = found.begin_at(found.first) and out.changes
    if is_first and out.causes and out.causes[0].frames_same:
        out.causes = (*out.causes, _cause(out, found))  # a build gives the first of b's hashes
    elif is_first and out.certainty in ("unknown", "possible"):
        out.causes = (_cause(out, found), *out.causes)
        is_known = out.changes[0].shape != "unknown" or found.behind >= SURE_FRAMES
        out.certainty = "likely" if is_known else "possible"


def unexplained(frame: int) -> str:
    """What is possible of a frame of which the hash alone is known."""
    between = f"between frames {frame - 1:,} and {frame:,}" if frame else "between init and frame 0"
    return (
        f"{between} the state may have been changed, or restored "
        f"badly; or that machine computes frame {frame:,} otherwise: keyframes would tell which"
    )


def _said(out: Diagnosis) -> tuple[str, ...]:
    return tuple(map(change_said, out.changes))


def _with(first: CauseFact, out: Diagnosis, found: Changes) -> CauseFact:
    """A cause, and what comes on top of it."""
    return replace(
        first, frames_same=found.same, frames_compared=found.compared,
        evidence=(*first.evidence, *_said(out)),
        expression=f"{first.expression}, whose state was changed besides",
    )  # fmt: skip


def _cause(out: Diagnosis, found: Changes) -> CauseFact:
    said = _said(out)
    return CauseFact(
        hazard=CHANGED_STATE,
        title=said[0],
        expression="side a's program, its state changed there",
        practice=_PRACTICE,
        remedy=_REMEDY,
        scope="",
        frames_same=found.same,
        frames_compared=found.compared,
        evidence=said,
    )
