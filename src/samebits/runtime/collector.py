"""Python's garbage collector waits while a kernel is compiled.

A compilation makes a hundred thousand objects and drops them together; looking through them again
and again on the way takes a fifth of the front end's time and frees nothing.
"""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Generator
from contextlib import contextmanager


class _State:
    """How many compilations run, on all threads, and whether the collector was on before them."""

    lock = threading.Lock()
    running = 0
    was_on = False


@contextmanager
def paused() -> Generator[None]:
    """No automatic collection inside; afterwards the collector is as it was found."""
    with _State.lock:
        if _State.running == 0:
            _State.was_on = gc.isenabled()
            gc.disable()
        _State.running += 1
    try:
        yield
    finally:
        with _State.lock:
            _State.running -= 1
            if _State.running == 0 and _State.was_on:
                gc.enable()


def _after_fork() -> None:
    """A child has only the thread that forked, which was not inside."""
    if _State.running and _State.was_on:
        gc.enable()
    _State.lock = threading.Lock()
    _State.running = 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
