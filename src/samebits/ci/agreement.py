"""Bits files of several machines, joined: which runs are the same everywhere, and where they part.

Owns what counts as proven: a run that two machines or more ran, each the same within itself, with
equal hashes in every frame that two of them have, and nothing missing on any machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from samebits.ci.bits_file import BitsFile, Run


@dataclass(frozen=True, eq=False)
class Member:
    """One machine's run."""

    file: BitsFile
    run: Run

    @property
    def label(self) -> str:
        return self.file.label

    def at(self, frame: int) -> str:
        """The hash after a frame, -1 for `init`, or the trap in it."""
        run = self.run
        if run.end is not None and run.end.frame == frame:
            return f"trap: {run.end.kind} at {run.end.place}"
        if frame < 0:
            return run.start or "nothing"
        return f"{int(run.hashes[frame]):016x}" if frame < len(run.hashes) else "nothing"

    def reaches(self, frame: int) -> bool:
        return self.at(frame) != "nothing"


def first_difference(a: Member, b: Member) -> int | None:
    """The first frame, -1 for `init`, that both reach with different results; None if there is
    none."""
    shared = min(len(a.run.hashes), len(b.run.hashes))
    unequal = np.flatnonzero(a.run.hashes[:shared] != b.run.hashes[:shared])
    frames = (-1, *(int(each) for each in unequal[:1]), shared)
    return next(
        (f for f in frames if a.reaches(f) and b.reaches(f) and a.at(f) != b.at(f)), None
    )  # fmt: skip


def compared(a: Member, b: Member) -> int:
    """How many frames both reach, one that a trap ends counted."""
    shared = min(len(a.run.hashes), len(b.run.hashes))
    return shared + (a.reaches(shared) and b.reaches(shared))


@dataclass(frozen=True, eq=False)
class Parting:
    """Machines whose run parts from that of the most, `frame` is the first that differs."""

    frame: int
    most: tuple[Member, ...]
    others: tuple[Member, ...]


@dataclass(eq=False)
class Joined:
    """One run on all machines that ran it. `frames` is the most that two of them share."""

    simulation: str
    members: tuple[Member, ...]
    partings: tuple[Parting, ...]
    frames: int
    is_compared: bool
    """Whether two machines share anything, be it the state after `init` alone."""
    missing: tuple[str, ...] = ()
    """The machines that should have run it, and have not."""

    @property
    def name(self) -> str:
        run = self.members[0].run
        return run.name if run.content or not run.players else f"{run.players}, seed {run.seed}"

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(member.label for member in self.members))

    @property
    def of_frames(self) -> int:
        """The frames of the longest run, one that a trap ends counted."""
        return max(compared(member, member) for member in self.members)

    @property
    def final(self) -> str:
        """The hash after the last frame of the longest run."""
        return self.members[0].at(len(self.members[0].run.hashes) - 1)

    @property
    def result(self) -> str:
        """`differs`, between machines or within one; what else a machine says of its run; `missing`
        on a machine; `not compared`, where one machine alone ran it; or `same`."""
        local = {member.run.result for member in self.members}
        if self.partings or "differs" in local:
            return "differs"
        bad = next((each for each in _WORST if each in local), None)
        if bad is not None:
            return bad
        if self.missing:
            return "missing"
        return "same" if self.is_compared else "not compared"


_WORST = ("failed", "error", "damaged", "not run", "not compared")
WORSE = frozenset(("differs", "failed"))
"""Results that are differences; others than these and `same` are proofs that lack something."""


@dataclass(eq=False)
class Agreement:
    """All files joined. `problems` say what is lacking for a proof, a line each."""

    files: tuple[BitsFile, ...]
    joined: tuple[Joined, ...]
    problems: list[str] = field(default_factory=list[str])

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(file.label for file in self.files))

    @property
    def frames(self) -> int:
        return sum(each.frames for each in self.joined)

    @property
    def result(self) -> str:
        """`differs`, `incomplete` or `same`; files without a run are incomplete."""
        found = {each.result for each in self.joined}
        if found & WORSE:
            return "differs"
        return "same" if found == {"same"} and not self.problems else "incomplete"


def join(files: Sequence[BitsFile], expected: Iterable[str] = ()) -> Agreement:
    """Compare the bits files; `expected` are labels that must be among theirs."""
    groups: dict[tuple[object, ...], list[Member]] = {}
    for file in files:
        for run in file.runs:
            key = (file.simulation, file.digest, *run.key)
            groups.setdefault(key, []).append(Member(file, run))
    joined = tuple(_joined(members) for members in groups.values())
    found = Agreement(tuple(files), joined)
    found.problems += _problems(found, tuple(expected))
    return found


