"""Files of `--samebits-report` on a difference: replay, desync report, and what `diagnose` says."""

from __future__ import annotations

from pathlib import Path
from shlex import join

from samebits.ci import first_finding
from samebits.output import write_file
from samebits.testing.runs import Run, other_row
from samebits.verify.executions import Row
from samebits.verify.verification import Verification


def write_report(folder: Path, nodeid: str, run: Run, row: Row, found: Verification) -> str:
    """Write into `folder`; returns the lines that say what was written, and the first finding."""
    report = _place(folder, nodeid)
    frame = _frame(found)
    words = run.spec, str(_write_inputs(run, frame, report))
    written = first_finding.write_report(words, row.name, frame, report)
    text, page = report.with_suffix(".txt"), report.with_suffix(".html")
    said = first_finding.command(
        "diagnose", *words, "--a", other_row(row).name, "--b", row.name,
        "--html", str(page),
    )  # fmt: skip
    write_file(text, said)
    answer = next((line for line in said.splitlines() if line.strip()), "")
    return f"{written}\n{text}: {answer}"


def write_replay(folder: Path, nodeid: str, run: Run, row: Row, found: Verification) -> str:
    """Write the replay alone, where it is the code that has changed: all targets give these bits,
    so that no report and no diagnosis of this code tells anything. What does is the other code."""
    report = _place(folder, nodeid)
    for suffix in (".desync", ".txt", ".html"):  # of an earlier run, which had a difference
        report.with_suffix(suffix).unlink(missing_ok=True)
    replay = _write_inputs(run, _frame(found), report)
    words = join((run.spec, str(replay)))
    return (
        f"{replay} written, and no report: {row.name} computes as {other_row(row).name} does\n"
        f"  next: samebits diagnose {words} --b source=OLD.py, the file as it was"
    )


def _place(folder: Path, nodeid: str) -> Path:
    """Where the report of a test is."""
    folder.mkdir(parents=True, exist_ok=True)
    return folder / first_finding.report_name(nodeid)


def _write_inputs(run: Run, frame: int, report: Path) -> Path:
    source = run.source(frame + 2)
    return first_finding.write_inputs(run.simulation, source, report.with_suffix(".mcap"))


def _frame(found: Verification) -> int:
    """The first frame that differs, from 0."""
    reports = (*found.rows, *found.recorded.values())
    return max(0, min((r.divergence.frame for r in reports if r.divergence), default=0))
