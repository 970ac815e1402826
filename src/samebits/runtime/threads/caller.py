"""The caller's frame in a thread of the library's own: that of the thread that waits for it."""

from __future__ import annotations

import threading
from types import FrameType


class _Caller(threading.local):
    frame: FrameType | None = None


caller = _Caller()
"""This thread's caller; its frame is None unless another thread waits for this one."""
