"""The Python frame that waits for a thread of the library's own."""

from __future__ import annotations

import threading
from types import FrameType


class _Caller(threading.local):
    frame: FrameType | None = None


caller = _Caller()
"""This thread's caller; its frame is None unless another thread waits for this one."""
