"""`samebits doctor`: the examination as text, or as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from rich.text import Text

from samebits.cli.consoles import console
from samebits.cli.exit_status import DIFFERS, SAME
from samebits.cli.printing import JSON_FORMAT
from samebits.doctor.culprit import Culprit
from samebits.doctor.host import HostRow
from samebits.doctor.report import CHANGED_BY, Examination, examine, shown
from samebits.runtime.fingerprint import Fingerprint

_STYLES = {"ok": "green", "note": "cyan", "warning": "bold red"}


def run(program: Sequence[str], peer: str | None, limit: float, as_json: bool) -> int:
    """Examine and print; return the exit status: 0 healthy, 1 if there is a warning."""
    other = None if peer is None else Fingerprint.parse(peer)
    report = examine(program, other, limit)
    if as_json:
        print(json.dumps(report_json(report), indent=2))
    else:
        _print(report)
    return DIFFERS if report.warnings else SAME


def report_json(report: Examination) -> dict[str, Any]:
    """The examination for programs. Register words are integers, null on unreadable threads."""
    facts: dict[str, Any] = {
        "format": JSON_FORMAT,
        "result": "warning" if report.warnings else "ok",
        "warnings": report.warnings,
        "sections": [
            {"title": section.title, "rows": [asdict(row) for row in section.rows]}
            for section in report.sections
        ],
    }
    seen = report.observation
    if seen is not None:
        facts["program"] = {
            "outcome": seen.outcome,
            "finished": seen.finished,
            "seconds": round(seen.seconds, 3),
            "imports": len(seen.imports),
            "changes": [_culprit_json(found) for found in report.culprits],
            "threads": [asdict(thread) for thread in seen.threads],
            "stderr": seen.said,
        }
    return facts


def _culprit_json(found: Culprit) -> dict[str, Any]:
    return {
        "what": found.what,
        "kind": found.change.kind,
        "name": found.change.name,
        "file": found.file,
        "thread": found.change.thread,
        "restored": found.change.restored,
        "sets": list(found.gained),
        "state": {**asdict(found.change.state), "text": str(found.change.state)},
        "line": None if found.line is None else asdict(found.line),
        "direct": None if found.direct is None else asdict(found.direct),
        "confirmed": found.confirmed,
    }


def _print(report: Examination) -> None:
    out = console()
    culprits = iter(report.culprits)
    for section in report.sections:
        out.print(Text(section.title, "bold"), soft_wrap=True)
        for row in section.rows:
            for line in _row(row):
                out.print(line, soft_wrap=True)
            if row.name.startswith(CHANGED_BY):
                for text in _evidence(next(culprits)):
                    out.print(f"            {text}", soft_wrap=True, markup=False)
        out.print()
    seen = report.observation
    if seen is not None and seen.said and not (seen.finished and seen.outcome == "ended"):
        out.print("the program's last output:", markup=False)
        for line in seen.said.splitlines():
            out.print(f"  {line}", soft_wrap=True, markup=False)
        out.print()
    count = report.warnings
    out.print(
        Text("healthy", "green")
        if not count
        else Text(f"{count} warning{'s' * (count != 1)}", "bold red")
    )


def _row(row: HostRow) -> Iterator[Text]:
    head = Text(f"  {row.verdict:<8}", _STYLES[row.verdict])
    yield head.append(f"{row.name}: {row.value}", "")
    if row.consequence:
        yield Text(f"            {row.consequence}", "dim")
    if row.remedy:
        yield Text(f"            fix: {row.remedy}", "dim")


def _evidence(found: Culprit) -> Iterator[str]:
    if found.file:
        yield f"file: {found.file}"
    if found.line is not None:
        yield f"line: {shown(found.line)}"
    if found.direct is not None:
        yield f"from: {shown(found.direct)}"
    yield f"confirmed: {found.confirmed}"
