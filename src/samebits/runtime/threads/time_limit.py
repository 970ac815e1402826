"""A limit for how long a call may take, whether it is compiled code or Python's that goes on.

Compiled code is left as on Ctrl-C (`preempt`); Python's is given an exception between bytecodes.
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
"""How soon a thread that has not left yet is told again: it may have been between two calls."""
T = TypeVar("T")


class TimeOver(Exception):
    """The call took longer than it may."""


class _Overdue(BaseException):
    """What Python's own code is interrupted by."""


class _Limit:
    """Watches one thread while it runs something."""

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
        """From here on the thread may be left by _Overdue, until the end has been told."""
        # No thread that nobody knows of: it starts and is noted in one call.
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
        """Nothing is raised in the thread after this has returned; call it again where it is left
        by _Overdue."""
        if self._ended.locked():
            self._ended.release()
        # A fork's child has not got the thread that watches.
        while self._threads and not self._left and os.getpid() == self._process:
            self._gone.acquire()
        if self._asked:
            # One may wait still. Withdrawing it (with NULL) would leave CPython 3.11 and 3.12
            # looking for it at every bytecode that looks, and hang functions entered with a
            # debugger: so it is replaced, there is room for one, and received.
            with suppress(_Overdue):
                self._interrupt()
                while True:
                    pass


def within(seconds: float | None, run: Callable[[], T]) -> T:
    """What `run()` returns; TimeOver where it takes longer than `seconds`, if there is a limit.

    What it works on is then as the interrupted code left it.
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
        while True:  # it may come until the end has been told
            try:
                limit.end()
                break
            except _Overdue:
                over = True
            except BaseException as error:  # a signal's handler raised it
                other = error
        if other is not None:
            raise other
    if over or not result:
        raise TimeOver
    return result[0]
