"""One thread at a time makes code, and a fork waits until none does.

A child has the thread alone that forked. What another held at that moment is never let go there:
LLVM half through a pass, and Python's own locks of modules that were being imported, of which a
first compilation imports many. All of that happens within this lock, which is taken before any of
those; what is imported by the library's modules must not take it.
"""

from __future__ import annotations

import os

from samebits.mutex import Mutex

LOCK = Mutex()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=LOCK.acquire, after_in_parent=LOCK.release, after_in_child=LOCK.release
    )
