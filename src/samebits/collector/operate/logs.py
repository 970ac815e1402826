"""Structured logs: one JSON object a line, without addresses and without what a file holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TextIO

from samebits.mutex import Mutex


def _now() -> datetime:
    return datetime.now(UTC)


class Log:
    """Writes events to a stream, each with the time in UTC to the millisecond."""

    def __init__(self, stream: TextIO, now: Callable[[], datetime] = _now) -> None:
        self._stream, self._now = stream, now
        self._lock = Mutex()

    def say(self, event: str, /, **facts: Any) -> None:
        """Write one event. A stream that is closed or full is no reason to end."""
        at = self._now().isoformat(timespec="milliseconds").replace("+00:00", "Z")
        own = {"at": at, "event": event}  # which no fact takes the place of
        line = json.dumps({**own, **facts, **own}, ensure_ascii=True) + "\n"
        with self._lock:
            try:
                self._stream.write(line)
                self._stream.flush()
            except (OSError, ValueError):
                return
