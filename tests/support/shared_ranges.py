"""A count, kept by compiled kernels, of the loops that ran in parallel."""

from __future__ import annotations

from samebits.backend.emit import thread_team as native
from samebits.runtime.threads import team


def ranges_shared() -> int:
    """How many parallel ranges of this process ran on more than one thread."""
    return int(team._team().words[native.HANDED_OUT])
