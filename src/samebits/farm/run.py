"""A run of a farm: a corpus, simulations and targets to rows in a store, each made once."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from samebits.farm.cluster import Cluster
from samebits.farm.entries import Entries, read_entries
from samebits.farm.errors import FarmError
from samebits.farm.labels import chosen, facts
from samebits.farm.limits import Limits
from samebits.farm.pool import Pool
from samebits.farm.rows import LOST, POISON, Key, Row, Task
from samebits.farm.store import Store

WRITE_SECONDS = 2.0
"""How long rows wait to be written: what a kill costs at most."""
WRITE_ROWS = 2000


class Progress(Protocol):
    """Who is told what goes on: words, how much is done of how much, and rows as they come."""

    def step(self, what: str, done: int, total: int) -> None: ...
    def found(self, rows: Sequence[Row]) -> None: ...


@dataclass(frozen=True, slots=True)
class Request:
    """What to run, where. `asked` is the most frames of a replay, 0 for all; with `retry` replays
    that ended their process are run again."""

    corpus: str
    simulations: tuple[str, ...]
    targets: tuple[str, ...] | None
    store: str
    local: int | None
    scheduler: str | None
    limits: Limits = field(default_factory=Limits)
    asked: int = 0
    retry: bool = False


@dataclass(frozen=True, slots=True)
class Program:
    """A simulation that is run: the words for it, and what it says of itself."""

    words: str
    name: str
    version: str
    digest: str


@dataclass(eq=False)
class Outcome:
    """What a run was about: the rows themselves are in the store, which is still open to read."""

    entries: Entries
    programs: tuple[Program, ...]
    targets: dict[str, str]
    fingerprint: str
    keys: list[Key]
    others: int
    """Replays of other simulations, which were left out."""
    known: int
    made: int = 0
    seconds: float = 0.0
    stopped: str = ""
    """Why it ended before all rows were made, if it did."""


def run(request: Request, store: Store, progress: Progress) -> Outcome:
    """Make all rows that the store, entered, lacks. Raises FarmError for what is wrong before that;
    where it ends early, the outcome says so, and KeyboardInterrupt passes: all that was found is in
    the store."""
    request.limits.checked()
    entries = read_entries(request.corpus, lambda done: progress.step("reading", done, 0))
    programs = _programs(request)
    with Cluster(request.local, request.scheduler) as cluster:
        progress.step("asking the workers", 0, 0)
        targets = chosen(request.targets, cluster.workers())
        fingerprint = facts().fingerprint
        tasks, others = _tasks(request, entries, programs, tuple(targets), fingerprint)
        known = store.known([task.key for task in tasks])
        again = (LOST, *POISON) if request.retry else (LOST,)
        wanted = [task for task in tasks if known.get(task.key, LOST) in again]
        outcome = Outcome(
            entries, programs, targets, fingerprint, [task.key for task in tasks], others,
            len(tasks) - len(wanted),
        )  # fmt: skip
        began = time.perf_counter()
        try:
            _make(outcome, cluster, wanted, request.limits, _Writer(store, known), progress)
        except FarmError as error:
            outcome.stopped = str(error)
        finally:
            outcome.seconds = time.perf_counter() - began
    return outcome


def _make(
    outcome: Outcome,
    cluster: Cluster,
    wanted: Sequence[Task],
    limits: Limits,
    writer: _Writer,
    progress: Progress,
) -> None:
    progress.step("running", outcome.known, len(outcome.keys))
    try:
        for rows in cluster.run(wanted, outcome.targets, limits):
            writer.add(rows)
            outcome.made += len(rows)
            progress.found(rows)
            progress.step("running", outcome.known + outcome.made, len(outcome.keys))
    finally:
        writer.flush()


class _Writer:
    """Rows on their way to the store, which gets many at once."""

    def __init__(self, store: Store, known: Mapping[Key, str]) -> None:
        self._store, self._known = store, known
        self._new: list[Row] = []
        self._again: list[Row] = []
        self._written = time.monotonic()

    def add(self, rows: Sequence[Row]) -> None:
        """Add rows; they are written every `WRITE_SECONDS`."""
        for row in rows:
            (self._again if row.key in self._known else self._new).append(row)
        waiting = len(self._new) + len(self._again)
        if waiting >= WRITE_ROWS or time.monotonic() - self._written >= WRITE_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write what waits."""
        new, again, self._new, self._again = self._new, self._again, [], []
        self._store.add(new)
        self._store.add(again, again=True)
        self._written = time.monotonic()


def _programs(request: Request) -> tuple[Program, ...]:
    """What the simulations say of themselves, each loaded in a limited process."""
    pool = Pool(request.limits)
    try:
        found: dict[str, Program] = {}
        for words in map(_absolute, request.simulations):
            program = Program(words, *pool.about(words))
            found.setdefault(program.digest, program)
        return tuple(found.values())
    finally:
        pool.close()


def _absolute(words: str) -> str:
    """A simulation by a path that workers of this machine understand too."""
    place, colon, name = words.rpartition(":")
    if not place or not name.isidentifier():
        place, colon, name = words, "", ""
    if place.endswith(".py") or os.sep in place:
        place = os.path.abspath(place)
    return f"{place}{colon}{name}"


def _tasks(
    request: Request,
    entries: Entries,
    programs: Sequence[Program],
    targets: Sequence[str],
    fingerprint: str,
) -> tuple[list[Task], int]:
    """All tasks, and how many replays are of none of the simulations."""
    tasks: list[Task] = []
    others = 0
    for entry in entries.replays:
        own = [program for program in programs if program.name == entry.simulation]
        others += not own
        path = os.path.abspath(entry.path)
        for program in own:
            for target in targets:
                key = Key(entry.content, program.digest, target, fingerprint, request.asked)
                tasks.append(Task(key, path, program.words, program.name, program.version))
    if not tasks and not entries.unread:
        names = ", ".join(dict.fromkeys(program.name for program in programs))
        raise FarmError(
            f"{request.corpus} has no replay of {names}",
            note=f"it has {others:,} of other simulations",
            fix="name its simulation with --sim",
        )
    return tasks, others
