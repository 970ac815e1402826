"""The lock under which one thread at a time compiles, and which a fork waits for.

A forked child has only the thread that forked. What another thread held at that moment stays taken
there for ever: LLVM's state in the middle of a pass, and Python's import locks, of which a first
compilation takes many. All compilation and most lazy imports happen within this lock, and take it
before any of those; a module must therefore not take it while it is imported. A fork waits for the
other imports of this package too.
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
"""Held instead of `LOCK` by a thread that works for the owner of `LOCK` while the owner waits."""


class _ThreadState(threading.local):
    """Whether this thread works for the owner of `LOCK`."""

    is_lent = False


_here = _ThreadState()


def lock() -> Mutex:
    """The lock for this thread to hold while it compiles: `with lock(): …`."""
    return _SPARE if _here.is_lent else LOCK


def lend_lock(lent: bool) -> None:
    """Set whether this thread works for an owner of `lock()` that waits for it."""
    _here.is_lent = lent


IMPORT_SECONDS = 10.0
"""The longest that a fork waits: an import may itself wait for what the forking thread holds."""


def _wait_for_imports() -> None:
    """Wait until no thread is importing a module of this package."""
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
