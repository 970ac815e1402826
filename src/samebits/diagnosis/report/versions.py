"""The edits between two versions as lines of text, those that change nothing among them."""

from __future__ import annotations

from collections.abc import Iterator

from samebits.diagnosis.report.findings import EditsFact
from samebits.diagnosis.report.wording import near

_PARTS = (
    ("rivals", "gives b's bits as well"),
    ("masked", "changes something, but for those that matter"),
    ("harmless", "changes nothing in this run"),
)


def lines(edits: EditsFact) -> Iterator[str]:
    """All edits, those that matter first, each with what it does."""
    needed = [edit for answer in edits.answers for edit in answer.edits]
    shown = {edit: "matters" for edit in needed}
    for name, what in _PARTS:
        shown |= {edit: what for edit in getattr(edits, name) if edit not in shown}
    yield f"edits: {len(shown):,} between both versions, of which {len(needed):,} matter"
    for edit, what in shown.items():
        yield f"  {near(edit.where)}: {edit.words}: {what}"
    yield ""
