"""A run of a farm as JSON, and as one HTML page: the same facts in the same words."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from samebits.farm.rows import RAN
from samebits.farm.run import Outcome
from samebits.farm.summary import DIFFERENCES, Finding, Summary
from samebits.pages import filled
from samebits.visible import visible

FORMAT = 1


def headline(outcome: Outcome, summary: Summary) -> str:
    """The answer in a line."""
    unread = len(outcome.entries.unread)
    replays = sum(summary.replays.values()) + unread
    targets = len(outcome.targets)
    over = f"{replays:,} replay{'s' * (replays != 1)} on {targets} target{'s' * (targets != 1)}"
    if summary.result in DIFFERENCES:
        said = "different bits" if summary.result == "differs" else summary.result
        return f"{said}: {summary.replays[summary.result]:,} of {over}{_others(outcome, summary)}"
    unproven = replays - summary.replays.get("same", 0)
    if outcome.stopped:
        return f"stopped early: {outcome.known + outcome.made:,} of {len(outcome.keys):,} rows"
    if unproven:
        return f"not proven: {unproven:,} of {over}{_others(outcome, summary)}"
    return f"the same bits: {over}"


def _others(outcome: Outcome, summary: Summary) -> str:
    """The replays with other results than the headline's and `same`, by result."""
    counts = {**summary.replays, "not read": len(outcome.entries.unread)}
    told = [
        f"{count:,} {result}" for result, count in counts.items()
        if count and result not in ("same", summary.result)
    ]  # fmt: skip
    return f"; {', '.join(told)}" * bool(told)


def shown_path(path: str) -> str:
    """A path as a user of this folder writes it, in one line."""
    folder = os.path.join(os.getcwd(), "")
    return one_line(path.removeprefix(folder))


def one_line(text: str) -> str:
    """A text of others, names of files among them, in one line that is safe to print."""
    return visible(text).replace("\n", "\\n")


def finding_lines(finding: Finding) -> Iterator[str]:
    """A finding's rows in words, those that ran alike as one line."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for row in finding.rows:
        told = row.told or (f"{row.frames:,} frames, {row.final}" if row.result in RAN else "")
        key = row.run if row.result in RAN else "", row.result, told
        where = f"{row.target} ({row.how})" if row.how == "emulated" else row.target
        groups.setdefault(key, []).append(where)
    for (_, result, told), targets in groups.items():
        said = told if told.startswith(result) else f"{result}{', ' * bool(told)}{told}"
        yield f"{', '.join(targets)}: {said}"


def as_json(outcome: Outcome, summary: Summary, damaged: list[str]) -> dict[str, Any]:
    """All of it for programs."""
    return {
        "format": FORMAT,
        "result": "incomplete"
        if summary.result == "same" and (outcome.stopped or outcome.entries.unread)
        else summary.result,
        "stopped": outcome.stopped or None,
        "files": outcome.entries.files,
        "others": outcome.others,
        "unread": [{"path": path, "error": error} for path, error in outcome.entries.unread],
        "programs": [asdict(each) for each in outcome.programs],
        "targets": outcome.targets,
        "fingerprint": outcome.fingerprint,
        "rows": {"all": len(outcome.keys), "known": outcome.known, "made": outcome.made},
        "seconds": round(outcome.seconds, 3),
        "replays": dict(summary.replays),
        "table": [asdict(each) for each in summary.lines],
        "findings": [asdict(each) for each in summary.findings],
        "changed": {"count": summary.changes, "first": list(summary.changed)},
        "damaged_parts": damaged,
    }


def page(outcome: Outcome, summary: Summary) -> str:
    """One self-contained HTML page."""
    return filled(
        "samebits.farm",
        "page.html",
        headline=headline(outcome, summary),
        result=summary.result,
        outcome=outcome,
        rate=outcome.made / outcome.seconds if outcome.seconds else 0.0,
        summary=summary,
        total=sum(summary.replays.values()),
        bad=DIFFERENCES,
        findings=[
            (each, shown_path(each.path), list(finding_lines(each))) for each in summary.findings
        ],
        changed=list(map(shown_path, summary.changed)),
    )
