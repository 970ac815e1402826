"""Counters of work: Python calls and bytes allocated, in place of seconds."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from types import FrameType
from typing import Any


def calls_of(work: Callable[[], Any]) -> int:
    """How many functions, of Python and of C, are called by `work` in this thread."""
    count = 0

    def counted(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def peak_of(action: Callable[[], Any]) -> int:
    """The most bytes that `action` has at once, of those that Python asks for."""
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
