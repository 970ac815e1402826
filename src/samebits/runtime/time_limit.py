"""A limit for how long a call may take, whether it is compiled code or Python's that goes on.

Compiled code is left as on Ctrl-C (`preempt`); Python's is given an exception between bytecodes.
"""

from __future__ import annotations

import _thread
import ctypes
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from samebits.runtime import preempt

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
        self._seconds = seconds
        self._ident, self._record = _thread.get_ident(), preempt.record()
        self._ended = threading.Event()
        self._asked = False
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def start(self) -> None:
        """From here on the thread may be left by _Overdue, until the end has been told."""
        self._thread.start()

    def _watch(self) -> None:
        if self._ended.wait(self._seconds):
            return
        while not self._ended.wait(_AGAIN_SECONDS * self._asked):
            if not preempt.stop(self._ident, self._record) and not self._asked:
                self._interrupt()
            self._asked = True

    def _interrupt(self) -> None:
        thread = ctypes.c_ulong(self._ident)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(_Overdue))

    def end(self) -> None:
        """Nothing is raised in the thread after this has returned; call it again where it is left
        by _Overdue."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()
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
    limit, over = _Limit(max(0.0, seconds)), False
    result: list[T] = []
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
    if over or not result:
        raise TimeOver
    return result[0]
