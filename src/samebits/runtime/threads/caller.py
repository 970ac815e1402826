"""For which line a thread of the library's own works: that of the thread that waits for it."""

from __future__ import annotations

import threading
from types import FrameType


class _Caller(threading.local):
    frame: FrameType | None = None


caller = _Caller()
"""Of this thread; its frame is None where the thread works for itself."""
