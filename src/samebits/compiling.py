"""One thread at a time makes code, and a fork waits until none does.

A child has the thread alone that forked. What another held at that moment is never let go there:
LLVM half through a pass, and Python's own locks of modules that were being imported, of which a
first compilation imports many. The first happens within this lock, and most imports do, which take
it before any of those: what is imported by the library's modules must not take it. For other
imports of such modules a fork waits too.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from types import ModuleType

from samebits.mutex import Mutex

LOCK = Mutex()
_SPARE = Mutex()
"""What a thread holds in its place that works for one that has it, and waits: nobody else."""


class _ThreadState(threading.local):
    """What is known of a thread."""

    is_lent = False


_here = _ThreadState()


def lock() -> Mutex:
    """What this thread is to hold while it makes code: `with lock(): …`."""
    return _SPARE if _here.is_lent else LOCK


def lend_lock(lent: bool) -> None:
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
