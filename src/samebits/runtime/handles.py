"""Handles of scheduled jobs: waiting for them, putting them together, and what orders them.

Two pending jobs that use the same memory must be ordered by a dependency. A job is pending until
it, or one that depends on it, is completed, however soon it has run: so that what is refused never
depends on time.
"""

from __future__ import annotations

import _thread
import itertools
import os
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

from samebits.errors import ArgumentError, JobError
from samebits.runtime.claims import PENDING, Claim, meeting
from samebits.runtime.pool import Pool, pool
from samebits.runtime.tasks import OWN_NUMBERS, STATUS_MASK, TRAP, ControlBlock, Task


class _State:
    """What scheduling shares in the process."""

    lock = _thread.allocate_lock()
    registered = False
    numbers = itertools.count()


class _Starting(threading.local):
    handle: JobHandle | None = None
    """The job whose length this thread is asking for."""


starting = _Starting()


class JobHandle:
    """A scheduled job, or several together."""

    __slots__ = (
        "__weakref__", "_before", "_cause", "_claims", "_completed", "_pool", "_trap", "name",
        "number", "place", "task",
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
        self.number = next(_State.numbers)
        """Greater than those of all that it depends on."""
        self.name = name
        self.task = task
        self.place = place
        self._before = tuple(before)
        self._claims: Any = claims or list
        self._trap = trap
        self._pool: Pool = pool()
        self._completed = False
        self._cause: JobHandle | None = None
        """Whose failure it has, once it is completed; None if nothing failed."""

    def complete(self) -> None:
        """Wait until the job has run, helping meanwhile; its memory is free to use then.

        Jobs that it depends on are completed too. Raises the Trap that stopped it or one that it
        depends on: of several indices the lowest one's. A second call does the same.
        """
        if not self._completed:
            self.check_process()
            self._check_cycle()
            self._pool.wait(self.task)
            _completed(self)
        if self._cause is not None:
            raise self._cause.failure()

    @property
    def is_completed(self) -> bool:
        """Whether it has run. `complete()` is to be called even so, before its memory is used."""
        if self._completed:
            return True
        self.check_process()
        return self._pool.poll(self.task)

    @property
    def title(self) -> str:
        """The job's name, and where it was scheduled."""
        if self.place is None:
            return self.name
        return f"{self.name} ({os.path.basename(self.place[0])}:{self.place[1]})"

    def claims(self) -> Sequence[Claim]:
        """The memory that it uses."""
        if callable(self._claims):
            self._claims = self._claims()
        return self._claims

    def failure(self) -> BaseException:
        """What a job that failed by itself raises."""
        if self.task.error is not None:
            return self.task.error
        assert self._trap is not None
        words = self.task.words
        return self._trap(words[TRAP] & STATUS_MASK, words[OWN_NUMBERS : OWN_NUMBERS + 3])

    def pending_before(self) -> list[JobHandle]:
        """The jobs that it depends on, and those that they depend on, which are not completed."""
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
        """Whether it is a job of its own, rather than others together."""
        return self._trap is not None

    @property
    def is_settled(self) -> bool:
        """Whether it has been completed."""
        return self._completed

    def settle(self) -> None:
        """It has run, as all that it depends on."""
        self._completed = True
        self.task.keep = None
        if self.task.skipped:
            first = next(handle for handle in self._before if handle.task.failed)
            self._cause = first if first._cause is None else first._cause
        elif self.task.failed:
            self._cause = self
        self._claims = []

    def forget_order(self) -> None:
        """Let go of the jobs that came before."""
        self._before = ()

    def check_process(self) -> None:
        """Raise JobError where its workers are another process's."""
        if self._pool is not pool():
            raise JobError(
                f"{self.title} was scheduled by another process, which forked this one",
                note="its workers, and the memory that it writes, are there",
                fix="complete jobs before os.fork(), or schedule them in the child",
            )

    def _check_cycle(self) -> None:
        inner = starting.handle
        if inner is not None and (inner is self or inner in self.pending_before()):
            raise JobError(
                f"{inner.title} waits for {self.title}, which waits for it: a cyclic dependency",
                note="the length of the first is asked for when it starts",
                fix="take the length from something that an earlier job leaves",
            )

    def __repr__(self) -> str:
        return f"<JobHandle of {self.title}>"


def _completed(handle: JobHandle) -> None:
    """`handle` and all that it depends on are completed."""
    with _State.lock:
        before = handle.pending_before()
        order = sorted([*before, handle], key=lambda one: one.number)
        for one in order:
            one.settle()
            PENDING.pop(id(one), None)
        for one in order:
            one.forget_order()


def handles(depends_on: object, what: str = "depends_on") -> tuple[JobHandle, ...]:
    """What `depends_on=`, or another parameter, names. Raises ArgumentError for anything but
    handles."""
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
    handle: JobHandle, before: Sequence[JobHandle], previous: JobHandle | None = None
) -> None:
    """Schedule a job that depends on `before`; `previous` is the last handle of the same object.

    Raises JobError where it would meet a pending job that it is not ordered after.
    """
    with _State.lock:
        if not _State.registered:
            _State.registered = True
            if hasattr(os, "register_at_fork"):
                os.register_at_fork(after_in_child=_after_fork)
        for one in before:
            if not one.is_settled:
                one.check_process()
        if PENDING:
            _check_order(handle, previous)
        if handle.is_job:
            PENDING[id(handle)] = handle
    pool().submit(handle.task, [one.task for one in before])


def _check_order(handle: JobHandle, previous: JobHandle | None) -> None:
    ordered = {id(one) for one in handle.pending_before()}
    if previous is not None and id(previous) in PENDING and id(previous) not in ordered:
        raise JobError(
            f"{handle.title} is scheduled again, though it is not completed since {previous.title}",
            fix="complete it first, or write depends_on= its handle",
        )
    met = meeting(handle.claims(), ordered)
    if met is None:
        return
    job, theirs, own = met
    verbs = {True: "writes", False: "reads"}
    raise JobError(
        f"{handle.title} {verbs[own.writes]} `{own.name}`, and the scheduled job {job.title} "
        f"{verbs[theirs.writes]} the same memory as `{theirs.name}`",
        note="nothing says which of the two comes first",
        fix=f"write schedule(..., depends_on=handle of {job.name}), or complete that first",
    )


def _after_fork() -> None:
    """In the child of a fork no job runs."""
    _State.lock = _thread.allocate_lock()
    PENDING.clear()
    starting.handle = None


def combine(*handles_: JobHandle | Iterable[JobHandle]) -> JobHandle:
    """One handle for several: it is completed when all of them are.

    Raises ArgumentError for anything but handles.
    """
    before = tuple(one for given in handles_ for one in handles(given, "an argument of combine()"))
    block = ControlBlock()
    task = Task(nothing, None, block.words, block.address, block)
    handle = JobHandle("combine()", task, before)
    submit(handle, before)
    return handle


def nothing(slots: Any, shared: Any) -> int:
    """A range function that has nothing to run."""
    del slots, shared
    return 0
