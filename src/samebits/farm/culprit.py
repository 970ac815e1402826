"""A commit that changed a hash, for those who look into it: the smallest replay, and why.

Both are commands in processes of their own, with a time limit, over two worktrees.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from samebits.ci.first_finding import SECONDS, command
from samebits.farm.bisect import Culprit, Subject, spelled
from samebits.farm.git import Repository
from samebits.farm.rows import RAN


@dataclass(frozen=True, slots=True)
class Finding:
    """The smallest replay that shows it, if one was made, how long it is, and what `diagnose` says
    of it; else why there is none."""

    replay: str
    small: str
    frames: int
    text: str


def finding(
    repository: Repository, subject: Subject, culprit: Culprit, out: Path, seconds: float
) -> Finding:
    """Minimise the shortest replay between the commit and the one before, and diagnose it. The
    small replay is written into the folder `out`."""
    pairs = [
        (entry, after)
        for entry, (before, after) in zip(culprit.replays, culprit.rows, strict=True)
        if before.result in RAN and after.result in RAN
    ]
    if not pairs:
        return Finding(culprit.replays[0].path, "", 0, "the process that ran it ended: see its row")
    entry, _ = min(pairs, key=lambda pair: (pair[1].frames, pair[0].path))
    commit = culprit.commit
    with (
        repository.worktree(culprit.before) as before,
        repository.worktree(commit.id) as after,
    ):
        new, old = (spelled(tree / subject.file, subject.name) for tree in (after, before))
        small = out / f"{commit.short}-{Path(entry.path).stem}.small.mcap"
        sides = ("--a", subject.target, "--b", f"{subject.target},source={old}")
        said = command(
            "minimise", new, entry.path, *sides, "--seconds", f"{seconds:g}", "--json",
            "--out", str(small), seconds=seconds + SECONDS,
        )  # fmt: skip
        try:
            frames = int(json.loads(said)["frames"])
        except (ValueError, KeyError, TypeError):
            return Finding(entry.path, "", 0, _without(said, after, before))
        text = command("diagnose", new, str(small), *sides, seconds=seconds + SECONDS)
    return Finding(entry.path, str(small), frames, _without(text, after, before))


def _without(text: str, after: Path, before: Path) -> str:
    """A text without the folders of worktrees, that are gone: `before/` stands for the old one."""
    return text.replace(f"{after}/", "").replace(f"{before}/", "before/").strip()
