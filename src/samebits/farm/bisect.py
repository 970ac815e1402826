"""The commits that changed hashes, of replays that two revisions run to other bits.

Owns the search. Each replay is followed on its own, so that several commits can be found at once; a
commit whose simulation is one that was run before, by its digest, is not run again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from samebits.farm.entries import Entry
from samebits.farm.errors import FarmError
from samebits.farm.git import Commit, Repository
from samebits.farm.limits import Limits
from samebits.farm.pool import Pool
from samebits.farm.rows import CRASHED, HUNG, MEMORY, RAN, Key, Row, Task

Show = Callable[[str, int, int], None]
"""`show(what, done, total)`."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is run: the simulation's file within the repository, its name there or empty, the
    target, how many frames, 0 for all, how many replays at once."""

    file: Path
    name: str
    target: str
    asked: int
    workers: int
    limits: Limits


@dataclass(frozen=True, slots=True)
class Culprit:
    """The commits one of which changed replays: the first one known to have done so, and those
    before it that could not be tested. `before` is a commit that has the old bits."""

    commit: Commit
    untested: tuple[Commit, ...]
    before: str
    replays: tuple[Entry, ...]
    rows: tuple[tuple[Row, Row], ...]
    """The row before and after, of each replay."""


@dataclass(eq=False)
class Bisection:
    """What was found. `compared` replays ran at both ends; `skipped` could not be tested."""

    old: Commit
    new: Commit
    compared: int = 0
    unproven: list[Row] = field(default_factory=list[Row])
    """Rows of replays that one end doesn't run."""
    culprits: list[Culprit] = field(default_factory=list[Culprit])
    skipped: dict[str, str] = field(default_factory=dict[str, str])
    tested: int = 0


class _Untestable(Exception):
    """A commit whose simulation can't be loaded, or doesn't run a replay."""


class Bisect:
    """One search in a repository."""

    def __init__(self, repository: Repository, subject: Subject, show: Show) -> None:
        self._repository, self._subject, self._show = repository, subject, show
        self._rows: dict[tuple[str, str], Row] = {}
        """By program and replay."""
        self._programs: dict[str, str] = {}
        """The digest of the simulation by commit."""
        self._broken: dict[str, str] = {}
        """Why a commit can't be tested."""

    def run(self, entries: Sequence[Entry], old: str, new: str) -> Bisection:
        """Find the commits. Raises FarmError where one end can't be tested."""
        found = Bisection(self._repository.about(old), self._repository.about(new))
        for commit in (old, new):
            self._test(commit, entries)
            if commit in self._broken:
                raise FarmError(
                    f"{commit[:10]} cannot be tested: {self._broken[commit]}",
                    fix="name another revision with --old or --new",
                )
        differing: list[Entry] = []
        for entry in entries:
            before, after = self._row(old, entry), self._row(new, entry)
            bad = next((row for row in (before, after) if _outcome(row) is None), None)
            if bad is not None:
                found.unproven.append(bad)
                continue
            found.compared += 1
            if _outcome(before) != _outcome(after):
                differing.append(entry)
        if differing:
            self._search(found, differing, new, [old])
        found.skipped = dict(self._broken)
        found.tested = len(self._programs) + len(self._broken)
        return found

    def _search(
        self, found: Bisection, entries: Sequence[Entry], bad: str, goods: list[str]
    ) -> None:
        """Find where entries changed: `goods` run all as the old end does, `bad` runs none so."""
        suspects = self._repository.between(bad, goods)
        middle = next((each for each in suspects if each != bad and each not in self._broken), None)
        self._show(f"{len(suspects):,} commits, {len(entries):,} replays", self._done(), 0)
        if middle is None:
            self._tell(found, entries, bad, goods, [c for c in suspects if c in self._broken])
            return
        self._test(middle, entries)
        if middle in self._broken:
            self._search(found, entries, bad, goods)
            return
        old = found.old.id
        changed: list[Entry] = []
        unchanged: list[Entry] = []
        for entry in entries:
            outcome = _outcome(self._row(middle, entry))
            same = outcome == _outcome(self._row(old, entry))
            (unchanged if same else changed).append(entry)
        if changed:
            self._search(found, changed, middle, goods)
        if unchanged:
            self._search(found, unchanged, bad, [*goods, middle])

    def _tell(
        self,
        found: Bisection,
        entries: Sequence[Entry],
        bad: str,
        goods: list[str],
        untested: Sequence[str],
    ) -> None:
        about = self._repository.about(bad)
        before = next((parent for parent in about.parents if parent in goods), goods[-1])
        found.culprits.append(
            Culprit(
                about,
                tuple(map(self._repository.about, untested)),
                before,
                tuple(entries),
                tuple((self._row(before, each), self._row(bad, each)) for each in entries),
            )
        )

    def _done(self) -> int:
        return len(self._programs) + len(self._broken)

    def _row(self, commit: str, entry: Entry) -> Row:
        return self._rows[self._programs[commit], entry.content]

    def _test(self, commit: str, entries: Iterable[Entry]) -> None:
        """Run the entries at a commit, or note why that can't be."""
        self._show(f"testing {commit[:10]}", self._done(), 0)
        subject = self._subject
        with self._repository.worktree(commit) as tree, closing(Pool(subject.limits)) as pool:
            words = spelled(tree / subject.file, subject.name)
            try:
                if not (tree / subject.file).is_file():
                    raise _Untestable(f"it has no {subject.file.as_posix()}")
                try:
                    name, version, digest = pool.about(words)
                except FarmError as error:
                    told = error.message.replace(f"{tree}{'/'}", "")
                    raise _Untestable(told) from None
                wanted = [each for each in entries if (digest, each.content) not in self._rows]
                tasks = [
                    Task(
                        Key(each.content, digest, subject.target, "", subject.asked),
                        each.path, words, name, version,
                    )
                    for each in wanted if each.simulation == name
                ]  # fmt: skip
                if len(tasks) < len(wanted):
                    raise _Untestable(f"its simulation is '{name}', not that of the replays")
                with ThreadPoolExecutor(subject.workers) as threads:
                    rows = list(threads.map(pool.run, tasks))
                self._rows |= {(digest, row.replay): row for row in rows}
                self._programs[commit] = digest
            except _Untestable as error:
                self._broken[commit] = str(error)


def spelled(file: Path, name: str) -> str:
    """The words for a simulation of a file."""
    return f"{file}:{name}" if name else str(file)


def _outcome(row: Row) -> str | None:
    """What must stay the same: the digest of the run, or that it ends its process; None where the
    replay isn't run at all."""
    if row.result in RAN:
        return row.run
    return row.result if row.result in (CRASHED, HUNG, MEMORY) else None
