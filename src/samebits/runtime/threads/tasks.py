"""A task: one native range function, its batches, and where it stands. Knows no threads.

The control block is what the function's workers share; `backend.emit_range` states its words.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from samebits.backend.emit.range import (
    BATCH_SIZE,
    BATCHES,
    LENGTH,
    LINE_BYTES,
    NEXT,
    NO_TRAP,
    OWN_NUMBERS,
    STATUS_MASK,
    TRAP,
    WORDS,
)

_Words = ctypes.c_int64 * WORDS
control_words: Any = _Words.from_address
"""The words of the control block at an address, for reading and writing."""
_Room = ctypes.c_char * (WORDS * 8 + LINE_BYTES)

NEW, WAITING, READY, DONE = range(4)
"""Where a task stands: no pool has it; others have to end first; it may be taken, or is; it has
ended."""


class Sleeper(Protocol):
    """Who waits for a task to end, or to be ready."""

    def wake(self) -> None: ...


class InsideLock(Protocol):
    """A lock that a thread holds while it is inside a task."""

    def locked(self) -> bool: ...


class ControlBlock:
    """The words that the threads of one range share, on cache lines of their own."""

    __slots__ = ("address", "words")

    def __init__(self, length: int = 0, batch: int = 1) -> None:
        room = _Room()
        start = ctypes.addressof(room)
        self.address = -(-start // LINE_BYTES) * LINE_BYTES
        self.words: Any = _Words.from_buffer(room, self.address - start)  # which keeps the room
        self.words[TRAP] = NO_TRAP
        self.set_range(length, batch)

    def set_range(self, length: int, batch: int) -> None:
        """Indices 0 … `length` − 1 in batches of `batch` ≥ 1, the last one shorter."""
        words = self.words
        words[BATCHES] = -(-length // batch)
        words[BATCH_SIZE] = batch
        words[LENGTH] = length

    @property
    def own_numbers(self) -> Sequence[int]:
        """The numbers of the lowest trap, if it is one of kind "own"."""
        return [self.words[OWN_NUMBERS + k] for k in range(3)]

    @property
    def status(self) -> int:
        """The status of the lowest trapped batch; 0 where none trapped."""
        found = self.words[TRAP]
        return 0 if found == NO_TRAP else found & STATUS_MASK


class Task:
    """One range to run. The pool's lock guards every field from `state` on.

    `prepare`, if there is one, runs in the thread that takes the task first, before any batch: it
    sets the range in `words`, and returns False where nothing is to be run, as where it has put its
    failure in `error`. Where it is interrupted it is called again.
    """

    __slots__ = (
        "before", "error", "followers", "function", "inside", "keep", "prepare", "shared",
        "skipped", "slots", "state", "waiters", "words",
    )  # fmt: skip

    def __init__(
        self,
        function: Callable[[Any, Any], int],
        slots: Any,
        words: Any,
        shared: int,
        keep: Any = None,
        prepare: Callable[[], bool] | None = None,
    ) -> None:
        self.function = function
        self.slots = slots
        self.words = words
        self.shared = shared
        self.keep = keep
        self.prepare = prepare
        self.state = NEW
        self.inside: list[InsideLock] = []
        """A lock for each thread that has joined it: taken while that thread is inside."""
        self.skipped = False
        """Whether a task that it waited for failed."""
        self.before: list[Task] = []
        """Tasks that have to end before it; at least those that have not."""
        self.followers: list[Task] = []
        """Tasks that look further once it has ended."""
        self.waiters: list[Sleeper] = []
        self.error: BaseException | None = None

    @property
    def batches(self) -> int:
        """How many batches it has; 1 before it is prepared."""
        return 1 if self.prepare is not None else self.words[BATCHES]

    @property
    def unclaimed(self) -> bool:
        """Whether a batch is left that is to be run and that nobody has begun: they are begun in
        order, so that behind a trap none is."""
        if self.prepare is not None:
            return True
        words = self.words
        return words[NEXT] < words[BATCHES] and words[TRAP] == NO_TRAP

    @property
    def failed(self) -> bool:
        """Whether it trapped, raised or was skipped."""
        return self.skipped or self.error is not None or self.words[TRAP] != NO_TRAP

    def give_up(self) -> None:
        """Leave every batch that nobody has begun undone."""
        words = self.words
        self.prepare = None
        words[NEXT] = words[BATCHES]