def _joined(members: Sequence[Member]) -> Joined:
    """The members, the longest run first, in classes that agree with each other."""
    ordered = sorted(members, key=lambda m: (-len(m.run.hashes), m.run.end is None))
    classes: list[list[Member]] = []
    for member in ordered:
        fitting = (c for c in classes if all(first_difference(o, member) is None for o in c))
        chosen = next(fitting, None)
        if chosen is None:
            classes.append([member])
        else:
            chosen.append(member)
    classes.sort(key=lambda c: -len({member.label for member in c}))
    most, *others = classes
    partings = tuple(
        Parting(_first(most, other), tuple(most), tuple(other)) for other in others
    )  # fmt: skip
    pairs = [
        (a, b) for i, a in enumerate(ordered) for b in ordered[i + 1 :] if a.label != b.label
    ]  # fmt: skip
    frames = max((compared(a, b) for a, b in pairs), default=0)
    meet = frames > 0 or any(a.reaches(-1) and b.reaches(-1) for a, b in pairs)
    return Joined(members[0].file.simulation, tuple(ordered), partings, frames, meet)


def _first(most: Sequence[Member], others: Sequence[Member]) -> int:
    found = (first_difference(a, b) for a in most for b in others)
    return min(frame for frame in found if frame is not None)


def _problems(found: Agreement, expected: tuple[str, ...]) -> Iterator[str]:
    if not found.joined:
        yield "no run is in any of the files: nothing was compared"
    for label in expected:
        if label not in found.labels:
            yield f"{label} is missing: no bits file of it was given"
    yield from _other_code(found.files)
    yield from _other_inputs(found.joined)
    yield from _shards(found.files)
    for simulation in dict.fromkeys(file.simulation for file in found.files):
        labels = dict.fromkeys(f.label for f in found.files if f.simulation == simulation)
        for each in found.joined:
            if each.simulation == simulation:
                each.missing = tuple(label for label in labels if label not in each.labels)
                if each.missing and each.result == "missing":
                    yield f"{each.name} of {simulation} was not run by {', '.join(each.missing)}"
    for each in found.joined:
        if each.result == "not compared" and not each.missing:
            yield (
                f"{each.name} of {each.simulation} was run by {each.labels[0]} alone: nothing was "
                "compared"
            )


def _other_code(files: Sequence[BitsFile]) -> Iterator[str]:
    digests: dict[str, dict[str, list[str]]] = {}
    for file in files:
        digests.setdefault(file.simulation, {}).setdefault(file.digest, []).append(file.label)
    for simulation, found in digests.items():
        if len(found) > 1:
            told = "; ".join(f"{', '.join(dict.fromkeys(who))}: {d}" for d, who in found.items())
            yield f"other code of {simulation} was run, by its digest: {told}"


def _other_inputs(joined: Sequence[Joined]) -> Iterator[str]:
    contents: dict[tuple[str, str], dict[str, list[Member]]] = {}
    for each in joined:
        for member in each.members:
            if member.run.content:
                key = member.file.simulation, member.run.name
                contents.setdefault(key, {}).setdefault(member.run.content, []).append(member)
    for (simulation, name), found in contents.items():
        if len(found) > 1:
            frames = [max(member.run.asked for member in who) for who in found.values()]
            told = " and ".join(
                ", ".join(dict.fromkeys(member.label for member in who)) for who in found.values()
            )
            shorter = (
                f", of {' and '.join(f'{each:,}' for each in frames)} frames: nothing proves that "
                "one is the beginning of the other; give both one file, and "
                f"--frames {min(frames)} where fewer are to be run"
            ) * (len(set(frames)) > 1)
            yield f"{name} of {simulation} is another file for {told}{shorter}"


def _shards(files: Sequence[BitsFile]) -> Iterator[str]:
    parts: dict[tuple[str, str, int], dict[int, set[str]]] = {}
    for file in files:
        index, count = file.shard
        key = file.simulation, file.label, count
        parts.setdefault(key, {}).setdefault(index, set()).add(file.corpus)
    for (simulation, label, count), found in parts.items():
        missing = [f"{i}/{count}" for i in range(1, count + 1) if i not in found]
        if missing:
            shown = ", ".join(missing[:10]) + ", …" * (len(missing) > 10)
            yield f"{simulation} on {label}: shard {shown} is missing"
        if len(set[str]().union(*found.values())) > 1:
            yield f"{simulation} on {label}: the shards are of different corpora"
