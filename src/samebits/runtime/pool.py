"""The worker pool: threads that run tasks' range functions, holding no interpreter lock inside.

Owns who runs what, who sleeps and who is woken. Knows nothing of jobs or of what tasks compute. A
thread that waits for a task helps; one that is inside a task runs nested ranges in line. Nobody is
woken for a single task of a single batch: it runs where it is waited for, unless something else
is to be done too.
"""

from __future__ import annotations

import _thread
import atexit
import contextlib
import ctypes
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Generator

from samebits.errors import ArgumentError, SamebitsError
from samebits.runtime.tasks import (
    DONE,
    READY,
    WAITING,
    Task,
)

MOST_WORKERS = 1024
_EXIT_SECONDS = 1.0
"""How long the end of the process waits for batches that are being run."""


class _Inside(threading.local):
    depth = 0
    """How many tasks this thread is inside of."""


inside = _Inside()
running = ctypes.c_int64()
"""How many tasks this process's pool runs now."""


class _Sleeper:
    """A thread that sleeps until it is woken; both happen under the pool's lock."""

    __slots__ = ("asleep", "lock")

    def __init__(self) -> None:
        self.lock = _thread.allocate_lock()
        self.lock.acquire()
        self.asleep = True

    def wake(self) -> None:
        if self.asleep:
            self.asleep = False
            self.lock.release()


def default_workers() -> int:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return min(MOST_WORKERS, max(1, len(os.sched_getaffinity(0))))
    return min(MOST_WORKERS, os.cpu_count() or 1)


