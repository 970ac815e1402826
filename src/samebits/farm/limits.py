"""Limits of a process that runs replays, as the system enforces them."""

from __future__ import annotations

import signal
from contextlib import suppress
from dataclasses import dataclass

from samebits.farm.errors import FarmError

DEFAULT_SECONDS = 60.0
DEFAULT_MEBIBYTES = 2048
LEAST_MEBIBYTES = 256
"""What the compiler itself needs, with room."""
LATER_TIMES = 3
"""How much later than its parent the system ends a process."""
WALL_TIMES = 20
"""How much longer than its processor time a process may take whose parent is gone."""
PREPARE_SECONDS = 20.0
"""What a process may take, besides its limit, to load a simulation and to compile it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one replay on one target: seconds of the processor, or of waiting without computing, from
    its first frame on; MiB of memory that is written to. Loading and compiling come before, and may
    take `PREPARE_SECONDS` more."""

    seconds: float = DEFAULT_SECONDS
    mebibytes: int = DEFAULT_MEBIBYTES

    def checked(self) -> Limits:
        """Itself. Raises FarmError for a limit that nothing could meet."""
        if not 0 < self.seconds <= 1e6:
            raise FarmError(
                f"--timeout {self.seconds:g} is not a positive number of seconds",
                fix="write --timeout 60",
            )
        if not LEAST_MEBIBYTES <= self.mebibytes <= 1 << 20:
            raise FarmError(
                f"--memory {self.mebibytes} is not from {LEAST_MEBIBYTES:,} to {1 << 20:,} MiB",
                fix=f"write --memory {DEFAULT_MEBIBYTES:,}".replace(",", ""),
            )
        return self


def limit_memory(mebibytes: int) -> None:
    """Limit this process and those that it starts. Only POSIX systems do; macOS does not enforce
    it. Memory that is reserved and never written to, as WebAssembly's, is not counted."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        size = mebibytes << 20
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_DATA, (size, size))


def end_after(limit: float) -> None:
    """Have the system end this process, of one replay with a limit of so many seconds, 0 for none,
    where the parent that should have ended it long before is gone and no Python code runs."""
    if hasattr(signal, "setitimer"):
        seconds = limit and LATER_TIMES * (limit + PREPARE_SECONDS)
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, WALL_TIMES * seconds)


def is_end_of(status: int) -> bool:
    """Whether a process with this status was ended by `end_after`."""
    names = ("SIGPROF", "SIGALRM")
    return -status in {getattr(signal, name) for name in names if hasattr(signal, name)}
