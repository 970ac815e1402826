"""The watcher: a thread that periodically checks whether the main thread is still in the same call.

Owns when it checks, sleeps, ends and restarts. It is a thread of the C library, so that it can be
joined before the process forks or ends. It sleeps while there are no calls, and the next call wakes
it (`backend.emit.preemption`).
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from samebits.backend import records
from samebits.lang.signal_safe import default_environment

TICK_SECONDS = 0.05
"""Interval of checks. At every second check in the same call it interrupts the thread to handle its
signals, so that a call is preempted within little more than twice that time."""
_IDLE_TICKS = 20
"""Checks without a call after which it sleeps until there is one."""


class CallWatcher:
    """Watches the thread with the record `words`, and calls `interrupt` during a long call."""

    def __init__(self, words: Any, interrupt: Callable[[], None]) -> None:
        self._words = words
        self._interrupt = interrupt
        waiting, pointer = ctypes.CDLL(None), ctypes.c_void_p  # these release the interpreter lock
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
        """Start watching, if the system has a thread left."""
        self._lock = self._allocate()
        self._acquire(self._lock, 0, 0)
        self._ending = False
        create: Any = ctypes.PyDLL(None).pthread_create
        create.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
        with default_environment() or nullcontext():  # which the thread inherits
            self.runs = not create(ctypes.byref(self._thread), None, self._run, None)

    def end(self) -> None:
        """Stop watching; returns when the thread has ended."""
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
            # It asks to be woken one check before it sleeps, so as to miss no call.
            words[records.WAKE] = self._lock if idle >= _IDLE_TICKS else 0
