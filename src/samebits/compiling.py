"""One thread at a time makes code, and a fork waits until none does.

A child has the thread alone that forked. What another held at that moment is never let go there:
LLVM half through a pass, and Python's own locks of modules that were being imported, of which a
first compilation imports many. All of that happens within this lock, which is taken before any of
those; what is imported by the library's modules must not take it.
"""

from __future__ import annotations

import operator
import os
import threading
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from samebits.mutex import Mutex

T = TypeVar("T")

LOCK = Mutex()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=LOCK.acquire, after_in_parent=LOCK.release, after_in_child=LOCK.release
    )


class Threads:
    """What the runtime knows of them."""

    with_room: ClassVar[Callable[[Callable[[], Any]], Any]] = operator.call
    """Installed by it: has a thread make a call whose stack has room."""


def with_room(call: Callable[[], T], *, takes_lock: bool = True) -> T:
    """What `call` returns, or raises, in a thread whose stack has room for making code: this one,
    as a rule. Where this thread has `LOCK`, it is this one too if `call` takes it."""
    if takes_lock and LOCK.is_own():
        return call()
    return Threads.with_room(call)


def loaded(load: Callable[[], T]) -> T:
    """What `load` returns, which takes `LOCK` and imports: much of a small stack, and none to speak
    of where the main thread's is asked for."""
    if threading.current_thread() is threading.main_thread():
        return load()
    return with_room(load)
