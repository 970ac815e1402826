"""One thread at a time makes code, and a fork waits until none does.

A child has the thread alone that forked. What another held at that moment is never let go there:
LLVM half through a pass, and Python's own locks of modules that were being imported, of which a
first compilation imports many. The first happens within this lock, and most imports do, which take
it before any of those: what is imported by the library's modules must not take it. For other
imports of such modules a fork waits too.
"""

from __future__ import annotations

import operator
import os
import sys
import threading
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any, ClassVar, TypeVar

from samebits.mutex import Mutex

T = TypeVar("T")

LOCK = Mutex()
_SPARE = Mutex()
"""What a thread holds in its place that works for one that has it, and waits: nobody else."""


class _Here(threading.local):
    """What is known of a thread."""

    is_lent = False


_here = _Here()


def lock() -> Mutex:
    """What this thread is to hold while it makes code: `with lock(): …`."""
    return _SPARE if _here.is_lent else LOCK


def lend(lent: bool) -> None:
    """Say whether this thread works for one that has `lock()` and waits for this one."""
    _here.is_lent = lent


IMPORT_SECONDS = 10.0
"""How long a fork waits for imports at most: one may wait for what the forking thread holds."""


def _wait_for_imports() -> None:
    """Until no thread is importing a module of this library; none does so that forks in it."""
    end = time.monotonic() + IMPORT_SECONDS
    while time.monotonic() < end and any(map(_is_importing, [*sys.modules.items()])):
        time.sleep(0.0005)


def _is_importing(entry: tuple[str, ModuleType | None]) -> bool:
    name, module = entry
    if not name.startswith("samebits."):
        return False
    return bool(getattr(getattr(module, "__spec__", None), "_initializing", False))


def _before_fork() -> None:
    LOCK.acquire()
    _wait_for_imports()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=LOCK.release, after_in_child=LOCK.release
    )


class Threads:
    """What the runtime knows of them."""

    with_room: ClassVar[Callable[[Callable[[], Any]], Any]] = operator.call
    """Installed by it: has a thread make a call whose stack has room."""
    apart: ClassVar[Callable[[Callable[[], Any]], Any]] = operator.call
    """Installed by it: has a thread of the library's own make a call."""


def with_room(call: Callable[[], T]) -> T:
    """What `call` returns, or raises, in a thread whose stack has room for making code: this one,
    as a rule. Another has `lock()` where this one has it."""
    return Threads.with_room(call)


def undisturbed(call: Callable[[], T]) -> T:
    """What `call` returns, or raises, with no signal's handler run in it, which could raise:
    llvmlite frees an object twice whose `close` is left after the first time.

    Handlers run in the main thread alone, and when the call has ended. Where this thread is it,
    another makes the call.
    """
    if threading.get_ident() == threading.main_thread().ident:
        return Threads.apart(call)
    return with_room(call)


def loaded(load: Callable[[], T]) -> T:
    """What `load` returns, which takes `lock()` and imports: much of a small stack, and none to
    speak of where the main thread's is asked for."""
    if threading.current_thread() is threading.main_thread():
        return load()
    return with_room(load)
