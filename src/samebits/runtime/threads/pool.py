"""The worker pool: threads that run tasks' range functions without the interpreter lock.

Owns scheduling: which thread runs, sleeps or is woken. Knows nothing of jobs or of what tasks
compute. A thread that waits for a task helps; one inside a task runs nested ranges in line. No
worker is woken for a single task of a single batch: the waiting thread runs it, unless there is
other work too.

A signal handler may raise wherever CPython checks for signals: after a call, at a function's start,
at a loop's back edge. So each step from one consistent state to the next is a few assignments
without a call between them, work of a loop is recorded before it begins and is idempotent, and a
thread that leaves by an exception sets `_disturbed` first: the next thread that takes the lock
repairs the state (`_repair`).
"""

from __future__ import annotations

import _thread
import atexit
import contextlib
import ctypes
import os
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Generator
from typing import Any

from samebits.errors import ArgumentError, SamebitsError
from samebits.mutex import Mutex
from samebits.runtime.threads import own_stack
from samebits.runtime.threads.tasks import DONE, READY, WAITING, Sleeper, Task
from samebits.runtime.threads.working import stop, work

MOST_WORKERS = 1024
_EXIT_SECONDS = 1.0
"""How long the process's end waits for running batches."""
_LOOK_SECONDS = 0.1
"""How often a waiting thread checks whether the one that should wake it was interrupted."""


class _Inside(threading.local):
    depth = 0
    """The number of tasks that this thread is inside."""


inside = _Inside()
running = ctypes.c_int64()
"""The number of tasks that this process's pool is running."""


def default_workers() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return min(MOST_WORKERS, max(1, len(os.sched_getaffinity(0))))
    return min(MOST_WORKERS, os.cpu_count() or 1)


