"""Ring calls: many frames of a simulation in one call, with the memory before each kept in a ring.

Owns the machine code of the loop: restore a slot, then call the frame entry once a frame, whose
shadow, inputs and hash move on. Knows nothing of simulations but the order of that entry's slots.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any, Protocol

import numpy as np

from samebits.runtime.objects.host import host
from samebits.runtime.objects.loading import load, own_code

STATE, SHADOW, INPUTS, HASHES, DONE = 0, 1, 2, 5, 9
"""Places among the slots of `run(state, shadow, inputs, hashes, words, done)`; arrays take a place
for the address and one for each length."""


class RingWords(ctypes.Structure):
    """What the loop reads and writes. `ring` holds `slots` memories of `size` bytes, `pitch` bytes
    from one to the next; a row of inputs has `stride` bytes; `memmove` is the C library's.

    The memory before frame n lies in slot n % `slots`. `next` is the frame that runs next and is
    counted up by the loop itself, so that it always tells which frame the memory belongs to.
    """

    _fields_ = (
        ("entry", ctypes.c_void_p),
        ("words", ctypes.c_void_p),
        ("ring", ctypes.c_void_p),
        ("slots", ctypes.c_uint64),
        ("size", ctypes.c_uint64),
        ("next", ctypes.c_uint64),
        ("first", ctypes.c_uint64),
        ("end", ctypes.c_uint64),
        ("stride", ctypes.c_uint64),
        ("pitch", ctypes.c_uint64),
        ("memmove", ctypes.c_void_p),
    )
    entry: int
    words: int
    ring: int
    slots: int
    size: int
    next: int
    first: int
    end: int
    stride: int
    pitch: int
    memmove: int


def _text(triple: str) -> str:
    """The loop. A trap leaves `next` at its frame and that frame's memory in its slot."""
    fields = [
        f"  %{name}.p = getelementptr i64, ptr %w, i64 {n}"
        for n, (name, *_) in enumerate(RingWords._fields_)
    ]
    places = ("state", STATE), ("shadow", SHADOW), ("inputs", INPUTS), ("hashes", HASHES)
    slots = [f"  %{name}.p = getelementptr i64, ptr %words, i64 {n}" for name, n in places]
    return "\n".join(
        [
            f'target triple = "{triple}"',
            "define i32 @sb_ring(ptr %w) {",
            "entry:",
            *fields,
            "  %entry.f = load ptr, ptr %entry.p",
            "  %words = load ptr, ptr %words.p",
            "  %ring = load ptr, ptr %ring.p",
            "  %slots = load i64, ptr %slots.p",
            "  %size = load i64, ptr %size.p",
            "  %next = load i64, ptr %next.p",
            "  %first = load i64, ptr %first.p",
            "  %last = load i64, ptr %end.p",
            "  %memmove = load ptr, ptr %memmove.p",
            "  %pitch = load i64, ptr %pitch.p",
            "  %stride = load i64, ptr %stride.p",
            *slots,
            "  %back = icmp ne i64 %first, %next",
            "  br i1 %back, label %restore, label %loop",
            "restore:",
            "  %state = load ptr, ptr %state.p",
            "  %slot.r = urem i64 %first, %slots",
            "  %at.r = mul i64 %slot.r, %pitch",
            "  %from = getelementptr i8, ptr %ring, i64 %at.r",
            "  %copied = call ptr %memmove(ptr %state, ptr %from, i64 %size)",
            "  store i64 %first, ptr %next.p",
            "  br label %loop",
            "loop:",
            "  %n = load i64, ptr %next.p",
            "  %more = icmp ult i64 %n, %last",
            "  br i1 %more, label %frame, label %end",
            "frame:",
            "  %slot = urem i64 %n, %slots",
            "  %at = mul i64 %slot, %pitch",
            "  %shadow = getelementptr i8, ptr %ring, i64 %at",
            "  store ptr %shadow, ptr %shadow.p",
            "  %status = call i32 %entry.f(ptr %words)",
            "  %good = icmp eq i32 %status, 0",
            "  br i1 %good, label %done, label %trap",
            "done:",
            "  %after = add i64 %n, 1",
            "  store i64 %after, ptr %next.p",
            "  %inputs = load i64, ptr %inputs.p",
            "  %inputs.after = add i64 %inputs, %stride",
            "  store i64 %inputs.after, ptr %inputs.p",
            "  %hashes = load i64, ptr %hashes.p",
            "  %hashes.after = add i64 %hashes, 8",
            "  store i64 %hashes.after, ptr %hashes.p",
            "  br label %loop",
            "trap:",
            "  %state.t = load ptr, ptr %state.p",
            "  %copied.t = call ptr %memmove(ptr %state.t, ptr %shadow, i64 %size)",
            "  ret i32 %status",
            "end:",
            "  ret i32 0",
            "}",
            "",
        ]
    )


