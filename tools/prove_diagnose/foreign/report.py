"""The section of docs/results/diagnosis-quality.md on foreign builds: counts, what was wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median

from tools.prove_diagnose import versions
from tools.prove_diagnose.foreign.compilers import BUILDS, missing
from tools.prove_diagnose.foreign.judge import Verdict

MARKS = (
    "<!-- foreign builds, made by `make prove-diagnose`: begin -->",
    "<!-- foreign builds, made by `make prove-diagnose`: end -->",
)
CRITERIA: tuple[tuple[str, Callable[[Verdict], bool | None], float], ...] = (
    ("an answer", lambda v: v.answer, 100.0),
    ("frame", lambda v: v.frame, 100.0),
    ("fields", lambda v: v.fields, 99.0),
    ("line", lambda v: v.line, 97.0),
    ("cause", lambda v: v.cause, 95.0),
)
"""What is to be right, and in how many percent of the cases in which it can be judged."""
MEDIAN, LATE = 5.0, 30.0
"""Seconds of the processor that a diagnosis takes, at the median and in 95 of 100 cases."""

_INTRODUCTION = """\
## Another compiler's build

Made by `make prove-diagnose`. {cases} cases (seed {seed}): plain C of {subjects} simulations, \
written from their kernels in several habits, is built by {builds} compilers and sets of flags and \
run. The diagnosis is given the simulation, a replay, and what the C program's team has: a list \
of hashes, a report of hashes alone, a report with states around the first difference, or the \
bytes of one state beside the list. The truth is known by running each function and each \
statement in its strict and its foreign form, and each flag by itself. Seconds are those of a \
whole process, with the start of Python.
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
    marks = "".join("." if (r := is_right(v)) is None else "+" if r else "-"
                    for _, is_right, _ in CRITERIA)  # fmt: skip
    more = "  FALSELY CERTAIN" if v.falsely_certain else ""
    if not v.right or more:
        more += f"\n    truth: {v.truth}\n    said:  {v.failure or v.said}\n    {v.command}"
    return f"{v.number:4} {marks} {v.certainty:8} {v.cpu_seconds:5.1f} s {v.text}{more}"


def known(v: Verdict) -> str:
    """A case and its truth."""
    return f"{v.number:4} {v.text}\n     {v.truth or v.failure}\n     {v.command}"


def summary(rows: Sequence[Verdict]) -> str:
    """The counts, in a few lines."""
    return "\n".join(f"{name}: {text}" for name, text, _ in _counts(rows))


def section(rows: Sequence[Verdict], seed: int) -> str:
    """The whole section."""
    subjects = len({v.text.split()[0] for v in rows})
    builds = len({v.build for v in rows})
    judged = f"{seed}{versions.told(rows)}"
    parts = [_INTRODUCTION.format(cases=len(rows), seed=judged, subjects=subjects, builds=builds)]
    parts.append("| | right | promised |\n|---|---|---|\n" + "".join(
        f"| {name} | {text} | {least} |\n" for name, text, least in _counts(rows)
    ))  # fmt: skip
    parts += [by(rows, "build", lambda v: v.build), by(rows, "evidence", lambda v: v.form)]
    absent = {b.compiler: why for b in BUILDS.values() if (why := missing(b.compiler))}
    if absent:
        parts.append("Left out here: " + "; ".join(f"{n} ({w})" for n, w in absent.items()) + ".\n")
    wrong = [v for v in rows if not v.right or v.falsely_certain]
    if wrong:
        parts.append("### Those that are not all right\n\n" + "".join(
            f"- {v.number}: {v.text}. Truth: {v.truth}. Said: {v.failure or _answer(v)}\n"
            for v in wrong
        ))  # fmt: skip
    return "\n".join(parts)


def _answer(verdict: Verdict) -> str:
    """What was said, without its notes, which name files."""
    return verdict.said.partition(" | notes ")[0]


def by(rows: Sequence[Verdict], title: str, key: Callable[[Verdict], str]) -> str:
    """A table of how many are right, for each value of something."""
    head = [title, "cases", *(name for name, _, _ in CRITERIA), "wrong and certain"]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for value in dict.fromkeys(key(v) for v in sorted(rows, key=key)):
        some = [v for v in rows if key(v) == value]
        cells = [value, len(some), *(_of(some, is_right) for _, is_right, _ in CRITERIA),
                 sum(v.falsely_certain for v in some)]  # fmt: skip
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines) + "\n"


def _of(rows: Sequence[Verdict], is_right: Callable[[Verdict], bool | None]) -> str:
    judged = [r for v in rows if (r := is_right(v)) is not None]
    return f"{sum(judged)} of {len(judged)}"


def _counts(rows: Sequence[Verdict]) -> list[tuple[str, str, str]]:
    """Each criterion, how often it held, and how often it must."""
    found: list[tuple[str, str, str]] = []
    for name, is_right, least in CRITERIA:
        found.append((name, f"{_of(rows, is_right)}, {_percent(rows, is_right):.1f} %",
                      f"{least:.0f} %"))  # fmt: skip
    found.append(("stated as certain", str(sum(v.certainty == "certain" for v in rows)), ""))
    found.append(("wrong, but stated as certain", str(sum(v.falsely_certain for v in rows)), "0"))
    middle, late = _times(rows)
    found.append(("seconds of the processor, median", f"{middle:.1f}", f"{MEDIAN:.0f}"))
    found.append(("seconds of the processor, 95 of 100 cases", f"{late:.1f}", f"{LATE:.0f}"))
    return found


def _percent(rows: Sequence[Verdict], is_right: Callable[[Verdict], bool | None]) -> float:
    judged = [r for v in rows if (r := is_right(v)) is not None]
    return 100.0 * sum(judged) / len(judged) if judged else 100.0


def _times(rows: Sequence[Verdict]) -> tuple[float, float]:
    """The median, and what 95 of 100 cases stay below."""
    times = sorted(v.cpu_seconds for v in rows) or [0.0]
    return median(times), times[min(len(times) - 1, len(times) * 95 // 100)]
