"""The section of docs/results/diagnosis-quality.md on version skew: counts, and what was wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median

from tools.prove_diagnose import versions
from tools.prove_diagnose.skew.edits import KINDS
from tools.prove_diagnose.skew.judge import Verdict

MARKS = (
    "<!-- version skew, made by `make prove-diagnose`: begin -->",
    "<!-- version skew, made by `make prove-diagnose`: end -->",
)
CRITERIA: tuple[tuple[str, Callable[[Verdict], bool], float], ...] = (
    ("an answer", lambda v: v.answer, 100.0),
    ("frame", lambda v: v.frame, 100.0),
    ("fields", lambda v: v.fields, 99.0),
    ("line", lambda v: v.line, 97.0),
    ("cause: all edits that matter, and no other", lambda v: v.cause, 95.0),
    ("edits that act by themselves are causes of their own", lambda v: v.apart, 95.0),
)
"""What is to be right, and in how many percent of the cases."""
MEDIAN, LATE = 5.0, 30.0
"""Seconds of the processor that a diagnosis takes, at the median and in 95 of 100 cases."""

_INTRODUCTION = """\
## Versions of a source, told apart

Made by `make prove-diagnose`. {cases} cases (seed {seed}): one to three edits of twelve kinds are \
drawn for one of {subjects} examples, by a generator that shares nothing with the search; each \
compiles by itself. The truth is computed by running the version with each set of its edits \
natively: those edits matter that are in the smallest set with the hashes of all of them. The \
diagnosis is given two sources and the inputs.
"""


def kept(rows: Sequence[Verdict]) -> bool:
    """Whether what is promised holds."""
    if not rows or any(v.falsely_certain for v in rows):
        return False
    times = _times(rows)
    right = all(_percent(rows, is_right) >= least for _, is_right, least in CRITERIA)
    return right and times[0] <= MEDIAN and times[1] <= LATE


def line(v: Verdict) -> str:
    """A verdict on one line, with what was said where it is not right."""
    marks = "".join("+" if is_right(v) else "-" for _, is_right, _ in CRITERIA)
    more = "  FALSELY CERTAIN" if v.falsely_certain else ""
    if "-" in marks:
        more += f"  truth {v.needed}, named {v.named}: {v.failure or v.said}"
    return (
        f"{v.number:4} {marks} {v.certainty:8} {v.cpu_seconds:5.1f} s {v.trials:3} {v.text}{more}"
    )


def summary(rows: Sequence[Verdict]) -> str:
    """The counts, in a few lines."""
    return "\n".join(f"{name}: {text}" for name, text, _ in _counts(rows))


def section(rows: Sequence[Verdict], seed: int) -> str:
    """The whole section."""
    subjects = len({v.text.split()[0] for v in rows})
    judged = f"{seed}{versions.told(rows)}"
    parts = [_INTRODUCTION.format(cases=len(rows), seed=judged, subjects=subjects)]
    parts.append("| | right | promised |\n|---|---|---|\n" + "".join(
        f"| {name} | {text} | {least} |\n" for name, text, least in _counts(rows)
    ))  # fmt: skip
    head = "kind of edit | cases | it matters in | named there | named where it does not matter"
    lines = [f"| {head} |", "|---" * 5 + "|"]
    for kind in KINDS:
        cells = _of_kind(rows, kind)
        lines.append(f"| {kind} | {' | '.join(map(str, cells))} |")
    parts.append("\n".join(lines) + "\n")
    wrong = [line(v) for v in rows if not all(is_right(v) for _, is_right, _ in CRITERIA)]
    if wrong:
        parts.append("### Those that are not all right\n\n" + "".join(f"- {w}\n" for w in wrong))
    return "\n".join(parts)


def _of_kind(rows: Sequence[Verdict], kind: str) -> tuple[int, int, int, int]:
    """Cases with an edit of a kind, those where it matters, and where it was named."""
    cases = matters = right = wrong = 0
    for v in rows:
        for number, name in enumerate(v.kinds):
            if name == kind:
                needed = any(number in some for some in v.needed)
                cases += 1
                matters += needed
                right += needed and number in v.named
                wrong += not needed and number in v.named
    return cases, matters, right, wrong


def _counts(rows: Sequence[Verdict]) -> list[tuple[str, str, str]]:
    """Each criterion, how often it held, and how often it must."""
    found: list[tuple[str, str, str]] = []
    for name, is_right, least in CRITERIA:
        count = sum(map(is_right, rows))
        found.append((name, f"{count} of {len(rows)}, {_percent(rows, is_right):.1f} %",
                      f"{least:.0f} %"))  # fmt: skip
    found.append(("stated as certain", str(sum(v.certainty == "certain" for v in rows)), ""))
    found.append(("wrong, but stated as certain", str(sum(v.falsely_certain for v in rows)), "0"))
    middle, late = _times(rows)
    found.append(("seconds of the processor, median", f"{middle:.1f}", f"{MEDIAN:.0f}"))
    found.append(("seconds of the processor, 95 of 100 cases", f"{late:.1f}", f"{LATE:.0f}"))
    return found


def _percent(rows: Sequence[Verdict], is_right: Callable[[Verdict], bool]) -> float:
    return 100.0 * sum(map(is_right, rows)) / len(rows) if rows else 100.0


def _times(rows: Sequence[Verdict]) -> tuple[float, float]:
    """The median, and what 95 of 100 cases stay below."""
    times = sorted(v.cpu_seconds for v in rows) or [0.0]
    return median(times), times[min(len(times) - 1, len(times) * 95 // 100)]
