"""The history of a running session: hashes of all frames, states and inputs of the last ones.

Owns what is forgotten, when a restore takes frames back, and which changes of the state were made
outside of frames. Memory is bounded: 16 bytes a frame, and so many states and inputs as are asked.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from samebits.bits import to_canonical, xxh64
from samebits.sim.outcome import TrapFact
from samebits.types import StructType

MOST_FRAMES = 1 << 22
"""Frames whose hashes are kept: 19 hours at 60 frames a second. Then it begins anew."""
MOST_KEPT = 36_000
"""States and inputs that may be kept."""
MOST_EVENTS = 64
"""Restores, and changes of the state, of which the last are kept."""
_BLOCK = 512
"""Frames whose inputs are hashed at a time."""


@dataclass(frozen=True, slots=True)
class Change:
    """A state, before frame `number`, that is not the one which the frame before left: `was` that
    one's raw memory, empty where that is not kept any more, `became` the other's. `by` is "restore"
    or "hand"."""

    number: int
    by: str
    was: bytes
    became: bytes


@dataclass(frozen=True, slots=True)
class Restore:
    """A restore: from before frame `frame` back, or ahead, to before frame `to`."""

    frame: int
    to: int


@dataclass(eq=False)
class History:
    """What a session has done since state `first`, the one before frame `first`.

    `state` and `input` are the types whose raw memory, of the state and of a frame's inputs, it is
    given; `keep` how many frames' states and inputs it keeps.
    """

    state: StructType
    input: StructType
    players: int
    keep: int
    first: int = 0
    hashes: array[int] = field(default_factory=lambda: array("Q"))
    """Of each state from `first` on."""
    states: dict[int, bytes] = field(default_factory=dict[int, bytes])
    """Raw memory of the last states, by number, as frames left them."""
    inputs: dict[int, bytes] = field(default_factory=dict[int, bytes])
    """Raw memory of the last frames' inputs."""
    changes: list[Change] = field(default_factory=list[Change])
    restores: list[Restore] = field(default_factory=list[Restore])
    trap: tuple[TrapFact, bytes] | None = None
    """How the frame after the last whole one trapped, and its inputs."""
    _input_hashes: array[int] = field(default_factory=lambda: array("Q"))
    _pending: list[bytes] = field(default_factory=list[bytes])
    """Inputs behind those that are hashed."""

    @property
    def number(self) -> int:
        """The state that comes last: how many whole frames there were."""
        return self.first + len(self.hashes) - 1

    def begin(self, number: int, hash_: int, memory: bytes) -> None:
        """Begin anew with a state of that number."""
        self.first, self.hashes = number, array("Q", [hash_])
        self.states, self.inputs = {number: memory} if memory else {}, {}
        self.changes, self.trap = [], None
        self._input_hashes, self._pending = array("Q"), []

    def check(self, memory: bytes, by: str = "hand") -> None:
        """Compare the memory that the next frame begins with."""
        was = self.states.get(self.number)
        if was is not None and was != memory:
            self._changed(by, was, memory)

    def add(self, inputs: bytes, hash_: int, memory: bytes) -> None:
        """One more frame: its inputs, and the state after it."""
        self._bound(1)
        frame = self.number
        self.hashes.append(hash_)
        self.states[frame + 1] = memory
        self.states.pop(frame - self.keep, None)
        self.inputs[frame] = inputs
        self.inputs.pop(frame - self.keep, None)
        self._took(inputs)
        self.trap = None

    def add_block(self, inputs: np.ndarray[Any, Any], hashes: np.ndarray[Any, Any]) -> None:
        """Frames whose states are not kept, and the last of them is told by `at`."""
        self._bound(len(hashes))
        self.hashes.extend(hashes.tolist())
        for row in inputs[: len(hashes)]:
            self._took(row.tobytes())
        self.states, self.inputs, self.trap = {}, {}, None

    def at(self, memory: bytes) -> None:
        """The state that comes last, behind a block."""
        self.states[self.number] = memory

    def trapped(self, trap: TrapFact, inputs: bytes) -> None:
        """The frame after the last whole one trapped."""
        self.trap = trap, inputs

    def restore(self, number: int, hash_: int, memory: bytes) -> None:
        """The session has returned to a state of that number. What comes behind is forgotten."""
        self.restores.append(Restore(self.number, number))
        del self.restores[:-MOST_EVENTS]
        if not self.first <= number <= self.number:
            self.begin(number, hash_, memory)
            return
        count = number - self.first
        recorded = self.hashes[count]
        del self.hashes[count + 1 :]
        hashed = len(self._input_hashes)
        del self._input_hashes[count:]
        del self._pending[max(0, count - hashed) :]
        self.states = {n: state for n, state in self.states.items() if n <= number}
        self.inputs = {n: each for n, each in self.inputs.items() if n < number}
        self.changes = [change for change in self.changes if change.number < number]
        self.trap = None
        if recorded == hash_:
            self.states[number] = memory
        elif number in self.states:
            self.check(memory, "restore")
        else:
            self._changed("restore", b"", memory)

    def input_hashes(self) -> array[int]:
        """XXH64 of the canonical inputs of each frame from `first` on."""
        self._hash_inputs()
        return self._input_hashes

    def _changed(self, by: str, was: bytes, became: bytes) -> None:
        number = self.number
        if self.changes and self.changes[-1].number == number:
            if self.changes[-1].became == became:
                return
            was = self.changes.pop().was
        self.changes.append(Change(number, by, was, became))
        del self.changes[:-MOST_EVENTS]

    def _bound(self, frames: int) -> None:
        """Begin anew where so many frames more would be too many."""
        if len(self.hashes) + frames > MOST_FRAMES:
            number = self.number
            self.begin(number, self.hashes[-1], self.states.get(number, b""))

    def _took(self, inputs: bytes) -> None:
        self._pending.append(inputs)
        if len(self._pending) >= _BLOCK:
            self._hash_inputs()

    def _hash_inputs(self) -> None:
        self._input_hashes.extend(xxh64(row) for row in self.canonical_inputs(self._pending))
        self._pending = []

    def canonical_inputs(self, rows: list[bytes]) -> Iterator[bytes]:
        """The canonical bytes of frames' inputs."""
        memory = np.frombuffer(b"".join(rows), self.input.dtype)
        data = to_canonical(self.input, memory)
        size = len(data) // len(rows) if rows else 0
        return (data[k * size : (k + 1) * size] for k in range(len(rows)))

    def canonical_state(self, memory: bytes) -> bytes:
        """The canonical bytes of a state's raw memory, of which a program's own may follow it."""
        return to_canonical(self.state, np.frombuffer(memory, self.state.dtype, 1))
