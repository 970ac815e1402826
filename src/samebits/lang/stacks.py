"""Calls that may need another thread: for room on the stack, or away from signal handlers.

Which thread that is, the runtime knows (`samebits.lang.executions`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from samebits.lang.executions import executions

T = TypeVar("T")


def with_room(call: Callable[[], T]) -> T:
    """The result of `call` in a thread whose stack has room for a compilation, usually this one.
    Another thread holds `compiling.lock()` if this one does."""
    return executions.with_room(call)


def undisturbed(call: Callable[[], T]) -> T:
    """The result of `call`, with no signal's handler run in it, which could raise: llvmlite frees
    an object twice if its `close` is interrupted after the first time.

    Handlers run in the main thread alone, and when the call has ended. Where this thread is it,
    another makes the call.
    """
    if threading.get_ident() == threading.main_thread().ident:
        return executions.on_own_thread(call)
    return with_room(call)


def loaded(load: Callable[[], T]) -> T:
    """The result of `load`, which takes `compiling.lock()` and imports: much of a small stack, and
    none to speak of where the main thread's is asked for."""
    if threading.current_thread() is threading.main_thread():
        return load()
    return with_room(load)
