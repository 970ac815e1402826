"""The departure of a run from its replay, as lines of text.

Owns the words alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from samebits.diagnosis.report.findings import Departure, RecordedFact
from samebits.diagnosis.report.wording import moment, what_leave

FIELDS_SHOWN = 5


def lines(fact: RecordedFact, who: str) -> Iterator[str]:
    """A departure as text, a line for each fact; nothing where there is none.
    `who` is what ran, as in "side a departs"."""
    found = fact.departure
    if found is None:
        yield from fact.notes
        return
    yield f"{who} from {fact.replay}: {_where(found)}"
    yield f"  here      {found.here}"
    yield f"  recorded  {found.recorded or 'more frames'}"
    if found.since < found.frame - 1:
        yield f"  {_gap(found)}"
    if found.keyframe is not None:
        yield f"  the keyframe before frame {found.keyframe:,} {_differs(found)}"
        for field in found.fields[:FIELDS_SHOWN]:
            apart = "" if field.ulps is None else f", {field.ulps:,} ULP apart"
            yield f"    {field.path}  {field.a.type}{apart}"
            yield f"      here      {field.a.bits}  {field.a.text}"
            yield f"      recorded  {field.b.bits}  {field.b.text}"
        if found.differing > FIELDS_SHOWN:
            yield f"    and {found.differing - FIELDS_SHOWN:,} more"
    yield (
        "  the state was changed, or restored badly, while it was recorded; or the machine that "
        "recorded it has other bits"
    )
    yield from fact.notes


def agreement(fact: RecordedFact) -> str:
    """The extent of the comparison, if all of it agrees."""
    counts = (fact.hashes, "hash", "hashes"), (fact.keyframes, "keyframe", "keyframes")
    parts = [f"{count:,} {one if count == 1 else many}" for count, one, many in counts if count]
    return f"{' and '.join(parts) or 'nothing'} of {fact.replay} compared"


def _where(found: Departure) -> str:
    if found.between:
        return (
            f"between frames {found.frame:,} and {found.frame + 1:,} the state that was recorded "
            "becomes another"
        )
    return f"the state that {moment(found.frame)} leaves is not the one recorded"


def _gap(found: Departure) -> str:
    return f"nothing is recorded of {what_leave(found.since + 1, found.frame - 1)}"


def _differs(found: Departure) -> str:
    if not found.differing:
        return "is the same: the run comes back to what was recorded"
    return f"differs in {found.differing:,} scalar{'s' * (found.differing != 1)}"
