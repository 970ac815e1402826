"""The bits files of one build beside each other: whether a new one agrees, and all that parts.

Runs in the limited process: the files are strangers'.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from samebits.ci.agreement import WORSE, Agreement, Joined, Member, join
from samebits.ci.bits_file import BitsError, BitsFile, read_bits
from samebits.ci.summary import differences, place, who
from samebits.collector.grouping.facts import Facts, one_line
from samebits.collector.work.targets import target_of

_MOST_TOLD = 50
"""Most runs that part, lines of each, and problems that a page tells."""
CAUSE = "bits"
ALONE = "no other machine's bits file of this build has one of its runs"
_USUAL = "x86-64 Linux"
"""The target that stands for machines that agree, where it is among them."""
TO_DO = (
    "send a desync report of that run from both machines, which has the operation: samebits "
    "verify SIM REPLAY --report found; or diagnose it where the simulation is: samebits compare "
    "*.bits --diagnose SIM --replays REPLAYS"
)


def agree(path: str, others: Sequence[str]) -> dict[str, Any]:
    """What a bits file is beside the others of its build, the latest first: `state`, a line, and
    `facts` where it differs; and the build's comparison. Raises BitsError for the file itself."""
    own = read_bits(path)
    files = [own, *_latest(own, others)]
    found = join(files)
    mine = [(each, member) for each in found.joined for member in each.members
            if member.file is own]  # fmt: skip
    facts = next(_within(own), None) or next(_between(mine), None)
    is_compared = any(
        each.is_compared and any(m.label != own.label for m in each.members) for each, _ in mine
    )
    state = "diagnosed" if facts is not None else "same" if is_compared else "waiting"
    machines = len(found.labels)
    result = found.result if machines > 1 else "differs" if found.result == "differs" else "alone"
    told = _told(found) if state == "same" else ALONE
    return {
        "state": state, "told": facts.told if facts is not None else told,
        "facts": None if facts is None else facts.to_json(), "machines": machines,
        "result": result, "build_told": _told(found), "comparison": _page(found),
    }  # fmt: skip


def _latest(own: BitsFile, paths: Sequence[str]) -> list[BitsFile]:
    """Of each machine and part the latest file; one that was removed meanwhile is none."""
    found: dict[tuple[str, tuple[int, int]], BitsFile] = {(own.label, own.shard): own}
    for path in paths:
        try:
            file = read_bits(path)
        except BitsError:
            continue
        found.setdefault((file.label, file.shard), file)
    return [file for file in found.values() if file is not own]


def _within(own: BitsFile) -> Iterator[Facts]:
    """What the file says of its machine alone: a target that differs from its others."""
    for run in own.runs:
        if run.result in WORSE:
            names = [row.name for row in run.rows if row.result in WORSE]
            targets = f"{', '.join(names[:3]) or 'a target'} on {_target(own)}"
            said = run.told.splitlines()[0] if run.told else run.result
            yield _facts(
                own, "targets of one machine differ", targets, run.name, f"{run.name}: {said}"
            )


def _between(mine: Sequence[tuple[Joined, Member]]) -> Iterator[Facts]:
    """Where the file differs from others: from most of them, or from as many as agree with it."""
    for joined, own in mine:
        for parting in joined.partings:
            if own in parting.others:
                beside = parting.most
            elif _count(parting.most) == _count(parting.others):
                beside = parting.others
            else:
                continue
            # One of theirs, and the same one whichever of them have come.
            other = min((_target(m.file) for m in beside), key=lambda t: (t != _USUAL, t))
            targets = sorted({_target(own.file), other})
            frame = place(parting.frame)
            told = (
                f"{joined.name}, {frame}: {own.at(parting.frame)} on {own.label}, "
                f"{beside[0].at(parting.frame)} on {who(beside)}"
            )
            yield _facts(
                own.file, "machines differ", " / ".join(targets), f"{joined.name}, {frame}", told
            )


def _count(members: Sequence[Member]) -> int:
    return len({member.label for member in members})


def _facts(own: BitsFile, title: str, targets: str, seen: str, told: str) -> Facts:
    nothing = dict.fromkeys(("operation", "function", "file", "line", "source", "field"), "")
    return Facts(
        **nothing, simulation=one_line(own.simulation, 200), version=one_line(own.version, 200),
        cause=CAUSE, title=title, certainty="unknown", number=0, targets=one_line(targets, 130),
        remedy=TO_DO, told=one_line(told, 1000), seen=one_line(seen, 300),
    )  # fmt: skip


def _target(file: BitsFile) -> str:
    return target_of(file.machine["architecture"], file.machine["system"])


def _told(found: Agreement) -> str:
    """The comparison in a line."""
    if len(found.labels) < 2 and found.result != "differs":
        return ALONE
    runs = len(found.joined)
    bad = [each for each in found.joined if each.result != "same"]
    if bad:
        said = f"{bad[0].name}: {bad[0].result}"
        return one_line(f"{len(bad):,} of {_runs(runs)} not the same, first {said}")
    return f"{_runs(runs)} the same, {found.frames:,} frames compared"


def _runs(count: int) -> str:
    return f"{count:,} run{'s' * (count != 1)}"


def _page(found: Agreement) -> str:
    """The comparison as JSON for the build's page."""
    machines: list[dict[str, Any]] = []
    for file in found.files:
        members = [(j, m) for j in found.joined for m in j.members if m.file is file]
        odd = sum(any(m in p.others for p in j.partings) for j, m in members)
        own = next((m.run.result for _, m in members if m.run.result != "same"), "same")
        machines.append({
            "digest": Path(file.path).name, "label": one_line(file.label, 300),
            "target": _target(file), "samebits": one_line(file.machine["samebits"], 60),
            "shard": "" if file.shard == (1, 1) else f"{file.shard[0]}/{file.shard[1]}",
            "runs": len(members), "odd": odd, "result": own,
        })  # fmt: skip
    parted = [
        [one_line(line, 300) for line in lines[:_MOST_TOLD]]
        for _, lines in (each for each in differences(found))
    ]
    return json.dumps({
        "machines": machines, "runs": len(found.joined), "frames": found.frames,
        "same": sum(each.result == "same" for each in found.joined),
        "parted": len(parted), "told": parted[:_MOST_TOLD],
        "problems": [one_line(each, 500) for each in found.problems[:_MOST_TOLD]],
    })  # fmt: skip
