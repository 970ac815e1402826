"""`python -m tools.prove_diagnose.fresh`: what was judged since whole runs, on a page of its own.

Joins results files of the families, of as many cases as there are, and writes
docs/results/diagnosis-fresh-cases.md, beside the page of whole runs.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from tools.prove_diagnose import versions
from tools.prove_diagnose.foreign import judge as foreign
from tools.prove_diagnose.foreign import report as foreign_report
from tools.prove_diagnose.sessions import judge as sessions
from tools.prove_diagnose.sessions import report as sessions_report
from tools.prove_diagnose.skew import judge as skew
from tools.prove_diagnose.skew import report as skew_report
from tools.prove_diagnose.subjects import ROOT

PAGE = ROOT / "docs" / "results" / "diagnosis-fresh-cases.md"


@dataclass(frozen=True)
class Family:
    """How one family's results are read, and what tells of them."""

    title: str
    verdict: Callable[..., Any]
    report: ModuleType


FAMILIES = {
    "skew": Family("Versions of a source", skew.Verdict, skew_report),
    "foreign": Family("Another compiler's builds", foreign.Verdict, foreign_report),
    "sessions": Family("Sessions", sessions.Verdict, sessions_report),
}
_INTRODUCTION = """\
# Fresh cases of a diagnosis

Made by `python -m tools.prove_diagnose.fresh`. Cases of seeds that no search had been tried on: \
fewer than a [whole run](diagnosis-quality.md) has, on newer code, which was mended while they \
ran. A case that was not right stays counted so, whatever became of it. Seconds are those of the \
processor. {where}
"""


def section(
    rows: dict[str, Sequence[Any]],
    seeds: dict[str, int],
    where: str = "",
    again: Sequence[foreign.Verdict] = (),
) -> str:
    """The whole page, of the families that have any rows; with builds that were judged `again`."""
    parts = [_INTRODUCTION.format(where=where)]
    for name, some in rows.items():
        family = FAMILIES[name]
        judged = f"seed {seeds[name]}{versions.told(some)}"
        parts.append(f"## {family.title}: {len(some)} cases\n\nOf {judged}.\n")
        lines = [text.rpartition(": ") for text in family.report.summary(some).splitlines()]
        parts.append("| | |\n|---|---|\n" + "".join(f"| {a} | {b} |\n" for a, _, b in lines))
        wrong = [text for v in some if (text := _wrong(name, v))]
        if wrong:
            parts.append("Not all right:\n\n" + "".join(f"- {text}\n" for text in wrong))
        if name == "foreign" and again:
            lines = [f"- {foreign_report.line(v).strip()} (commit {v.version})\n" for v in again]
            parts.append("Judged again, by mended code:\n\n" + "".join(lines))
    return "\n".join(parts)


def _wrong(name: str, v: Any) -> str:
    """A case of which something is not right; empty for others."""
    if name == "foreign":
        said = v.said.partition(" | notes ")[0]
        is_right = v.right and not v.falsely_certain
        return "" if is_right else f"{v.number}: {v.text}. Truth: {v.truth}. Said: {said}"
    if name == "sessions":
        is_right = sessions_report.is_right(v)
        return "" if is_right else f"{v.number}: {v.text}. Truth: {v.wanted}. Said: {v.said[:200]}"
    is_right = all(right(v) for _, right, _ in skew_report.CRITERIA) and not v.falsely_certain
    return "" if is_right else skew_report.line(v)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.prove_diagnose.fresh")
    for name in FAMILIES:
        parser.add_argument(f"--{name}", type=Path, nargs="+", default=[], help="results files")
        parser.add_argument(f"--{name}-seed", type=int, default=1, help="their seed")
    parser.add_argument("--again", type=Path, nargs="+", default=[],
                        help="results of builds that were judged again by mended code")  # fmt: skip
    parser.add_argument("--where", default="", help="a sentence on the machine and its load")
    parser.add_argument("--out", type=Path, default=PAGE, help="the page")
    given = parser.parse_args()
    rows: dict[str, Sequence[Any]] = {}
    for name, family in FAMILIES.items():
        texts = [text for file in getattr(given, name) for text in file.open()]
        some = {v.number: v for v in (family.verdict(**json.loads(text)) for text in texts)}
        if some:
            rows[name] = [some[number] for number in sorted(some)]
    seeds = {name: getattr(given, f"{name}_seed") for name in FAMILIES}
    again = [text for file in given.again for text in file.open()]
    judged = [foreign.Verdict(**json.loads(text)) for text in again]
    given.out.write_text(section(rows, seeds, given.where, judged))
    print(f"{given.out} written")
    return 0 if all(FAMILIES[n].report.kept(some) for n, some in rows.items()) else 1


if __name__ == "__main__":
    sys.exit(main())
