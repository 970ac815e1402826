"""Files of `--samebits-report` on a difference: replay, desync report, and what `diagnose` says."""

from __future__ import annotations

from pathlib import Path

from samebits.ci import first_finding
from samebits.output import write_file
from samebits.testing.runs import Run, other_row
from samebits.verify.executions import Row
from samebits.verify.verification import Verification


def write_report(folder: Path, nodeid: str, run: Run, row: Row, found: Verification) -> str:
    """Write into `folder`; returns the lines that say what was written, and the first finding."""
    folder.mkdir(parents=True, exist_ok=True)
    report = folder / first_finding.report_name(nodeid)
    frame = _frame(found)
    replay = report.with_suffix(".mcap")
    words = run.spec, str(first_finding.write_inputs(run.simulation, run.source(frame + 2), replay))
    written = first_finding.write_report(words, row.name, frame, report)
    text, page = report.with_suffix(".txt"), report.with_suffix(".html")
    said = first_finding.command(
        "diagnose", *words, "--a", other_row(row).name, "--b", row.name,
        "--html", str(page),
    )  # fmt: skip
    write_file(text, said)
    answer = next((line for line in said.splitlines() if line.strip()), "")
    return f"{written}\n{text}: {answer}"


def _frame(found: Verification) -> int:
    """The first frame that differs, from 0."""
    reports = (*found.rows, *found.recorded.values())
    return max(0, min((r.divergence.frame for r in reports if r.divergence), default=0))
