"""The section of docs/results/diagnosis-quality.md: counts, confusion matrix, what was wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median

from tools.prove_diagnose.entry import Entry
from tools.prove_diagnose.goals import Goals
from tools.prove_diagnose.injections import NAMES
from tools.prove_diagnose.judge import Verdict

BEGIN = "<!-- made by `make prove-diagnose`: begin -->"
END = "<!-- made by `make prove-diagnose`: end -->"
NAMED = 60
"""Wrong cases that are written out."""
_NOTHING = "none"

INTRODUCTION = """\
## Injected differences, found out

Made by `make prove-diagnose`. {cases} cases (seed {seed}, code {code}): each hazard in turn is \
injected into one of {subjects} simulations, at a drawn place, as a drawn variant, from a drawn \
frame on; some constants and operations are changed in the source text instead. The answer is \
known by means that share nothing with the search: both programs run natively, frame by frame, \
and their states are compared byte by byte; operation and cause are what was injected. The \
diagnosis is given two ways to run the simulation, and nothing else.
"""


def _judged(entries: Sequence[Entry]) -> list[tuple[Entry, Verdict]]:
    return [(entry, entry.verdict) for entry in entries if entry.verdict is not None]


_CRITERIA: tuple[tuple[str, Callable[[Verdict], bool], float], ...] = (
    ("frame", lambda v: v.frame, 100.0),
    ("fields", lambda v: v.fields, 100.0),
    ("line", lambda v: v.line, 99.0),
    ("operation", lambda v: v.operation, 99.0),
    ("cause, named first", lambda v: v.cause, 95.0),
)
"""What is to be right, and in how many percent of the cases."""


def kept(entries: Sequence[Entry]) -> bool:
    """Whether what is promised holds, the cause among those that can be told apart."""
    rows = [verdict for _, verdict in _judged(entries)]
    if not rows or any(verdict.falsely_certain for verdict in rows):
        return False
    *places, (_, cause, least) = _CRITERIA
    alike = [v for v in rows if not v.indistinguishable]
    return all(_percent(rows, right) >= part for _, right, part in places) and (
        _percent(alike, cause) >= least
    )


def _percent(rows: Sequence[Verdict], right: Callable[[Verdict], bool]) -> float:
    return 100.0 * sum(map(right, rows)) / len(rows) if rows else 100.0


def line(entry: Entry) -> str:
    """An entry on one line, for whoever waits."""
    verdict = entry.verdict
    if verdict is None:
        return f"{entry.case.number:4} ----- {entry.case.hazard}: no draw changes a state"
    rights = (verdict.frame, verdict.fields, verdict.line, verdict.operation, verdict.cause)
    marks = "".join(c if right else "-" for c, right in zip("FfLOC", rights, strict=True))
    said = verdict.failure or verdict.named or _NOTHING
    more = " (the same bits)" if verdict.indistinguishable else ""
    more += " FALSELY CERTAIN" if verdict.falsely_certain else ""
    return (
        f"{entry.case.number:4} {marks} {entry.case} -> {said}{more}, {verdict.cpu_seconds:.1f} s"
    )


def summary(entries: Sequence[Entry]) -> str:
    """The counts, in a few lines."""
    rows = [verdict for _, verdict in _judged(entries)]
    return "\n".join(f"{name}: {text}" for name, text, _ in _counts(rows))


def _counts(rows: Sequence[Verdict]) -> Iterator[tuple[str, str, str]]:
    """Each criterion, how often it held, and how often it must."""
    for name, right, least in _CRITERIA:
        count = sum(map(right, rows))
        yield name, f"{count} of {len(rows)}, {_percent(rows, right):.1f} %", f"{least:.0f} %"
    alike = [v for v in rows if not v.indistinguishable]
    _, cause, least = _CRITERIA[-1]
    count = sum(map(cause, alike))
    yield (
        "cause, where experiments can tell",
        f"{count} of {len(alike)}, {_percent(alike, cause):.1f} %",
        f"{least:.0f} %",
    )
    yield "wrong, but stated as certain", str(sum(v.falsely_certain for v in rows)), "0"


def section(entries: Sequence[Entry], seed: int, code: str, goals: Goals | None) -> str:
    """The whole section."""
    judged = _judged(entries)
    rows = [verdict for _, verdict in judged]
    subjects = len({entry.case.subject for entry, _ in judged})
    parts = [INTRODUCTION.format(cases=len(rows), seed=seed, code=code, subjects=subjects)]
    parts.append("| | right | promised |\n|---|---|---|\n" + "\n".join(
        f"| {name} | {text} | {least} |" for name, text, least in _counts(rows)
    ) + "\n")  # fmt: skip
    parts.append(
        "Where the named hazard is another one than the injected one, but gives the same bits in "
        "every frame that is left of the run, no experiment can tell the two apart: that is "
        "counted under *same bits*, and is wrong in the first count of causes.\n"
    )
    parts.append(_table(entries))
    parts.append(_matrix(judged))
    parts += _wrong(judged)
    if goals is not None:
        parts.append(goals.text())
    return "\n".join(parts)


def _table(entries: Sequence[Entry]) -> str:
    head = "hazard | cases | frame | fields | line | operation | cause | same bits | certain"
    head += " | rejected draws | processor seconds, median"
    lines = ["### By hazard", "", f"| {head} |", "|---" * (head.count("|") + 1) + "|"]
    for name in NAMES:
        mine = [entry for entry in entries if entry.case.hazard == name]
        rows = [verdict for _, verdict in _judged(mine)]
        vain = sum(entry.case.futile for entry in mine)
        if not rows:
            why = "not injected: IR cannot say it" if any(e.refused for e in mine) else "no case"
            lines.append(f"| {name} | 0: {why} |" + " |" * 8 + f" {vain} | |")
            continue
        counts = [sum(map(right, rows)) for _, right, _ in _CRITERIA]
        counts.append(sum(v.indistinguishable for v in rows))
        counts.append(sum(v.certainty == "certain" for v in rows))
        seconds = f"{median(v.cpu_seconds for v in rows):.1f}"
        cells = [str(len(rows)), *map(str, counts), str(vain), seconds]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _matrix(judged: Sequence[tuple[Entry, Verdict]]) -> str:
    """Injected hazards by rows, hazards named first by columns."""
    counts = Counter((entry.case.hazard, v.named or _NOTHING) for entry, v in judged)
    columns = [*NAMES, _NOTHING]
    head = " | ".join(str(i + 1) for i in range(len(NAMES)))
    lines = [
        "### Confusion matrix", "",
        "Rows are injected, columns named first, by the rows' numbers; the last is no cause.", "",
        f"| injected | {head} | {_NOTHING} |", "|---|" + "---|" * len(columns),
    ]  # fmt: skip
    for i, name in enumerate(NAMES):
        cells = [str(counts[name, column] or "") for column in columns]
        lines.append(f"| {i + 1} {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _wrong(judged: Sequence[tuple[Entry, Verdict]]) -> Iterator[str]:
    wrong = [(entry, v) for entry, v in judged if not v.right]
    if not wrong:
        return
    lines = [f"### The {len(wrong)} that are not all right", ""]
    for entry, v in wrong[:NAMED]:
        rights = (v.frame, v.fields, v.line, v.operation, v.cause)
        names = ("frame", "fields", "line", "operation", "cause")
        missed = [name for name, right in zip(names, rights, strict=True) if not right]
        said = v.failure or f"{v.named or _NOTHING}, {v.certainty}"
        same = ", the same bits" if v.indistinguishable else ""
        case = f"case {entry.case.number}, {entry.case}"
        lines.append(f"- {case}: {', '.join(missed)}; named {said}{same}")
    if len(wrong) > NAMED:
        lines.append(f"- and {len(wrong) - NAMED} more")
    yield "\n".join(lines) + "\n"


def into(page: Path, section: str, marks: tuple[str, str] = (BEGIN, END)) -> None:
    """Put the section between its marks on a page, or at its end."""
    begin, end = marks
    text = page.read_text() if page.exists() else "# Diagnosis\n"
    before, found, rest = text.partition(begin)
    after = rest.partition(end)[2] if found else "\n"
    before = before if found else before.rstrip("\n") + "\n\n"
    page.write_text(f"{before}{begin}\n\n{section}\n{end}{after}")
