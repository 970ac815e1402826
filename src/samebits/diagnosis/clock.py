"""The processor's time of this process and of those that it has started and ended."""

from __future__ import annotations

import os


def spent() -> float:
    """Seconds so far; without those of children where the system does not tell them."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class OutOfTime(Exception):
    """No time is left."""
