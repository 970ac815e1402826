"""Golden files as desync reports: the hashes that a simulation had where they were written."""

from __future__ import annotations

from dataclasses import replace

from samebits.desync.evidence.facts import report_of_facts
from samebits.desync.format import MAX_FRAMES
from samebits.desync.report import Report
from samebits.errors import ReplayError, ReportError
from samebits.replay.header import ReplayHeader
from samebits.verify.golden import MARK, read_golden


def is_golden(path: str, head: bytes) -> bool:
    """Whether a file is one, by its first bytes."""
    return head.startswith(MARK)


def read_golden_report(path: str, header: ReplayHeader) -> Report:
    """The hashes of a golden file as a report of the run that `header` names, with the file's own
    simulation and digest. Raises ReportError."""
    try:
        golden = read_golden(path)
    except ReplayError as error:
        raise ReportError(error.message, note=error.note, fix=error.fix) from None
    last = golden.hashes[-1][0]
    if last >= MAX_FRAMES:
        raise ReportError(
            f"{path} has frame {last}, and a run of {MAX_FRAMES:,} frames is the longest",
            fix="leave out the frames behind it, and write the file again",
        )
    own = replace(header, simulation=golden.simulation, digest=golden.digest)
    return report_of_facts(own, path, dict(golden.hashes))
