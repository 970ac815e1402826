"""A lock that no signal's handler leaves taken, wherever it raises.

From Python 3.14 on handlers may run between a lock's `__enter__` and the block, and what they raise
then leaves `with lock:` with the lock taken for good.
"""

from __future__ import annotations

import operator
import threading
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from samebits.lang.uncut import block


class Mutex:
    """Used as `with mutex.held(): mutex.acquire(); ...`: the block's end, which is one call of C's,
    gives the lock back if this thread has it. A handler that comes back to it in the same thread
    finds it open, as it would wait for itself."""

    __slots__ = ("_lock", "acquire")

    def __init__(self) -> None:
        self._lock: Any = threading.RLock()
        self.acquire = self._lock.acquire

    def held(self) -> AbstractContextManager[None]:
        """A block at whose end this thread has not got the lock any more."""
        lock = self._lock
        owned = map(operator.call, (lock._is_owned,))
        return block((), (partial(next, map(operator.not_, owned)), lock.release))

    def locked(self) -> bool:
        """Whether a thread has it, this one included."""
        if self._lock._is_owned():
            return True
        if not self._lock.acquire(False):
            return True
        self._lock.release()
        return False
