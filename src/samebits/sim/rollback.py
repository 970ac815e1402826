"""Rollback: go back some frames and play them again with other inputs, in one native call.

Owns a ring of raw states, allocated once, and which frames can be gone back to. Knows nothing of
where inputs come from.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from samebits.backend.llvm.engine import host_target
from samebits.bits import from_canonical, to_canonical
from samebits.errors import ArgumentError, Trap, folding
from samebits.lang.signal_safe import keeps_flags
from samebits.runtime.calls.ring_calls import RingCall
from samebits.runtime.memory_claims import PENDING, check_memory
from samebits.sim.definition import SimulationDefinition, check_seed
from samebits.sim.execution import NativeExecution
from samebits.sim.saved import MAX_FRAME
from samebits.sim.session import SimulationTrap

MOST_FRAMES = 3600
"""The largest window: a minute at 60 frames a second."""
_PITCH = 64
"""Bytes to a multiple of which a state in the ring is padded: a cache line."""


class Rollback:
    """One run of a simulation that can go back up to `window` frames, 0 to 3,600, and play them
    again. Compiled for this processor; one thread at a time.

    The same bits as `Session.restore` followed by `run`, without its copies: 8 frames cost little
    more than their steps. The states before the last `window` frames stay in memory, `window`
    times the bytes of the state, and a frame allocates nothing. A trap in a frame is raised and
    leaves the state and `frame` of the last whole frame. Raises CompileError, Trap, ArgumentError.
    """

    @folding
    def __init__(self, simulation: SimulationDefinition, window: int, seed: int = 0) -> None:
        if type(window) is not int or not 0 <= window <= MOST_FRAMES:
            raise ArgumentError(
                f"the window is {window!r}, not an int from 0 to {MOST_FRAMES}",
                fix="give the frames to go back at most, such as window=8",
            )
        self.simulation = simulation
        self.window = window
        self.seed = check_seed(seed)
        program = simulation.program
        self._execution = NativeExecution(program, program.cached(host_target(), 3))
        size = self._execution.bytes.size
        pitch = -(-max(size, 1) // _PITCH) * _PITCH
        self._ring = np.zeros((window + 1, pitch), np.uint8)
        self._size = size
        self._call: RingCall = self._execution.over(self._ring, simulation.players)
        self._hashes = np.zeros(max(window, 1), np.uint64)
        self._state = simulation.state.from_memory(self._execution.memory)
        self._oldest = 0
        self._execution.start(self.seed)

    @property
    def frame(self) -> int:
        """How many whole frames have run: the number of the frame that is next."""
        return self._call.words.next

    @property
    def oldest(self) -> int:
        """The first frame that can be gone back to the beginning of."""
        return max(self._oldest, self.frame - self.window)

    @property
    def state(self) -> Any:
        """The state, as a struct over this object's own memory: always current."""
        return self._state

    @folding
    @keeps_flags
    def play(self, first: int, inputs: Any, *, checked: bool = False) -> NDArray[np.uint64]:
        """Go back to before frame `first`, `oldest` to `frame`, and play a structured ndarray of
        shape (frames, players) from there; return the hash after each frame, new memory.

        With `checked` the inputs are canonical and C-contiguous already, as those that
        `simulation.inputs` gives. Raises ArgumentError if they or `first` do not fit, and Trap,
        whose attributes `frame` and `hashes` tell of the whole frames before it.
        """
        rows = inputs if checked else self.simulation.inputs.frames(inputs)
        if not self.oldest <= first <= self.frame:
            raise ArgumentError(
                f"frame {first} is outside those that can be played again, {self.oldest} to "
                f"{self.frame}",
                fix="make the window larger" if first < self.oldest else None,
            )
        if PENDING:
            claims = [("state", self._execution.memory, True), ("inputs", inputs, False)]
            check_memory("rollback.play", claims)
        frames = len(rows)
        if frames > len(self._hashes):
            self._hashes = np.zeros(frames, np.uint64)
        hashes = self._hashes
        if first < self.frame:  # later frames may hold the rows of earlier ones
            self._oldest = self.oldest
        status = self._call.run(first, frames, rows.ctypes.data, hashes.ctypes.data)
        if status:
            self._raise(self._call.entry.trap(status), hashes[: self.frame - first].copy())
        return hashes[:frames].copy()

    @keeps_flags
    def hash(self) -> int:
        """XXH64 of the state's canonical bytes."""
        return self._execution.hash()

    @keeps_flags
    def canonical_state(self, frame: int | None = None) -> bytes:
        """The canonical bytes of the state now, or of that before a frame, `oldest` to `frame`.

        Raises ArgumentError.
        """
        if frame is None or frame == self.frame:
            return self._execution.save()
        if not self.oldest <= frame < self.frame:
            raise ArgumentError(
                f"the state before frame {frame} is not kept; those of {self.oldest} to "
                f"{self.frame} are"
            )
        t = self.simulation.state_type
        raw = self._ring[frame % len(self._ring)][: self._execution.program.state.size]
        return to_canonical(t, raw.view(t.dtype))

    @keeps_flags
    def restore(self, frame: int, state: bytes) -> None:
        """Take canonical bytes as the state before a frame; frames before it can't be gone back to.

        Raises ArgumentError if the length or the frame does not fit.
        """
        if type(frame) is not int or not 0 <= frame <= MAX_FRAME:
            raise ArgumentError(f"the frame is {frame!r}, not an int from 0 to {MAX_FRAME}")
        t = self.simulation.state_type
        try:
            memory = from_canonical(t, state)
        except ValueError as error:
            raise ArgumentError(
                f"a state of '{self.simulation.name}' does not have {error}",
                fix="give the bytes of canonical_state()",
            ) from None
        self._execution.bytes[:] = 0
        self._execution.memory.reshape(-1)[:] = memory
        self._call.words.next = frame
        self._oldest = frame

    def _raise(self, error: BaseException, hashes: NDArray[np.uint64]) -> None:
        if isinstance(error, Trap):
            raise SimulationTrap(error, self.frame, hashes)
        raise error

    def __repr__(self) -> str:
        return f"<rollback of {self.simulation.name}, frames {self.oldest} to {self.frame}>"
