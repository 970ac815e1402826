"""A watch over the processor time of processes: it ends those that compute or wait for too long.

A busy machine makes nobody late: what counts is the processor's seconds, and beside them those in
which a process waits and none of its threads wants the processor.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import psutil

_LOOK_SECONDS = 0.2
_TICK_SECONDS = 0.015
"""What a process that waits may compute from one look to the next: in threads that only look."""


class Watch:
    """Calls `end` once the processes that `find` gives have together computed for more than
    `seconds` since the first look, or have all waited for as long. Those that have ended count no
    more."""

    def __init__(
        self, find: Callable[[], list[psutil.Process]], seconds: float, end: Callable[[], None]
    ) -> None:
        self._find, self._end = find, end
        self._over = threading.Event()
        self._count: tuple[float, dict[int, float]] = seconds, {}
        self._thread = threading.Thread(target=self._look, daemon=True)
        self.late = False
        """Whether it has ended them."""

    def start(self) -> Watch:
        """Begin to count."""
        self._thread.start()
        return self

    def anew(self, seconds: float) -> None:
        """Begin again, with another limit."""
        self._count = seconds, {}

    def stop(self) -> None:
        """Watch no more; `end` is not called after this has returned."""
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        counted, waited, computed, last = None, 0.0, 0.0, time.monotonic()
        while not self._over.wait(_LOOK_SECONDS):
            count = self._count  # once: another thread may begin again at any moment
            seconds, began = count
            seen = list(self._seen())
            now = time.monotonic()
            if count is not counted:
                began.update((pid, used) for pid, used, _ in seen)
                counted, waited, computed, last = count, 0.0, 0.0, now
                continue
            total = sum(used - began.setdefault(pid, 0.0) for pid, used, _ in seen)
            if abs(total - computed) <= _TICK_SECONDS and not any(wants for _, _, wants in seen):
                waited += now - last
            computed, last = total, now
            if max(computed, waited) > seconds:
                self.late = True
                self._end()
                return

    def _seen(self) -> Iterator[tuple[int, float, bool]]:
        """Of each process its number, the seconds that it has computed, and whether it wants to."""
        for process in self._find():
            with suppress(psutil.Error):
                with process.oneshot():
                    used, status = process.cpu_times(), process.status()
                wants = status in (psutil.STATUS_RUNNING, psutil.STATUS_DISK_SLEEP)
                yield process.pid, used.user + used.system, wants


def with_children(pid: int | None = None) -> list[psutil.Process]:
    """A process, by default this one, and all that it has started and they have."""
    with suppress(psutil.Error):
        first = psutil.Process(pid)
        return [first, *first.children(recursive=True)]
    return []
