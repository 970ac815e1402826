"""Evidence of other programs, two at a time: the frames of their records that a comparison needs.

Owns which frames those are. What differs and why is `diagnosis`'.
"""

from __future__ import annotations

from samebits.desync.compare import AROUND
from samebits.desync.report import Report
from samebits.foreign.records import ForeignRun
from samebits.foreign.report import report_of_run

Evidence = ForeignRun | Report


def reports_of(a: Evidence, b: Evidence) -> tuple[Report, Report]:
    """Both as reports; a record gives the frames around the first that differs, or its last."""
    frame = first_difference(a, b)
    return _report(a, frame), _report(b, frame)


def first_difference(a: Evidence, b: Evidence) -> int | None:
    """The first frame after which both have a hash and these differ; -1 is the set-up."""
    mine, theirs = _hashes(a), _hashes(b)
    return next((n for n, hash_ in mine.items() if theirs.get(n, hash_) != hash_), None)


def _hashes(evidence: Evidence) -> dict[int, int]:
    return evidence.hashes if isinstance(evidence, ForeignRun) else evidence.known


def _report(evidence: Evidence, frame: int | None) -> Report:
    if isinstance(evidence, Report):
        return evidence
    if frame is None:
        return report_of_run(evidence)
    return report_of_run(evidence, range(max(0, frame - AROUND), max(0, frame) + AROUND + 1))
