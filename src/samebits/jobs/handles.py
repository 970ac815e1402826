"""Handles of scheduled jobs: waiting for them, combining them, and the order between them.

Two pending jobs that use the same memory must be ordered by a dependency. A job is pending until
it, or one that depends on it, is completed, however soon it has run: so errors never depend on
timing. A job that nobody can or will complete is released: the next access to its memory waits for
it.
"""

from __future__ import annotations

import itertools
import os
import sys
import threading
import warnings
import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from samebits.backend.objects import TRAP_WORDS
from samebits.errors import ArgumentError, JobError, fold, folding
from samebits.runtime.memory_claims import LEDGER, Claim
from samebits.runtime.pending_jobs import PENDING
from samebits.runtime.threads.pool import Pool, pool
from samebits.runtime.threads.tasks import (
    DONE,
    NEW,
    OWN_NUMBERS,
    STATUS_MASK,
    TRAP,
    ControlBlock,
    Task,
)


class _State:
    """The process's scheduling state."""

    registered = False
    numbers = itertools.count()


class _Starting(threading.local):
    job: JobRecord | None = None
    """The starting job whose length this thread determines."""


starting = _Starting()


@dataclass(eq=False, repr=False, slots=True)
class JobRecord:
    """A job's scheduling state, which outlives its handle until the job is completed."""

    name: str
    place: tuple[str, int] | None
    task: Task
    last: Task
    """The task that ends last: its own, or one that post-processes its results."""
    pool: Pool
    _claims: Any
    number: int = -1
    """Its number, greater than those of all jobs scheduled before it."""
    released: bool = False
    followed: bool = False
    """Whether another job depends on it, whose completion completes it too."""
    is_lost: bool = False
    """Whether its handle was dropped without completion or release."""
    _handle: weakref.ref[JobHandle] | None = None
    """Calls `_lose` when the handle is collected; None once that does not matter. A destructor
    would run for every handle, and swallow a Ctrl-C that comes during it."""

    @property
    def title(self) -> str:
        """The job's name, and where it was scheduled."""
        if self.place is None:
            return self.name
        return f"{self.name} ({os.path.basename(self.place[0])}:{self.place[1]})"

    def claims(self) -> Sequence[Claim]:
        """Claims of the memory that it uses."""
        if callable(self._claims):
            self._claims = self._claims()
        return self._claims

    @property
    def is_released(self) -> bool:
        """Whether accesses to its memory wait for it. While a job starts, none waits for another,
        which may wait for that job."""
        gone = self._handle is not None and self._handle() is None
        return (self.released or gone) and (starting.job is None or self.has_ended)

    @property
    def has_ended(self) -> bool:
        return self.last.state == DONE

    def release(self) -> None:
        """Record that nobody will complete it."""
        self.released = True
        LEDGER.release(self)

    def keep(self, handle: JobHandle) -> None:
        """Record that it can be completed as long as `handle` lives."""
        self._handle = weakref.ref(handle, self._lose)

    def _lose(self, handle: object) -> None:
        del handle
        self.is_lost = not (self.followed or self.released)
        LEDGER.release(self)
        if self.is_lost and self.number in PENDING and not sys.is_finalizing():
            warnings.warn(
                f"{self.title} was scheduled, but its handle was dropped before the job was "
                "completed: call the handle's complete() or release()",
                ResourceWarning,
                stacklevel=2,
            )

    def finish(self) -> None:
        """Wait until it has ended, and remove it from the pending jobs."""
        with LEDGER.lock:  # jobs are submitted under it
            if self.task.state == NEW:  # a second interrupt came while the first was handled
                self.settle()
                return
        self.pool.wait(self.last)
        with LEDGER.lock:
            failed = self.is_lost and self.number in PENDING and self.task.failed
            self.settle()
        if failed:
            warnings.warn(
                f"{self.title} failed, and its handle was dropped: its memory is partly written",
                RuntimeWarning,
                stacklevel=2,
            )

    def settle(self) -> None:
        """Record that it has ended. LEDGER's lock is held."""
        LEDGER.remove(self)
        self._handle = None
        self._claims = []
        self.task.keep = None