class Pool:
    """`workers` threads at most compute at once, the one that waits being one of them."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._lock = _thread.allocate_lock()
        self._ready: deque[Task] = deque()
        self._idle: list[_Sleeper] = []
        self._running: set[Task] = set()
        self._threads = 0
        self._closed = False

    # Called by any thread ----------------------------------------------------------------

    def submit(self, task: Task, after: list[Task]) -> None:
        """Let `task` run once all of `after` have ended. It must not have been submitted yet."""
        with self._lock:
            for other in after:
                if other.state != DONE:
                    other.dependents.append(task)
                    task.waiting_for += 1
                else:
                    task.skipped |= other.failed
            if not task.waiting_for:
                others = len(self._ready)
                self._start(task)
                if task.queued and (others or task.batches > 1):
                    self._wake(others + min(task.batches, self.workers))

    def wait(self, task: Task) -> None:
        """Help until `task` has ended. After a KeyboardInterrupt it goes on without this thread."""
        while True:
            chosen: Task | None = None
            sleeper: _Sleeper | None = None
            try:
                with self._lock:
                    if task.state == DONE:
                        return
                    chosen = self._choose(task)
                    if chosen is None:
                        sleeper = _Sleeper()
                        task.waiters.append(sleeper)
                        if task.state == WAITING:  # only then would it run something else
                            self._idle.append(sleeper)
                if chosen is not None:
                    self._run(chosen)
                elif sleeper is not None:
                    sleeper.lock.acquire()
            finally:
                with self._lock:
                    if chosen is not None:
                        self._leave(chosen, task)
                    if sleeper is not None:
                        self._forget(sleeper, task)

    def poll(self, task: Task) -> bool:
        """Whether `task` has ended. If it may run and nobody is at it, a worker starts."""
        if task.state == DONE:
            return True
        if self.workers == 1:
            self.wait(task)
            return True
        with self._lock:
            self._wake(len(self._ready))
        return task.state == DONE

    def resize(self, workers: int) -> None:
        """Let `workers` threads at most compute at once from now on."""
        with self._lock:
            self.workers = workers
            for sleeper in self._idle:
                sleeper.wake()  # those too many end themselves
            self._idle.clear()

    def close(self) -> None:
        """Begin nothing more, and wait a little for the batches that are being run.

        What is still running then keeps its memory for good: the process ends under it.
        """
        with self._lock:
            self._closed = True
            for task in (*self._ready, *self._running):
                task.error = SamebitsError("the process ended before this job had")
                task.give_up()
        end = time.monotonic() + _EXIT_SECONDS
        while self._running and time.monotonic() < end:
            time.sleep(0.001)
        for task in self._running:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(task))

    # Under the lock ----------------------------------------------------------------------

    def _enqueue(self, task: Task, *, first: bool = False) -> None:
        task.queued = True
        if first:
            self._ready.appendleft(task)
        else:
            self._ready.append(task)
        for sleeper in task.waiters:
            sleeper.wake()

    def _dequeue(self, task: Task) -> None:
        if task.queued:
            task.queued = False
            self._ready.remove(task)

    def _start(self, task: Task) -> None:
        """What `task` waited for has ended."""
        starting = [task]
        while starting:
            one = starting.pop()
            one.state = READY
            if one.skipped:
                one.give_up()
            if one.unclaimed:
                self._enqueue(one)
            else:
                starting += self._finish(one)

    def _choose(self, wanted: Task) -> Task | None:
        """What a thread that waits for `wanted` should run now."""
        if wanted.state == READY:
            return self._join(wanted) if wanted.queued and wanted.unclaimed else None
        return self._take()

    def _take(self) -> Task | None:
        while self._ready:
            task = self._ready[0]
            if task.unclaimed:
                return self._join(task)
            self._dequeue(task)
        return None

    def _join(self, task: Task) -> Task:
        task.joined += 1
        task.active += 1
        if task.joined >= task.batches:
            self._dequeue(task)
        self._running.add(task)
        running.value = len(self._running)
        if self._ready and not self._ready[0].joined:
            self._wake(len(self._ready))
        return task

    def _leave(self, task: Task, wanted: Task | None) -> None:
        task.active -= 1
        if task.active:
            return
        self._running.discard(task)
        running.value = len(self._running)
        if task.unclaimed:  # the thread was interrupted before it began
            task.joined = 0
            self._dequeue(task)
            self._enqueue(task, first=True)
            self._wake(1)
            return
        self._dequeue(task)
        for dependent in self._finish(task):
            self._start(dependent)
        stays = wanted is None or wanted.state != DONE
        self._wake(sum(min(t.batches, self.workers) for t in self._ready) - stays)

    def _finish(self, task: Task) -> list[Task]:
        """It has ended: the tasks that waited for nothing else."""
        task.state = DONE
        for sleeper in task.waiters:
            sleeper.wake()
        dependents, task.dependents = task.dependents, []
        ready: list[Task] = []
        for dependent in dependents:  # one may be here several times
            dependent.waiting_for -= 1
            dependent.skipped |= task.failed
            if not dependent.waiting_for:
                ready.append(dependent)
        return ready

    def _wake(self, count: int) -> None:
        for _ in range(min(count, self.workers)):
            if self._idle:
                self._idle.pop().wake()
            elif self._threads < self.workers - 1 and not self._closed:
                try:
                    _thread.start_new_thread(self._work, ())
                except RuntimeError:  # no more threads here: the one that waits does it all
                    return
                self._threads += 1
            else:
                return

    def _forget(self, sleeper: _Sleeper, task: Task) -> None:
        """Take a thread that is awake off the lists of sleepers."""
        sleeper.asleep = False
        for sleepers in (task.waiters, self._idle):
            with contextlib.suppress(ValueError):
                sleepers.remove(sleeper)

    # In the threads ----------------------------------------------------------------------

    def _run(self, task: Task) -> None:
        """Run batches of a task that this thread has joined."""
        inside.depth += 1
        try:
            if task.prepare is None or self._prepare(task):
                task.function(task.slots, task.shared)
        finally:
            inside.depth -= 1

    def _prepare(self, task: Task) -> bool:
        """Find the range of a task that this thread alone has joined; whether it has any."""
        assert task.prepare is not None
        try:
            wanted = task.prepare()
        except Exception as error:
            task.error, wanted = error, False
        with self._lock:
            task.prepare = None
            if not wanted:
                task.give_up()
                return False
            batches = task.batches
            if batches > 1:
                self._enqueue(task, first=True)
                self._wake(min(batches, self.workers) - 1)
        return True

    def _work(self) -> None:
        sleeper = _Sleeper()
        while True:
            with self._lock:
                if self._threads > self.workers - 1 or self._closed:
                    self._threads -= 1
                    return
                task = self._take()
                if task is None:
                    sleeper.asleep = True
                    self._idle.append(sleeper)
            if task is None:
                sleeper.lock.acquire()
                continue
            self._run(task)
            with self._lock:
                self._leave(task, None)


class _State:
    """The pool of this process."""

    pool: Pool | None = None
    lock = _thread.allocate_lock()
    chosen: int | None = None
    registered = False
    followers: tuple[Callable[[], None], ...] = ()


def pool() -> Pool:
    """The pool of this process; its threads start when there is something to do for them."""
    found = _State.pool
    if found is not None:
        return found
    with _State.lock:
        if _State.pool is None:
            _State.pool = Pool(_State.chosen or default_workers())
        if not _State.registered:
            _State.registered = True
            atexit.register(_close)
            if hasattr(os, "register_at_fork"):
                os.register_at_fork(after_in_child=_forget_pool)
        return _State.pool


def when_resized(follow: Callable[[], None]) -> None:
    """Have `follow` called whenever another number of workers is set."""
    _State.followers += (follow,)


def _close() -> None:
    if _State.pool is not None:
        _State.pool.close()


def _forget_pool() -> None:
    """In the child of a fork: the parent's threads are not here."""
    _State.pool = None
    _State.lock = _thread.allocate_lock()
    inside.depth = 0
    running.value = 0


def workers() -> int:
    """How many threads may compute at once, the one that waits being one of them."""
    return _State.pool.workers if _State.pool else _State.chosen or default_workers()


@contextlib.contextmanager
def working(count: int | None) -> Generator[None]:
    """Inside, `count` threads compute at once, as `set_workers` has it."""
    before = _State.chosen
    set_workers(count)
    try:
        yield
    finally:
        set_workers(before)


def set_workers(count: int | None) -> None:
    """Let `count` threads compute at once, 1 to 1024; None: as many as there are processors.

    No result depends on it. With 1, everything runs in the thread that waits for it.
    Raises ArgumentError for any other count.
    """
    if count is not None and (type(count) is not int or not 1 <= count <= MOST_WORKERS):
        raise ArgumentError(
            f"the number of workers is an int from 1 to {MOST_WORKERS}, not {count!r:.60}",
            fix="write sb.set_workers(4), or None for as many as there are processors",
        )
    before = workers()
    _State.chosen = count
    if _State.pool is not None:
        _State.pool.resize(count or default_workers())
    if workers() != before:
        for resized in _State.followers:
            resized()
