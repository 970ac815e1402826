"""The watcher: a thread that looks now and then whether the main one is still in the same call.

Owns when it looks, sleeps, ends and begins again. It is a thread of the C library's, so that it can
be waited for until the system has it no more: a process forks, and ends, without it. While
nothing is called it sleeps, and the next call wakes it (`backend.preempt`).
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from samebits.backend import records

TICK_SECONDS = 0.05
"""How often it looks. At every second look at the same call it has the thread see to its signals,
so that the call is left within twice that time, and a little more."""
_IDLE_TICKS = 20
"""Looks without a call after which it sleeps until there is one."""


class CallWatcher:
    """Watches the thread whose record is `words`; has `interrupt` done where one call goes on."""

    def __init__(self, words: Any, interrupt: Callable[[], None]) -> None:
        self._words = words
        self._interrupt = interrupt
        waiting, pointer = ctypes.CDLL(None), ctypes.c_void_p  # they let go of the interpreter
        self._acquire: Any = waiting.PyThread_acquire_lock_timed
        self._acquire.argtypes = [pointer, ctypes.c_longlong, ctypes.c_int]
        self._join: Any = waiting.pthread_join
        self._join.argtypes = [pointer, pointer]
        self._release: Any = ctypes.pythonapi.PyThread_release_lock
        self._release.argtypes = [pointer]
        allocate = ctypes.pythonapi.PyThread_allocate_lock
        allocate.restype = pointer
        self._allocate = allocate
        self._run: Any = ctypes.CFUNCTYPE(pointer, pointer)(self._look)
        self._thread = ctypes.c_void_p()
        self._ending = False
        self.runs = False

    def start(self) -> None:
        """Begin to watch, if the system has a thread left for it."""
        self._lock = self._allocate()
        self._acquire(self._lock, 0, 0)
        self._ending = False
        create: Any = ctypes.PyDLL(None).pthread_create
        create.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
        self.runs = not create(ctypes.byref(self._thread), None, self._run, None)

    def end(self) -> None:
        """Return when the thread is gone."""
        if self.runs:
            self.runs = False
            self._ending = True
            self._release(self._lock)
            self._join(self._thread, None)
            self._words[records.WAKE] = 0

    def _look(self, _: object) -> None:
        words, tick = self._words, round(TICK_SECONDS * 1e6)
        idle, seen, looks = 0, -1, 0
        while not self._ending:
            self._acquire(self._lock, -1 if idle > _IDLE_TICKS else tick, 0)
            calls = words[records.CALLS]
            if calls != seen:
                seen, idle, looks = calls, 0, 0
            elif words[records.JUMP_BUFFER]:
                idle, looks = 0, looks + 1
                if looks % 2:
                    self._interrupt()
            else:
                idle = 0 if idle > _IDLE_TICKS else idle + 1
            # Asked to be woken one look before it sleeps, it misses no call that begins meanwhile.
            words[records.WAKE] = self._lock if idle >= _IDLE_TICKS else 0
