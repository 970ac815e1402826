"""An execution of a simulation on another machine, emulated on this one.

State and inputs go there and come back as canonical words, so that only the order
of bytes in a word depends on the other machine.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from samebits.bits import canonical_size, to_canonical
from samebits.errors import RunnerError, Trap
from samebits.runtime.emulation.machines import EmulatedProgram
from samebits.runtime.emulation.remote import LIMIT_SECONDS
from samebits.sim.execution import Advance, Execution
from samebits.sim.inputs import Inputs
from samebits.sim.program import Program
from samebits.sim.state.hashing import word_count, word_type
from samebits.types import StructType

_INIT, _RUN, _HASH, _UNPACK, _UNPACK_INPUTS = range(5)


class EmulatedExecution(Execution):
    """The compiled frame loop in an emulator. Any method may raise RunnerError; `close` ends it."""

    def __init__(
        self, program: Program, emulated: EmulatedProgram, limit: float = LIMIT_SECONDS
    ) -> None:
        super().__init__(program)
        self._traps = emulated.traps
        self._remote = emulated.start(limit)
        self._order = "<" if emulated.target.little_endian else ">"
        state = program.state
        self._words = self._dtype(state)
        self._input_words = self._dtype(program.input)
        allocate = self._remote.allocate
        self._size = program.memory.size
        self._state = allocate(self._size)
        self._shadow = allocate(self._size)
        self._packed = allocate(canonical_size(state)), word_count(state)
        self._done = allocate(8), 1
        self._capacity = 0
        self._inputs = self._packed_inputs = self._hashes = 0

    def close(self) -> None:
        """End the emulator at once, from any thread."""
        self._remote.close()

    def start(self, seed: int) -> None:
        self._remote.write(self._state, bytes(self._size))
        self._init(seed)

    def _init(self, seed: int) -> None:
        self._call(_INIT, self._state, seed)

    def advance(self, inputs: Inputs) -> Advance:
        frames, players = inputs.shape
        self._reserve(frames, players)
        packed = to_canonical(self.program.input, inputs)
        words = np.frombuffer(packed, self._input_words.newbyteorder("<"))
        self._remote.write(self._packed_inputs, words.astype(self._input_words).tobytes())
        self._call(_UNPACK_INPUTS, self._inputs, frames * players, self._packed_inputs, len(words))
        self._remote.write(self._done[0], bytes(8))
        try:
            self._call(
                _RUN,
                self._state,
                self._shadow,
                *(self._inputs, frames, players),
                *(self._hashes, frames),
                *self._packed,
                *self._done,
            )
        except Trap as trap:
            done = int.from_bytes(
                self._remote.read(self._done[0], 8), "little" if self._order == "<" else "big"
            )
            if done >= frames:
                raise RunnerError(f"the program answered nonsense: {done} frames done") from None
            shadow = self._remote.read(self._shadow, self._size)
            self._remote.write(self._state, shadow)
            return Advance(self._read_hashes(done), trap)
        return Advance(self._read_hashes(frames), None)

    def hash(self) -> int:
        return self._call(_HASH, self._state, *self._packed, 0)[-1]

    def save(self) -> bytes:
        self.hash()  # fills the canonical words
        data = self._remote.read(self._packed[0], canonical_size(self.program.state))
        return np.frombuffer(data, self._words).astype(self._words.newbyteorder("<")).tobytes()

    def restore(self, state: bytes) -> None:
        size = canonical_size(self.program.state)
        if len(state) != size:
            raise ValueError(f"{len(state)} bytes where {size} are needed")
        words = np.frombuffer(state, self._words.newbyteorder("<")).astype(self._words)
        self._remote.write(self._packed[0], words.tobytes())
        self._call(_UNPACK, self._state, *self._packed)

    def save_memory(self) -> bytes:
        return self._remote.read(self._state, self._size)

    def restore_memory(self, memory: bytes) -> None:
        if len(memory) != self._size:
            raise ValueError(f"{len(memory)} bytes where {self._size} are needed")
        self._remote.write(self._state, memory)

    def _dtype(self, t: StructType) -> np.dtype[Any]:
        """The dtype of a canonical word of `t` in the machine's byte order."""
        return np.dtype(f"{self._order}u{word_type(t).size}")

    def _reserve(self, frames: int, players: int) -> None:
        """Reserve memory for a block of frames; grows only for a longer one."""
        if frames <= self._capacity:
            return
        self._capacity = frames
        allocate = self._remote.allocate
        self._inputs = allocate(frames * players * self.program.input.size)
        self._packed_inputs = allocate(frames * players * canonical_size(self.program.input))
        self._hashes = allocate(8 * frames)

    def _read_hashes(self, count: int) -> np.ndarray[Any, np.dtype[np.uint64]]:
        data = self._remote.read(self._hashes, 8 * count)
        return np.frombuffer(data, f"{self._order}u8").astype(np.uint64)

    def _call(self, entry: int, *slots: int) -> tuple[int, ...]:
        status, after = self._remote.call(entry, slots)
        if status:
            if status > len(self._traps):
                raise RunnerError(f"the program answered nonsense: status {status}")
            site = self._traps[status - 1]
            raise Trap(site.kind, site.span, site.detail)
        return after
