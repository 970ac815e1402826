"""The threads that take part in parallel ranges of kernels: made, counted, dismissed.

They stay in compiled code (`backend.crew`), where they hold no lock of Python's and need none to
begin. There are as many as the pool's worker count allows, from the first range on.
"""

from __future__ import annotations

import _thread
import atexit
import ctypes
import os
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import repeat
from typing import Any

from samebits.backend.emit import thread_team as native
from samebits.backend.emit.range import LINE_BYTES
from samebits.backend.llvm import engine
from samebits.mutex import Mutex
from samebits.runtime.threads import own_stack, pool, preempt

_EXIT_SECONDS = 1.0
"""How long the end of the process waits for the range that is being run."""


_CALLED = (native.BEGIN, native.INSIDE, native.DISPERSE)


class _Gathered:
    """Threads that are started for the crew and take no part yet; `first` is their first line."""

    def __init__(self, wanted: int) -> None:
        room = (ctypes.c_char * ((wanted + 1) * LINE_BYTES))()
        self._room = room
        self.first = -(-ctypes.addressof(room) // LINE_BYTES) * LINE_BYTES
        lines = range(self.first, self.first + wanted * LINE_BYTES, LINE_BYTES)
        self._left = iter([(line, room) for line in lines])
        self.threads: list[int] = []

    def start(self, stay: Callable[..., None]) -> None:
        """Start those that are not yet; fewer, where the system has no more threads.

        Between a thread's start and its place in the list no bytecode runs: where a signal's
        handler raises, it leaves none that nobody knows of.
        """
        with suppress(RuntimeError), own_stack.LOCK, own_stack.own_stack():
            self.threads.extend(map(_thread.start_new_thread, repeat(stay), self._left))


class _Crew:
    """The crew, once there is a kernel with a parallel range."""

    def __init__(self) -> None:
        code = engine.compile_text(native.crew_text(engine.host_target()), engine.host_target())
        names = (native.CREW, native.SPARE, native.RUN, native.WORK, native.ASSEMBLE)
        self._loaded = engine.load(code, names)
        at = self._loaded.addresses
        self.hook = at[native.RUN]
        self.words: Any = (ctypes.c_uint64 * native.CREW_WORDS).from_address(at[native.CREW])
        self._work = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(at[native.WORK])
        self._assemble = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)(
            at[native.ASSEMBLE]
        )
        preempt.spares.append(at[native.SPARE])
        self._called = (self.begin, _is_inside_a_task, self.disperse)
        for word, called in zip(_CALLED, self._called, strict=True):
            self.words[word] = id(called)
        self._changing = Mutex()
        self._leaving = Mutex()
        self._locks: list[int] = []
        self._gathered: _Gathered | None = None
        self.words[native.JOBS] = ctypes.addressof(pool.running)
        self._members: dict[int, int] = {}
        """The identities of its threads, and their records' addresses."""
        self.words[native.KEYS] = preempt.words_address()
        self.words[native.ACQUIRE] = _address(ctypes.pythonapi.PyThread_acquire_lock_timed)
        self.words[native.RELEASE] = _address(ctypes.pythonapi.PyThread_release_lock)
        self.words[native.OWN_LOCK] = _held_lock()

    def begin(self) -> None:
        """Have as many threads as there are workers, without the one that asks."""
        with self._changing:
            if self.words[native.READY]:
                return
            if self._gathered is None:
                self._gathered = _Gathered(pool.workers() - 1)
            self._gathered.start(self._stay)
            self._take()

    def _take(self) -> None:
        """Let those that were gathered take part, also where a signal's handler raised before."""
        if self._gathered is not None:
            first, count = self._gathered.first, len(self._gathered.threads)
            if self.words[native.LINES] != first:
                self._assemble(first, count, 1)
            self._gathered = None

    def _stay(self, line: int, room: object) -> None:
        """What a thread of the crew does; `room` is where its line lies."""
        try:
            lock = self._locks.pop()
        except IndexError:
            lock = _held_lock()
        ctypes.c_uint64.from_address(line + 8 * native.THREAD_LOCK).value = lock
        ident = _thread.get_ident()
        self._members[ident] = preempt.record()
        self._work(line)
        with self._leaving:
            del self._members[ident]
        self._locks.append(lock)  # it is taken again, and who woke this thread may be inside yet

    def disperse(self) -> None:
        """Tell every thread to leave the range that it runs."""
        with self._leaving:
            for ident, record in tuple(self._members.items()):
                preempt.stop(ident, record)

    def resized(self) -> None:
        """Have as many threads as there are workers now, from the next range on."""
        if self.words[native.HELPERS] + 1 != pool.workers() or self._gathered is not None:
            self.dismiss()

    def dismiss(self, ready: bool = False) -> None:
        """Let every thread go. With `ready`, there will be no others."""
        with self._changing:
            self._take()
            self._assemble(None, 0, int(ready))

    def forget(self) -> None:
        """In the child of a fork: the parent's threads are not here."""
        self._changing = Mutex()
        self._leaving = Mutex()
        self._members.clear()
        self._gathered = None
        for word in (native.BUSY, native.READY, native.HELPERS, native.LINES):
            self.words[word] = 0
        self.words[native.OWN_LOCK] = _held_lock()

    def end(self) -> None:
        """At the end of the process."""
        limit = time.monotonic() + _EXIT_SECONDS
        while self.words[native.BUSY]:
            if time.monotonic() > limit:
                return
            time.sleep(0.001)
        self.dismiss(ready=True)


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def _held_lock() -> int:
    """A lock of CPython's own, which needs no thread state, already taken."""
    api = ctypes.pythonapi
    api.PyThread_allocate_lock.restype = ctypes.c_void_p
    lock = api.PyThread_allocate_lock()
    if not lock:
        raise MemoryError
    api.PyThread_acquire_lock(ctypes.c_void_p(lock), 0)
    return int(lock)


def _is_inside_a_task() -> int:
    return int(bool(pool.inside.depth))


class _State:
    """The crew of this process."""

    crew: _Crew | None = None
    making = Mutex()


def _crew() -> _Crew:
    with _State.making:
        if _State.crew is None:
            crew = _Crew()
            atexit.register(crew.end)
            pool.when_resized(crew.resized)
            _State.crew = crew
        return _State.crew


def _after_fork() -> None:
    _State.making = Mutex()
    if _State.crew is not None:
        _State.crew.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def hook_address() -> int:
    """The address of the function that compiled kernels call, good for the whole process."""
    return int(_crew().hook)
