"""The thread team of kernels' parallel ranges: starts, counts and dismisses its helpers.

Helpers stay in compiled code (`backend.emit.thread_team`), hold no lock of Python's there, and need
none to begin. From the first range on there are as many as the pool's worker count allows.
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
"""How long the process's end waits for a running range."""


_CALLED = (native.BEGIN, native.INSIDE, native.DISPERSE)


class _NewHelpers:
    """Helpers that are started but not yet in the team; `first` is the address of their first
    line."""

    def __init__(self, wanted: int) -> None:
        room = (ctypes.c_char * ((wanted + 1) * LINE_BYTES))()
        self._room = room
        self.first = -(-ctypes.addressof(room) // LINE_BYTES) * LINE_BYTES
        lines = range(self.first, self.first + wanted * LINE_BYTES, LINE_BYTES)
        self._left = iter([(line, room) for line in lines])
        self.threads: list[int] = []

    def start(self, serve: Callable[..., None]) -> None:
        """Start the remaining ones, or fewer if the system has no more threads.

        No bytecode runs between a thread's start and its entry in the list: if a signal handler
        raises, no thread is lost.
        """
        environment = own_stack.own_environment()
        with suppress(RuntimeError), own_stack.LOCK, own_stack.own_stack(), environment:
            self.threads.extend(map(_thread.start_new_thread, repeat(serve), self._left))


class _ThreadTeam:
    """The team, made at the first parallel range of a kernel."""

    def __init__(self) -> None:
        code = engine.compile_text(native.team_text(engine.host_target()), engine.host_target())
        names = (native.TEAM, native.SPARE, native.RUN, native.WORK, native.ASSEMBLE)
        self._loaded = engine.load(code, names)
        at = self._loaded.addresses
        self.hook = at[native.RUN]
        self.words: Any = (ctypes.c_uint64 * native.TEAM_WORDS).from_address(at[native.TEAM])
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
        self._new_helpers: _NewHelpers | None = None
        self.words[native.JOBS] = ctypes.addressof(pool.running)
        self._members: dict[int, int] = {}
        """The helpers' identities, and their records' addresses."""
        self.words[native.KEYS] = preempt.words_address()
        api = ctypes.pythonapi
        self.words[native.ACQUIRE] = preempt.address_of(api.PyThread_acquire_lock_timed)
        self.words[native.RELEASE] = preempt.address_of(api.PyThread_release_lock)
        self.words[native.OWN_LOCK] = _held_lock()

    def begin(self) -> None:
        """Make a team of as many helpers as there are workers, less the calling one."""
        with self._changing:
            if self.words[native.READY]:
                return
            if self._new_helpers is None:
                self._new_helpers = _NewHelpers(pool.workers() - 1)
            self._new_helpers.start(self._serve)
            self._take()

    def _take(self) -> None:
        """Add started helpers to the team, also after a signal handler raised."""
        if self._new_helpers is not None:
            first, count = self._new_helpers.first, len(self._new_helpers.threads)
            if self.words[native.LINES] != first:
                self._assemble(first, count, 1)
            self._new_helpers = None

    def _serve(self, line: int, room: object) -> None:
        """Run one helper; `room` keeps the memory of its line alive."""
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
        # Held again; the thread that woke this one may still be releasing it.
        self._locks.append(lock)

    def disperse(self) -> None:
        """Make every helper leave its range."""
        with self._leaving:
            for ident, record in tuple(self._members.items()):
                preempt.stop(ident, record)

    def resized(self) -> None:
        """Adapt to the number of workers, from the next range on."""
        if self.words[native.HELPERS] + 1 != pool.workers() or self._new_helpers is not None:
            self.dismiss()

    def dismiss(self, ready: bool = False) -> None:
        """Dismiss every helper. With `ready`, no others follow."""
        with self._changing:
            self._take()
            self._assemble(None, 0, int(ready))

    def forget(self) -> None:
        """Reset in the child of a fork, which has none of the parent's threads."""
        self._changing = Mutex()
        self._leaving = Mutex()
        self._members.clear()
        self._new_helpers = None
        for word in (native.BUSY, native.READY, native.HELPERS, native.LINES):
            self.words[word] = 0
        self.words[native.OWN_LOCK] = _held_lock()

    def end(self) -> None:
        """Dismiss all at the process's end."""
        limit = time.monotonic() + _EXIT_SECONDS
        while self.words[native.BUSY]:
            if time.monotonic() > limit:
                return
            time.sleep(0.001)
        self.dismiss(ready=True)


def _held_lock() -> int:
    """A held lock of CPython's own, which needs no thread state."""
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
    """The team of this process."""

    team: _ThreadTeam | None = None
    making = Mutex()


def _team() -> _ThreadTeam:
    with _State.making:
        if _State.team is None:
            team = _ThreadTeam()
            atexit.register(team.end)
            pool.when_resized(team.resized)
            _State.team = team
        return _State.team


def _after_fork() -> None:
    _State.making = Mutex()
    if _State.team is not None:
        _State.team.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def hook_address() -> int:
    """The address of the hook that compiled kernels call, valid for the whole process."""
    return int(_team().hook)