class Pool:
    """At most `workers` threads that compute at once, the waiting one included."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._lock = Mutex()
        self._ready: OrderedDict[Task, None] = OrderedDict()
        self._idle: deque[Sleeper] = deque()
        """Sleepers that run any task."""
        self._running: set[Task] = set()
        self._placing: Task | None = None
        """The task being submitted."""
        self._ended: deque[Task] = deque()
        """Ended tasks with followers that have not been notified."""
        self._disturbed = False
        """Whether a thread left by an exception, perhaps in the middle of a step."""
        self._threads = 0
        self.closed = False
        """Whether the process is ending."""

    # Called by any thread ----------------------------------------------------------------

    def submit(self, task: Task, after: list[Task]) -> None:
        """Let `task`, which is not submitted yet, run once all of `after` have ended.

        If this is interrupted and `task.state` is still NEW, nothing has happened.
        """
        before = list(dict.fromkeys(after))
        try:
            with self._lock:
                if self._disturbed:
                    self._repair()
                self._placing = task
                task.before = before
                task.state = WAITING
                self._place(task)
                self._placing = None
                self._follow()
                if task.state == READY:
                    others = len(self._ready) - 1
                    if others or task.batches > 1:
                        self._wake(others + min(task.batches, self.workers))
        except BaseException:
            self._disturbed = True
            raise

    def wait(self, task: Task) -> None:
        """Help until `task` has ended. After an interrupt it continues without this thread."""
        while task.state != DONE:
            inside_lock = _thread.allocate_lock()
            sleeper: Sleeper | None = None
            try:
                # Held while this thread is inside, and released however it leaves.
                with inside_lock:
                    with self._lock:
                        if self._disturbed:
                            self._repair()
                        chosen = self._choose(task, inside_lock)
                        if chosen is None and task.state != DONE:
                            sleeper = Sleeper()
                            task.waiters += (sleeper,)
                            if task.state == WAITING:  # only then does this thread run other tasks
                                self._idle += (sleeper,)
                    if chosen is not None:
                        self._run(chosen)
                if chosen is not None:
                    with self._lock:
                        self._leave(chosen, task)
                elif sleeper is not None:
                    self._sleep(sleeper, task)
            except BaseException:
                self._disturbed = True
                with self._lock:  # at once, so that no thread waits for a step that this one began
                    self._repair()
                raise

    def poll(self, task: Task) -> bool:
        """Whether `task` has ended. Wakes a worker if it is ready and no thread runs it."""
        if task.state == DONE:
            return True
        if self.workers == 1:
            self.wait(task)
            return True
        try:
            with self._lock:
                if self._disturbed:
                    self._repair()
                self._wake(len(self._ready))
        except BaseException:
            self._disturbed = True
            raise
        return task.state == DONE

    def withdraw(self, task: Task) -> None:
        """Cancel `task` if no thread has begun it."""
        try:
            with self._lock:
                if self._disturbed:
                    self._repair()
                if task.inside or task.state == DONE:
                    return
                task.give_up()
                if task.state == READY:
                    self._finish(task)
                    self._follow()
        except BaseException:
            self._disturbed = True
            raise

    def resize(self, workers: int) -> None:
        """Let `workers` threads at most compute at once from now on."""
        try:
            with self._lock:
                self.workers = workers
                while self._idle:
                    self._idle[0].wake()  # surplus threads end themselves
                    del self._idle[0]
        except BaseException:
            self._disturbed = True
            raise

    def close(self) -> None:
        """Begin no more batches, and wait a little for running ones.

        What still runs then keeps its memory for good: the process ends meanwhile.
        """
        with self._lock:
            self.closed = True
            for task in (*self._ready, *self._running):
                task.error = SamebitsError("the process ended before this job had")
                task.give_up()
        stop()
        end = time.monotonic() + _EXIT_SECONDS
        while self._running and time.monotonic() < end:
            time.sleep(0.001)
        with self._lock:  # whose holders change the set
            left = tuple(self._running)
        for task in left:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(task))

    # Under the lock ----------------------------------------------------------------------

    def _place(self, task: Task) -> None:
        """Append `task` to a task that it waits for, or make it ready. Idempotent."""
        before = task.before
        while before:
            last = before[-1]
            if last.state != DONE:
                last.followers += (task,)
                return
            if last.failed:
                task.skipped = True
            del before[-1]
        if task.skipped:
            task.give_up()
        if task.unclaimed:
            task.state = READY
            self._ready[task] = None
            self._wake_waiters(task)
        else:
            self._finish(task)

    def _choose(self, wanted: Task, inside_lock: Any) -> Task | None:
        """The task that a thread which waits for `wanted` runs next, and has joined now."""
        if wanted.state == READY:
            if wanted in self._ready and wanted.unclaimed:
                self._join(wanted, inside_lock)
                return wanted
            return None
        return None if wanted.state == DONE else self._take(inside_lock)

    def _take(self, inside_lock: Any) -> Task | None:
        while self._ready:
            task = next(iter(self._ready))
            if task.unclaimed:
                self._join(task, inside_lock)
                return task
            del self._ready[task]
        return None

    def _join(self, task: Task, inside_lock: Any) -> None:
        full = len(task.inside) + 1 >= task.batches
        task.inside += (inside_lock,)
        self._running |= {task}
        if full:
            del self._ready[task]
        running.value = len(self._running)
        if self._ready and not next(iter(self._ready)).inside:
            self._wake(len(self._ready))

    def _leave(self, task: Task, wanted: Task | None) -> None:
        """Record that a thread has left `task`. Idempotent."""
        for inside_lock in task.inside:
            if inside_lock.locked():
                return
        if task.state != READY or task not in self._running:
            return
        if task.unclaimed:  # the thread was interrupted before it began
            task.inside = []
            self._running -= {task}
            self._ready[task] = None
            self._ready.move_to_end(task, last=False)
            self._wake_waiters(task)
            self._wake(1)
        else:
            self._finish(task)
            self._follow()
            stays = wanted is None or wanted.state != DONE
            self._wake(self._batches_ready() - stays)
        running.value = len(self._running)

    def _finish(self, task: Task) -> None:
        """Record that `task` has ended; `_follow` notifies others. Idempotent: `_repair` finds the
        task until all is done."""
        task.inside = []
        if task not in self._ended:
            self._ended += (task,)
        task.state = DONE
        if task in self._ready:
            del self._ready[task]
        self._running -= {task}

    def _follow(self) -> None:
        """Notify followers and waiters of ended tasks."""
        while self._ended:
            task = self._ended[0]
            for follower in task.followers:  # there may be duplicates
                if follower.state == WAITING:
                    self._place(follower)
            self._wake_waiters(task)
            task.followers = []
            del self._ended[0]

    def _batches_ready(self) -> int:
        """The number of ready batches, counted until it exceeds the number of workers."""
        found = 0
        for task in self._ready:
            found += task.batches
            if found > self.workers:
                break
        return found

    def _wake_waiters(self, task: Task) -> None:
        for sleeper in task.waiters:
            sleeper.wake()

    def _wake(self, count: int) -> None:
        for _ in range(min(count, self.workers)):
            if self._idle:
                self._idle[-1].wake()
                del self._idle[-1]
            elif self._threads < self.workers - 1 and not self.closed:
                self._threads += 1
                try:
                    environment = own_stack.own_environment()
                    with own_stack.LOCK, own_stack.own_stack(), environment:
                        _thread.start_new_thread(self._work, ())
                except RuntimeError:  # no more threads: the waiting one does all
                    self._threads -= 1
                    return
            else:
                return

    def _repair(self) -> None:
        """Complete the steps of interrupted threads. Idempotent."""
        task = self._placing
        if task is not None:
            if task.state == WAITING:
                self._place(task)
            self._placing = None
        for task in (*self._running, *self._ready):
            if task.state == DONE or not (task.unclaimed or task.inside):
                self._finish(task)
            else:
                self._leave(task, None)
        self._follow()
        while self._idle:  # each looks for work itself
            self._idle[0].wake()
            del self._idle[0]
        running.value = len(self._running)
        self._disturbed = False

    # In the threads ----------------------------------------------------------------------

    def _sleep(self, sleeper: Sleeper, task: Task) -> None:
        """Sleep until `task` has ended, or there may be work."""
        try:
            if not sleeper.lock.acquire(timeout=_LOOK_SECONDS):
                # A second interrupt may have come before the first was recorded.
                self._disturbed = True
        finally:
            with self._lock:
                for sleepers in (task.waiters, self._idle):
                    with contextlib.suppress(ValueError):
                        sleepers.remove(sleeper)

    def _run(self, task: Task) -> None:
        """Run batches of a task that this thread has joined."""
        outer = inside.depth
        try:
            inside.depth = outer + 1
            if task.prepare is None or self._prepare(task):
                work(task)
        finally:
            inside.depth = outer

    def _prepare(self, task: Task) -> bool:
        """Set the range of a task that only this thread has joined; returns whether it has
        indices."""
        assert task.prepare is not None
        try:
            wanted = task.prepare()
        except Exception as error:
            if threading.current_thread() is threading.main_thread():
                raise  # a signal handler, which runs in no other, may have raised it
            task.error, wanted = error, False
        with self._lock:
            if not wanted:
                task.give_up()
                return False
            task.prepare = None
            batches = task.batches
            if batches > 1:
                self._ready[task] = None
                self._ready.move_to_end(task, last=False)
                self._wake_waiters(task)
                self._wake(min(batches, self.workers) - 1)
        return True

    def _work(self) -> None:
        while True:
            sleeper: Sleeper | None = None
            inside_lock = _thread.allocate_lock()
            with inside_lock:
                with self._lock:
                    if self._disturbed:
                        self._repair()
                    if self._threads > self.workers - 1 or self.closed:
                        self._threads -= 1
                        return
                    task = self._take(inside_lock)
                    if task is None:
                        sleeper = Sleeper()
                        self._idle += (sleeper,)
                if task is not None:
                    self._run(task)
            if task is not None:
                with self._lock:
                    self._leave(task, None)
            elif sleeper is not None:
                sleeper.lock.acquire()


class _State:
    """The pool of this process."""

    pool: Pool | None = None
    lock = Mutex()
    chosen: int | None = None
    registered = False
    followers: tuple[Callable[[], None], ...] = ()


def pool() -> Pool:
    """The pool of this process; its threads start when there is work."""
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
    """Call `follow` whenever the number of workers is set."""
    _State.followers += (follow,)


def _close() -> None:
    if _State.pool is not None:
        _State.pool.close()


def _forget_pool() -> None:
    """Reset in the child of a fork, which has none of the parent's threads."""
    _State.pool = None
    _State.lock = Mutex()
    inside.depth = 0
    running.value = 0


def workers() -> int:
    """The number of threads that may compute at once, the waiting one included."""
    return _State.pool.workers if _State.pool else _State.chosen or default_workers()


@contextlib.contextmanager
def working(count: int | None) -> Generator[None]:
    """A block in which `count` threads compute at once, as set by `set_workers`."""
    before = _State.chosen
    try:
        set_workers(count)
        yield
    finally:
        set_workers(before)


def set_workers(count: int | None) -> None:
    """Let `count` threads, 1 to 1024, compute at once; None: as many as there are processors.

    No result depends on it. With 1, everything runs in the waiting thread.
    Raises ArgumentError for any other count.
    """
    if count is not None and (type(count) is not int or not 1 <= count <= MOST_WORKERS):
        raise ArgumentError(
            f"the number of workers is an int from 1 to {MOST_WORKERS}, not {count!r:.60}",
            fix="write sb.set_workers(4), or None for as many as there are processors",
        )
    _State.chosen = count
    if _State.pool is not None:
        _State.pool.resize(count or default_workers())
    for resized in _State.followers:  # each checks itself whether anything changed
        resized()
