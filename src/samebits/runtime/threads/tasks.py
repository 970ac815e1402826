"""A task: one native range function, its batches, its state, and who waits for it.

The threads that run the function share a control block; `backend.emit.range` defines its words.
"""

from __future__ import annotations

import _thread
import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

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
from samebits.backend.objects import TRAP_WORDS

_Words = ctypes.c_int64 * WORDS
_new_list = cast("Callable[[], list[Any]]", list)  # `list[Task]` takes longer to call
_Room = ctypes.c_char * (WORDS * 8 + LINE_BYTES)

NEW, WAITING, READY, DONE = range(4)
"""A task's states: not submitted; waiting for other tasks; ready or running; ended."""


class Sleeper:
    """A sleeping thread, which another wakes under the pool's lock."""

    __slots__ = ("lock",)

    def __init__(self) -> None:
        self.lock = _thread.allocate_lock()
        self.lock.acquire()

    def wake(self) -> None:
        if self.lock.locked():
            self.lock.release()


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
        """The lowest trap's record, or its numbers if its kind is "own"."""
        return [self.words[OWN_NUMBERS + k] for k in range(TRAP_WORDS)]

    @property
    def status(self) -> int:
        """The status of the lowest trapped batch; 0 if none trapped."""
        found = self.words[TRAP]
        return 0 if found == NO_TRAP else found & STATUS_MASK


@dataclass(slots=True, eq=False)
class Task:
    """One range to run. The pool's lock guards every field from `state` on.

    `prepare`, if there is one, runs in the first thread that takes the task, before any batch: it
    sets the range in `words`, and returns False if nothing is to be run, as after storing its
    failure in `error`. If it is interrupted, it is called again.
    """

    function: Callable[[Any, Any], int]
    slots: Any
    words: Any
    shared: int
    keep: Any = None
    prepare: Callable[[], bool] | None = None
    state: int = NEW
    inside: list[_thread.LockType] = field(default_factory=_new_list)
    """A lock for each thread that has joined it, held while that thread is inside."""
    skipped: bool = False
    """Whether it is not run because a task that it waited for failed."""
    before: list[Task] = field(default_factory=_new_list)
    """Tasks that it waits for; ended ones may be left out."""
    followers: list[Task] = field(default_factory=_new_list)
    """Tasks that wait for it."""
    waiters: list[Sleeper] = field(default_factory=_new_list)
    """Threads that wait for it to end or to become ready."""
    error: BaseException | None = None

    @property
    def batches(self) -> int:
        """The number of batches; 1 before `prepare`."""
        return 1 if self.prepare is not None else self.words[BATCHES]

    @property
    def unclaimed(self) -> bool:
        """Whether there is a batch to run that no thread has claimed. Batches are claimed in order,
        and none after a trap."""
        if self.prepare is not None:
            return True
        words = self.words
        return words[NEXT] < words[BATCHES] and words[TRAP] == NO_TRAP

    @property
    def failed(self) -> bool:
        """Whether it trapped, raised or was skipped."""
        return self.skipped or self.error is not None or self.words[TRAP] != NO_TRAP

    def give_up(self) -> None:
        """Cancel every batch that no thread has claimed."""
        words = self.words
        self.prepare = None
        words[NEXT] = words[BATCHES]