class JobHandle:
    """A scheduled job, or several together.

    A handle that is dropped before its job, or one that depends on it, is completed or released
    causes a ResourceWarning, and its job is released.
    """

    __slots__ = (
        "__weakref__", "_before", "_cause", "_floor", "_known", "_trap", "is_settled", "record",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        task: Task,
        before: Sequence[JobHandle],
        claims: Callable[[], list[Claim]] | None = None,
        trap: Callable[[int, Any], BaseException] | None = None,
        place: tuple[str, int] | None = None,
    ) -> None:
        if not isinstance(cast("object", task), Task):
            try:
                raise ArgumentError("handles are made by jobs", fix="write `job.schedule(...)`")
            except ArgumentError as error:
                fold(error)
                raise
        self.is_settled = False
        """Whether it has been completed."""
        self._before = tuple(before)
        self._known: set[int] = set()
        """Numbers of jobs that it is ordered after, as far as known."""
        self._floor = 0
        """It is ordered after all pending jobs with lower numbers."""
        self._trap = trap
        self._cause: JobHandle | None = None
        """The handle whose failure it raises, once completed; None if none failed."""
        self.record = JobRecord(name, place, task, task, pool(), claims or list)

    @property
    def name(self) -> str:
        """The job's name."""
        return self.record.name

    @property
    def number(self) -> int:
        """Its number, greater than those of all that it depends on."""
        return self.record.number

    @property
    def place(self) -> tuple[str, int] | None:
        """The file and line where it was scheduled."""
        return self.record.place

    @property
    def task(self) -> Task:
        """The task that the pool runs."""
        return self.record.task

    @property
    def title(self) -> str:
        """The job's name, and where it was scheduled."""
        return self.record.title

    @folding
    def complete(self) -> None:
        """Wait until the job has run, helping meanwhile; its memory may be used then.

        Completes the jobs that it depends on too. Raises the Trap that stopped it or one that it
        depends on: of several indices the lowest one's. A second call does the same. If it is
        interrupted, by Ctrl-C or another exception of a signal handler, all these jobs are
        released, as by `release()`, and it may be called again.
        """
        if not self.is_settled:
            try:
                self.check_process()
                self._check_cycle()
                self.record.pool.wait(self.record.task)
                _completed(self)
            except JobError:
                raise
            except BaseException:
                self.record.released = True
                self.release()
                raise
        if self._cause is not None:
            raise self._cause.failure()

    def release(self) -> None:
        """Declare that `complete()` will not be called, though it still may be.

        An access to the memory of the job, or of those that it depends on, then waits until these
        have ended, instead of being refused. Only `complete()` raises what they raise.
        """
        if not self.is_settled:
            for one in (*self.pending_before(), self):
                one.record.release()

    def withdraw(self) -> None:
        """Release it, and cancel it if no thread has begun it."""
        self.record.release()
        self.record.pool.withdraw(self.record.task)

    @property
    def is_completed(self) -> bool:
        """Whether it has run. `complete()` must be called even so, before its memory is used."""
        if self.is_settled:
            return True
        self.check_process()
        return self.record.pool.poll(self.record.task)

    def failure(self) -> BaseException:
        """The exception of a job that failed itself."""
        if self.task.error is not None:
            return self.task.error
        assert self._trap is not None
        words = self.task.words
        numbers = words[OWN_NUMBERS : OWN_NUMBERS + TRAP_WORDS]
        return self._trap(words[TRAP] & STATUS_MASK, numbers)

    def pending_before(self) -> list[JobHandle]:
        """The jobs that it depends on, directly or not, and that are not completed."""
        found: dict[int, JobHandle] = {}
        waiting = list(self._before)
        while waiting:
            handle = waiting.pop()
            if not handle.is_settled and id(handle) not in found:
                found[id(handle)] = handle
                waiting += handle._before
        return list(found.values())

    @property
    def is_job(self) -> bool:
        """Whether it is one job, rather than a combination."""
        return self._trap is not None

    def settle(self) -> None:
        """Record that it has run. All that it depends on is settled. LEDGER's lock is held."""
        task = self.record.task
        if task.skipped:
            first = next(handle for handle in self._before if handle.task.failed)
            self._cause = first if first._cause is None else first._cause
        elif task.failed:
            self._cause = self
        self.record.settle()
        self.is_settled = True
        self._before = ()
        self._known = set()

    def enter(self, number: int) -> None:
        """Schedule it as the latest job. LEDGER's lock is held."""
        known = {one.number for one in self._before}
        floor = max([next(iter(PENDING), number), *[one._floor for one in self._before]])
        for _ in range(2 * len(known) + 16):  # skipped ones were completed, or are no jobs
            if floor == number or (floor not in known and floor in PENDING):
                break
            floor += 1
        self.record.number = number
        self._known = known
        self._floor = floor

    def follow(self) -> None:
        """Let the handles that it depends on be dropped: its completion completes their jobs."""
        waiting = list(self._before)
        while waiting:
            one = waiting.pop()
            if not one.record.followed:
                one.record.followed = True
                if not one.is_job:
                    waiting += one._before

    def unordered(self, wanted: Iterable[int]) -> set[int]:
        """The numbers in `wanted` of pending jobs that it is not ordered after."""
        sought = {number for number in wanted if number >= self._floor} - self._known
        if not sought:
            return sought
        asked = frozenset(sought)
        least = min(sought)
        waiting, seen = list(self._before), set(self._before)
        while waiting and sought:
            handle = waiting.pop()
            sought = {n for n in sought if n >= handle._floor} - handle._known
            for one in handle._before:
                if one.number > least and one not in seen and not one.is_settled:
                    seen.add(one)
                    waiting.append(one)
        self._known |= asked - sought  # later jobs find them here
        return sought

    def check_process(self) -> None:
        """Raise JobError if it belongs to another process."""
        if self.record.pool is not pool():
            raise JobError(
                f"{self.title} was scheduled by another process, which forked this one",
                note="its workers, and the memory that it writes, are in that process",
                fix="complete jobs before os.fork(), or schedule them in the child",
            )

    def _check_cycle(self) -> None:
        inner = starting.job
        if inner is not None and any(one.record is inner for one in (self, *self.pending_before())):
            raise JobError(
                f"{inner.title} waits for {self.title}, which waits for it: a cyclic dependency",
                note="the first one's length is determined when it starts",
                fix="take the length from a result of an earlier job",
            )

    def __repr__(self) -> str:
        return f"<JobHandle of {self.title}>"


