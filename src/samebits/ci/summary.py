"""An agreement in words: lines for a terminal, a page of Markdown, an object for programs."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from typing import Any

from samebits.ci.agreement import Agreement, Joined, Member, Parting

JSON_FORMAT = 1
MOST_TOLD = 20
"""Most differences that are told in full."""
_SYMBOL = {"same": "✅", "differs": "❌", "failed": "❌", "error": "❌"}
_ASIDE = "➖"


def headline(found: Agreement) -> str:
    """The answer in one line."""
    runs, machines = len(found.joined), len(found.labels)
    counted = f"{_count(runs, 'run')} on {_count(machines, 'machine')}"
    match found.result:
        case "same":
            return f"the same bits: {counted}, {found.frames:,} frames compared"
        case "differs":
            bad = sum(each.result in ("differs", "failed") for each in found.joined)
            return f"different bits: {bad} of {counted}"
        case _:
            return f"not proven: {counted}, and something is missing"


def place(frame: int) -> str:
    return "after init" if frame < 0 else f"frame {frame:,}"


def frames(joined: Joined) -> str:
    """How many frames were compared, and of how many, where a machine ran more."""
    if not joined.is_compared:
        return ""
    more = joined.of_frames > joined.frames
    return f"{joined.frames:,}" + f" of {joined.of_frames:,}" * more


def who(members: Sequence[Member], most: int = 6) -> str:
    """The machines, the first few by their names."""
    labels = list(dict.fromkeys(member.label for member in members))
    more = len(labels) - most
    return ", ".join(labels[:most]) + (f" and {more} others" if more > 0 else "")


def differences(found: Agreement) -> Iterator[tuple[Joined, list[str]]]:
    """Each run that is not the same, with the lines that tell why, differences first."""
    ordered = sorted(found.joined, key=lambda each: each.result != "differs")
    for each in ordered:
        lines = list(_told(each))
        if lines:
            yield each, lines


def _told(joined: Joined) -> Iterator[str]:
    for parting in joined.partings:
        yield f"{joined.name} of {joined.simulation} parts, {place(parting.frame)}"
        sides = list(_sides(parting))
        width = max(len(result) for result, _ in sides)
        for result, labels in sides:
            yield f"  {result:{width}}  {labels}"
    for member in joined.members:
        if member.run.result != "same" and member.run.told:
            yield f"{joined.name} of {joined.simulation} on {member.label}: {member.run.result}"
            for line in member.run.told.splitlines():
                yield f"  {line}"


def _sides(parting: Parting) -> Iterator[tuple[str, str]]:
    """What each machine of a parting has in its frame."""
    results: dict[str, list[Member]] = {}
    for member in (*parting.most, *parting.others):
        if member.reaches(parting.frame):
            results.setdefault(member.at(parting.frame), []).append(member)
    for result, members in results.items():
        yield result, who(members)


def markdown(found: Agreement, diagnoses: Sequence[tuple[str, str]] = ()) -> str:
    """A page of GitHub's or GitLab's Markdown: the answer, a table of runs by machines, what
    differs, and `diagnoses`, pairs of a title and a text."""
    labels = found.labels
    lines = [f"## samebits: {_escaped(headline(found))}", ""]
    if found.joined:
        lines.append(_cells("simulation", "run", "frames", *labels))
        lines.append(_cells("---", "---", "--:", *(":-:" for _ in labels)))
    for each in found.joined:
        cells = [_cell(each, label) for label in labels]
        names = _escaped(each.simulation), _escaped(each.name)
        lines.append(_cells(*names, frames(each), *cells))
    for problem in found.problems:
        lines += ["", f"**Missing**: {_escaped(problem)}"]
    told = [line for _, told in list(differences(found))[:MOST_TOLD] for line in told]
    if told:
        lines += ["", *_fenced(told)]
    for title, text in diagnoses:
        lines += ["", f"### {_escaped(title)}", "", *_fenced(text.splitlines())]
    facts = ("architecture", "system", "processor", "samebits", "llvm", "python")
    lines += ["", "<details><summary>machines</summary>", "", _cells("machine", *facts)]
    lines.append(_cells(*("---" for _ in range(1 + len(facts)))))
    for label in labels:
        machine = next(file.machine for file in found.files if file.label == label)
        lines.append(_cells(_escaped(label), *(_escaped(machine[name]) for name in facts)))
    return "\n".join([*lines, "", "</details>", ""])


def _cell(joined: Joined, label: str) -> str:
    runs = [member.run for member in joined.members if member.label == label]
    if not runs:
        return _ASIDE
    parted = [m for p in joined.partings for m in p.others if m.label == label]
    results = {"differs"} if parted else {run.result for run in runs}
    worst = next((each for each in results if each != "same"), "same")
    return _SYMBOL.get(worst, worst)


def _cells(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    """Text as Markdown shows it, on one line: names come from others' files."""
    plain = html.escape("".join(c if c.isprintable() else " " for c in text), quote=False)
    return "".join(f"\\{c}" if c in "\\`*_[]|~" else c for c in plain)


def _fenced(lines: Sequence[str]) -> list[str]:
    """Lines as a block of code that none of them can end."""
    longest = max((len(run) for line in lines for run in _ticks(line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}text", *lines, fence]


def _ticks(line: str) -> list[str]:
    return re.findall("`+", line)


def as_json(found: Agreement) -> dict[str, Any]:
    """The agreement for programs. Hashes are 16 hexadecimal digits, frames count from 0, -1 is the
    state after `init`."""
    return {
        "format": JSON_FORMAT,
        "result": found.result,
        "machines": [
            {"label": file.label, "file": file.path, "shard": list(file.shard), **file.machine}
            for file in found.files
        ],
        "problems": found.problems,
        "frames": found.frames,
        "runs": [
            {
                "simulation": each.simulation,
                "run": each.name,
                "result": each.result,
                "frames": each.frames,
                "of_frames": each.of_frames,
                "final_hash": each.final if each.members[0].run.end is None else None,
                "machines": list(each.labels),
                "missing": list(each.missing),
                "partings": [
                    {
                        "frame": parting.frame,
                        "most": _labels(parting.most),
                        "others": _labels(parting.others),
                        "results": dict((who, what) for what, who in _sides(parting)),
                    }
                    for parting in each.partings
                ],
                "told": [
                    {"machine": m.label, "result": m.run.result, "told": m.run.told}
                    for m in each.members
                    if m.run.result != "same"
                ],
            }
            for each in found.joined
        ],
    }


def _labels(members: Sequence[Member]) -> list[str]:
    return list(dict.fromkeys(member.label for member in members))


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"
