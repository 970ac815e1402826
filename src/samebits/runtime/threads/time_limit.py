"""A time limit for a call, in compiled code or in Python's.

Compiled code is preempted as on Ctrl-C (`preempt`); Python code gets an exception between
bytecodes.
"""

from __future__ import annotations

import _thread
import ctypes
import os
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from samebits.runtime.threads import preempt

_AGAIN_SECONDS = 0.05
"""Interval of repeated interrupts of a thread that has not left: it may have been between two
calls."""
T = TypeVar("T")


class TimeOver(Exception):
    """The call exceeded its time limit."""


class _Overdue(BaseException):
    """The exception that interrupts Python code."""


class _Limit:
    """The time limit of one thread's call."""

    def __init__(self, seconds: float) -> None:
        self._seconds = min(max(0.0, seconds), _thread.TIMEOUT_MAX)
        self._ident, self._record = _thread.get_ident(), preempt.record()
        self._ended, self._gone = _thread.allocate_lock(), _thread.allocate_lock()
        self._ended.acquire()
        self._gone.acquire()
        self._threads: list[int] = []
        self._process = os.getpid()
        self._asked = self._left = False

    def start(self) -> None:
        """Start the clock: until `end` has returned, _Overdue may be raised in the thread."""
        # One call starts and records the thread, so that none is lost.
        self._threads.extend(map(_thread.start_new_thread, (self._watch,), ((),)))

    def _watch(self) -> None:
        try:
            wait = self._seconds
            while not self._ended.acquire(timeout=wait):
                wait = _AGAIN_SECONDS
                if not preempt.stop(self._ident, self._record) and not self._asked:
                    self._interrupt()
                self._asked = True
        finally:
            self._left = True
            self._gone.release()

    def _interrupt(self) -> None:
        thread = ctypes.c_ulong(self._ident)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(_Overdue))

    def end(self) -> None:
        """Stop the clock: nothing is raised in the thread after this has returned. If this raises
        _Overdue, call it again."""
        if self._ended.locked():
            self._ended.release()
        # The child of a fork does not have the watching thread.
        while self._threads and not self._left and os.getpid() == self._process:
            self._gone.acquire()
        if self._asked:
            # One may be pending. Clearing it (with NULL) would leave CPython 3.11 and 3.12 checking
            # for it at every eval-breaker check, and hang functions entered with a debugger. There
            # is room for one only: so replace it, and receive it.
            with suppress(_Overdue):
                self._interrupt()
                while True:
                    pass


def within(seconds: float | None, run: Callable[[], T]) -> T:
    """The result of `run()`. Raises TimeOver if it takes longer than `seconds`, unless that is
    None.

    Its data is then as the interrupted code left it.
    """
    if seconds is None:
        return run()
    limit, over = _Limit(seconds), False
    result: list[T] = []
    other: BaseException | None = None
    try:
        limit.start()
        result.append(run())
    except (_Overdue, preempt.Stopped):
        over = True
    finally:
        while True:  # _Overdue may come until `end` has returned
            try:
                limit.end()
                break
            except _Overdue:
                over = True
            except BaseException as error:  # from a signal handler
                other = error
        if other is not None:
            raise other
    if over or not result:
        raise TimeOver
    return result[0]