def _completed(handle: JobHandle) -> None:
    """Settle `handle` and all that it depends on."""
    with LEDGER.lock:
        # In order: so an interrupt leaves no job completed before one that it depends on.
        for one in sorted([*handle.pending_before(), handle], key=lambda job: job.number):
            one.settle()


def handles(depends_on: object, what: str = "depends_on") -> tuple[JobHandle, ...]:
    """The handles in a value of `depends_on=`, or of the parameter `what`. Raises ArgumentError for
    anything else."""
    if depends_on is None:
        return ()
    if isinstance(depends_on, JobHandle):
        return (depends_on,)
    if isinstance(depends_on, Iterable) and not isinstance(depends_on, str):
        found = tuple(cast("Iterable[object]", depends_on))
        if all(isinstance(handle, JobHandle) for handle in found):
            return cast("tuple[JobHandle, ...]", found)
    raise ArgumentError(
        f"{what} is a JobHandle or a list of them, not {depends_on!r:.60}",
        fix=f"write {what}=job.schedule(...)"
        if what == "depends_on"
        else "give what job.schedule(...) returns",
    )


def submit(
    handle: JobHandle, before: Sequence[JobHandle], previous: JobRecord | None = None
) -> None:
    """Schedule a job that depends on `before`; `previous` is the record of the object's last job.

    Raises JobError if it conflicts with a pending job that it is not ordered after. Waits for
    released jobs that it conflicts with.
    """
    if not _State.registered:
        _State.registered = True
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=_after_fork)
    for one in before:
        if not one.is_settled:
            one.check_process()
    LEDGER.forget_ended()
    record = handle.record
    tasks = [one.record.task for one in before]
    while True:
        with LEDGER.lock:
            handle.enter(next(_State.numbers))
            released = _check_order(handle, previous) if PENDING else []
            if not released:
                try:
                    if handle.is_job:
                        record.keep(handle)
                        LEDGER.enter(record)
                    record.pool.submit(record.task, tasks)
                except BaseException:
                    record.released = True
                    if record.task.state == NEW and record.number in PENDING:
                        del PENDING[record.number]
                    raise
                if handle.is_job:
                    handle.follow()
                return
        for one in released:
            one.finish()


def _check_order(handle: JobHandle, previous: JobRecord | None) -> list[JobRecord]:
    """Raise JobError if a pending job conflicts with `handle`, and nothing orders the two. Returns
    the released ones that conflict."""
    met = LEDGER.met(handle.record.claims(), handle._floor)  # pyright: ignore[reportPrivateUsage]
    again = [previous.number] if previous is not None and previous.number in PENDING else []
    unordered = handle.unordered([*met, *again])
    if previous is not None and previous.number in unordered and not previous.is_released:
        raise JobError(
            f"{handle.title} is scheduled again, but {previous.title} is not completed",
            fix="complete that first, or write depends_on= its handle",
        )
    for number in sorted(unordered & met.keys()):
        job, theirs, own = met[number]
        if not job.is_released:
            verbs = {True: "writes", False: "reads"}
            raise JobError(
                f"{handle.title} {verbs[own.writes]} `{own.name}`, and the scheduled job "
                f"{job.title} {verbs[theirs.writes]} the same memory as `{theirs.name}`",
                note="nothing orders the two jobs",
                fix=f"write schedule(..., depends_on=handle of {job.name}), or complete that first",
            )
    return [cast("JobRecord", PENDING[number]) for number in sorted(unordered) if number in PENDING]


def _after_fork() -> None:
    """Reset in the child of a fork, where no job runs."""
    LEDGER.forget_all()
    starting.job = None


@folding
def combine(*handles_: JobHandle | Iterable[JobHandle]) -> JobHandle:
    """One handle for several: it is completed once all of them are.

    Raises ArgumentError for anything but handles.
    """
    before = tuple(one for given in handles_ for one in handles(given, "an argument of combine()"))
    block = ControlBlock()
    task = Task(nothing, None, block.words, block.address, block)
    handle = JobHandle("combine()", task, before)
    submit(handle, before)
    return handle


def nothing(slots: Any, shared: Any) -> int:
    """A range function that does nothing."""
    del slots, shared
    return 0
