"""The section of docs/results/diagnosis-quality.md on sessions: counts, and what was wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from tools.prove_diagnose import versions
from tools.prove_diagnose.sessions.case import FAULTS
from tools.prove_diagnose.sessions.evidence import FORMS
from tools.prove_diagnose.sessions.judge import Verdict

MARKS = (
    "<!-- sessions, made by `make prove-diagnose`: begin -->",
    "<!-- sessions, made by `make prove-diagnose`: end -->",
)


@dataclass(frozen=True)
class Criterion:
    """What is to be right, and in how many percent of the cases; `applies` is to which."""

    name: str
    is_right: Callable[[Verdict], bool]
    least: float
    applies: Callable[[Verdict], bool] = lambda v: True


CRITERIA = (
    Criterion("an answer, with the right exit status", lambda v: v.answer, 100.0),
    Criterion("frame", lambda v: v.frame, 100.0),
    Criterion("fields", lambda v: v.fields, 99.0),
    Criterion("cause, where the evidence decides", lambda v: v.cause, 95.0, lambda v: v.decidable),
    Criterion("nothing certain, and what is possible, where it does not",
              lambda v: v.cause, 95.0, lambda v: not v.decidable),
    Criterion("both causes, where two act", lambda v: v.every_cause, 90.0,
              lambda v: v.decidable and len(v.kinds) == 2),
)  # fmt: skip
MEDIAN, LATE = 5.0, 30.0
"""Seconds of the processor that a command takes, at the median and in 95 of 100 cases."""

_INTRODUCTION = """\
## Sessions that part

Made by `make prove-diagnose`. {cases} cases (seed {seed}): one of {subjects} simulations is \
played twice by the same program, and one thing, or two, goes wrong the second time: with inputs, \
the seed, a rollback, or the state. In some nothing does. What goes wrong, and what is known of \
it, is drawn by a generator that shares nothing with the search. The truth is computed by \
comparing the states of both sessions byte by byte; what the evidence cannot tell is not asked \
for. Where nothing in the evidence differs, all that is right is "the same".
"""


def kept(rows: Sequence[Verdict]) -> bool:
    """Whether what is promised holds."""
    if not rows or any(v.falsely_certain for v in rows):
        return False
    times = _times(rows)
    right = all(_percent(rows, c)[2] >= c.least for c in CRITERIA)
    return right and times[0] <= MEDIAN and times[1] <= LATE


def is_right(v: Verdict) -> bool:
    return all(c.is_right(v) for c in CRITERIA) and not v.falsely_certain


def line(v: Verdict) -> str:
    """A verdict on one line, with what was said where it is not right."""
    marks = "".join("+" if c.is_right(v) else "-" for c in CRITERIA)
    more = "  FALSELY CERTAIN" if v.falsely_certain else ""
    if not is_right(v):
        more += f"\n     truth: {v.wanted}\n     said ({v.status}): {v.said}"
    return f"{v.number:4} {marks} {v.certainty:8} {v.cpu_seconds:5.1f} s {v.text}{more}"


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
    parts.append(_table("what is wrong", [(k, [v for v in rows if k in v.kinds]) for k in FAULTS]
                        + [("nothing", [v for v in rows if not v.kinds])]))  # fmt: skip
    parts.append(_table("evidence", [(k, [v for v in rows if v.form == k]) for k in FORMS]))
    wrong = [line(v) for v in rows if not is_right(v)]
    if wrong:
        parts.append("### Those that are not all right\n\n" + "".join(f"- {w}\n" for w in wrong))
    return "\n".join(parts)


def _table(head: str, groups: Sequence[tuple[str, Sequence[Verdict]]]) -> str:
    names = "frame | fields | cause | certain | seconds, median"
    lines = [f"| {head} | cases | {names} |", "|---" * 7 + "|"]
    for name, rows in groups:
        if rows:
            cells = [sum(map(c.is_right, rows)) for c in CRITERIA[1:4]]
            sure = sum(v.certainty == "certain" for v in rows)
            lines.append(f"| {name} | {len(rows)} | {' | '.join(map(str, cells))} | {sure} | "
                         f"{_times(rows)[0]:.1f} |")  # fmt: skip
    return "\n".join(lines) + "\n"


def _counts(rows: Sequence[Verdict]) -> list[tuple[str, str, str]]:
    """Each criterion, how often it held, and how often it must."""
    found: list[tuple[str, str, str]] = []
    for c in CRITERIA:
        right, count, percent = _percent(rows, c)
        found.append((c.name, f"{right} of {count}, {percent:.1f} %", f"{c.least:.0f} %"))
    controls = [v for v in rows if v.is_control]
    same = sum(map(is_right, controls))
    found.append(('"the same", where nothing differs', f"{same} of {len(controls)}", ""))
    found.append(("stated as certain", str(sum(v.certainty == "certain" for v in rows)), ""))
    found.append(("wrong, but stated as certain", str(sum(v.falsely_certain for v in rows)), "0"))
    middle, late = _times(rows)
    found.append(("seconds of the processor, median", f"{middle:.1f}", f"{MEDIAN:.0f}"))
    found.append(("seconds of the processor, 95 of 100 cases", f"{late:.1f}", f"{LATE:.0f}"))
    return found


def _percent(rows: Sequence[Verdict], criterion: Criterion) -> tuple[int, int, float]:
    """How many are right, of how many, and percent."""
    some = [v for v in rows if criterion.applies(v)]
    right = sum(map(criterion.is_right, some))
    return right, len(some), 100.0 * right / len(some) if some else 100.0


def _times(rows: Sequence[Verdict]) -> tuple[float, float]:
    """The median, and what 95 of 100 cases stay below."""
    times = sorted(v.cpu_seconds for v in rows) or [0.0]
    return median(times), times[min(len(times) - 1, len(times) * 95 // 100)]
