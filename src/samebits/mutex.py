"""A lock that is released even if a signal handler raises in the middle of `with`.

From Python 3.14 on handlers may run between a lock's `__enter__` and the block, and what they raise
then leaves `with lock:` with the lock taken for good.
"""

from __future__ import annotations

import threading
from typing import Any


class Mutex:
    """A reentrant lock for `with mutex:`. A signal handler that takes it in the same thread does
    not wait, as it would wait for itself."""

    __slots__ = ("__exit__", "_lock", "acquire", "release")

    def __init__(self) -> None:
        self._lock: Any = threading.RLock()
        self.acquire, self.release = self._lock.acquire, self._lock.release
        # The lock's own, written in C: a Python method could be interrupted before its first line.
        self.__exit__ = self._lock.__exit__

    def __enter__(self) -> None:
        taken: list[bool] = []
        try:
            # One call takes the lock and notes that: no handler runs in between.
            taken.extend(map(self.acquire, (True,)))
        except BaseException:
            if taken:
                self.release()
            raise

    def is_own(self) -> bool:
        """Whether this thread holds it."""
        return bool(self._lock._is_owned())

    def locked(self) -> bool:
        """Whether any thread holds it, this one included."""
        if self.is_own():
            return True
        taken: list[bool] = []
        try:
            taken.extend(map(self.acquire, (False,)))
        finally:
            if taken and taken[0]:
                self.release()
        return not taken[0]