_MEMMOVE = ctypes.cast(ctypes.memmove, ctypes.c_void_p).value
assert _MEMMOVE is not None


@cache
def _routine() -> tuple[Callable[[Any], int], Any]:
    """The loop as a C function, which lets go of the interpreter's lock, and what keeps it."""
    loaded = load(own_code(_text(host().triple)), ("sb_ring",))
    prototype = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)
    return prototype(loaded.addresses["sb_ring"]), loaded


class _Entry(Protocol):
    """An entry in this process."""

    address: int

    @property
    def prints(self) -> bool: ...
    @property
    def function(self) -> Callable[[Any], int]: ...
    def trap(self, status: int) -> BaseException: ...


class RingCall:
    """Calls of a frame entry over memory whose past lies in a ring.

    `slots` are the entry's, for one frame; `ring` holds as many memories of `size` bytes as it has
    rows. Who calls keeps the memory that `slots` name alive.
    """

    __slots__ = ("_at", "_function", "_one", "_slots", "entry", "ring", "words")

    def __init__(
        self,
        entry: _Entry,
        slots: tuple[int, ...],
        ring: np.ndarray[Any, Any],
        size: int,
        stride: int,
    ) -> None:
        self.entry, self.ring = entry, ring
        self._slots = (ctypes.c_uint64 * len(slots))(*slots)
        at = ctypes.addressof(self._slots)
        rows, pitch = ring.shape
        place = ring.ctypes.data
        numbers = rows, size, 0, 0, 0, stride, pitch
        self.words = RingWords(entry.address, at, place, *numbers, _MEMMOVE)
        self._at = ctypes.addressof(self.words)
        self._function = _routine()[0]
        self._one = entry.function if entry.prints else None

    def run(self, first: int, frames: int, inputs: int, hashes: int) -> int:
        """Go back to before frame `first`, unless it is next anyway, and run so many frames;
        `inputs` and `hashes` are addresses of a row each. Returns a status: that of the frame
        `words.next` if it is not 0."""
        self._slots[INPUTS], self._slots[HASHES] = inputs, hashes
        words = self.words
        words.first, words.end = first, first + frames
        if self._one is None:
            return self._function(self._at)
        # What prints goes frame by frame, so that each one's lines are read before the next.
        words.end = first
        self._function(self._at)
        for frame in range(first, first + frames):
            words.first, words.end = frame, frame + 1
            if status := self._printed(frame):
                return status
        return 0

    def _printed(self, frame: int) -> int:
        words, slots = self.words, self._slots
        assert self._one is not None
        slots[SHADOW] = words.ring + frame % words.slots * words.pitch
        status = self._one(ctypes.addressof(slots))
        if status:
            ctypes.memmove(slots[STATE], slots[SHADOW], words.size)
            return status
        words.next += 1
        slots[INPUTS] += words.stride
        slots[HASHES] += 8
        return 0
