"""The end of pytest's output: a line for each target, from the properties of reports."""

from __future__ import annotations

from collections import Counter
from typing import Any

_WORDS = ("same", "differs", "failed", "not compared", "not run", "written")


def print_summary(reporter: Any, notes: list[str]) -> None:
    """Print how many comparisons had which result on each target, and `notes`."""
    counts: dict[str, Counter[str]] = {}
    for reports in reporter.stats.values():
        for report in reports:
            if getattr(report, "when", None) != "call" and not _is_skip(report):
                continue
            for name, value in getattr(report, "user_properties", ()):
                prefix, _, word = name.partition(".")
                if prefix == "samebits" and word in _WORDS[:-1]:
                    for target in str(value).split():
                        counts.setdefault(target, Counter())[word] += 1
    if not counts and not notes:
        return
    reporter.section("samebits")
    width = max(map(len, counts), default=0)
    for target, found in counts.items():
        told = ", ".join(f"{found[word]:,} {word}" for word in _WORDS if found[word])
        bad = found["differs"] or found["failed"]
        reporter.write_line(f"{target:{width}}  {told}", red=bool(bad))
    for note in notes:
        reporter.write_line(note)


def _is_skip(report: Any) -> bool:
    return getattr(report, "outcome", None) == "skipped"
