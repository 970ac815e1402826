"""A running simulation: step it, run it over many frames, hash it, save and restore it."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samebits.backend.llvm.engine import host_target
from samebits.errors import ReportError, Trap, fold, folding
from samebits.lang.signal_safe import keeps_flags
from samebits.lang.values.lazy import lazily
from samebits.runtime.calls.input_copies import InputCopier, input_copier
from samebits.runtime.memory_claims import PENDING, check_memory
from samebits.sim.definition import SimulationDefinition, check_seed
from samebits.sim.execution import NativeExecution
from samebits.sim.saved import SavedBuffer, read_saved

BLOCK_FRAMES = 4096
"""Frames that run natively in one call, which an interrupt undoes as a whole."""


class Session:
    """One run of a simulation, compiled for this processor. One thread at a time.

    A trap in a frame is raised and leaves the state, `frame` and `hash` of the last whole frame.
    After an interrupt of a method, by Ctrl-C or another exception of a signal handler, the state
    is that of `frame`. While a scheduled job uses the state, or writes the inputs, methods raise
    ArgumentError.
    """

    def __init__(self, simulation: SimulationDefinition, seed: int = 0) -> None:
        self.seed = check_seed(seed)
        self.frame = 0
        """How many whole frames have run."""
        program = simulation.program
        self._begin(simulation, NativeExecution(program, program.cached(host_target(), 3)))
        self._execution.start(self.seed)

    def _begin(self, simulation: SimulationDefinition, execution: NativeExecution) -> None:
        """Take an execution as what runs the frames."""
        self.simulation = simulation
        self._execution = execution
        self._state = simulation.state.from_memory(execution.memory)
        self._latest: NDArray[np.uint64] | int = np.zeros(0, np.uint64)
        self._copier: InputCopier | None = None
        """What copies one frame's inputs in compiled code, if anything."""
        if not execution.prints:
            self._copier = input_copier(simulation.input, simulation.players)
        if self._copier is not None:
            execution.prepare(self._copier)

    @property
    def state(self) -> Any:
        """The state, as a struct over the session's own memory: always current."""
        return self._state

    @property
    def latest(self) -> NDArray[np.uint64]:
        """The hashes of the frames of the latest call."""
        latest = self._latest
        return np.array([latest], np.uint64) if isinstance(latest, int) else latest

    def step(self, inputs: Any) -> None:
        """Advance one frame. `inputs` has one item per player: an instance of the input struct, a
        dict of its fields (absent ones zero), or a structured ndarray of shape (players,).

        Raises ArgumentError if they do not fit, and Trap.
        """
        try:
            if PENDING:
                self._check_jobs("step", True, inputs)
            if self._copier is None or not self._advance_one(inputs):
                self._advance_converted(inputs)
        except Exception as error:
            fold(error)
            raise

    @keeps_flags
    def run(self, inputs: Any) -> NDArray[np.uint64]:
        """Advance over a structured ndarray of shape (frames, players); return the hash after each.

        Raises ArgumentError if it does not fit, and Trap, whose attribute `hashes` holds the hashes
        of the whole frames before it.
        """
        try:
            return self._run(inputs)
        except Exception as error:
            fold(error)
            raise

    def _run(self, inputs: Any) -> NDArray[np.uint64]:
        if PENDING:
            self._check_jobs("run", True, inputs)
        frames = self.simulation.inputs.frames(inputs)
        if 0 < len(frames) <= BLOCK_FRAMES:
            return self._advance(frames).copy()
        parts: list[NDArray[np.uint64]] = []
        for first in range(0, len(frames), BLOCK_FRAMES):
            try:
                parts.append(self._advance(frames[first : first + BLOCK_FRAMES]))
            except SimulationTrap as trap:
                trap.hashes = np.concatenate([*parts, trap.hashes])
                raise
        return np.concatenate(parts) if parts else np.zeros(0, np.uint64)

    def _advance_one(self, inputs: Any) -> bool:
        """Whether the copier took the inputs of one frame: then as `_advance`."""
        execution = self._execution
        execution.can_go_back = False
        latest: NDArray[np.uint64] | int
        try:
            done = execution.advance_one(inputs)
            if done is True:
                frame, latest = self.frame + 1, execution.latest_hash.value
            elif done is False:
                return False
            else:
                frame, latest = self.frame, np.zeros(0, np.uint64)
        except BaseException:
            if execution.can_go_back:
                execution.bytes[:] = execution.before
            raise
        # As in `_advance`.
        self.frame, self._latest = frame, latest
        if done is not True:
            raise SimulationTrap(done, self.frame, np.zeros(0, np.uint64))
        return True

    @keeps_flags
    def _advance_converted(self, inputs: Any) -> None:
        self._advance(self.simulation.inputs.frame(inputs))

    def _advance(self, inputs: np.ndarray[Any, Any]) -> NDArray[np.uint64]:
        execution = self._execution
        execution.can_go_back = False
        try:
            done = execution.advance(inputs)
            hashes, frame = done.hashes, self.frame + len(done.hashes)
        except BaseException:
            if execution.can_go_back:
                execution.bytes[:] = execution.before
            raise
        # No call here, so that no signal handler runs before all of it is stored.
        self.frame, self._latest = frame, hashes
        if done.trap is not None:
            raise SimulationTrap(done.trap, self.frame, done.hashes)
        return done.hashes

    def _check_jobs(self, what: str, writes: bool, *inputs: object) -> None:
        """Raise ArgumentError if scheduled jobs use the state, or write the inputs."""
        if PENDING:
            state = ("state", self._execution.memory, writes)
            check_memory(f"session.{what}", [state, *(("inputs", i, False) for i in inputs)])

    @folding
    def hash(self) -> int:
        """XXH64 of the state's canonical bytes."""
        self._check_jobs("hash", False)
        return self._execution.hash()

    @folding
    def canonical_state(self) -> bytes:
        """The state's canonical bytes: what is hashed, and what a replay's keyframes hold."""
        self._check_jobs("canonical_state", False)
        return self._execution.save()

    def save(self) -> bytes:
        """The bytes from which `restore` returns to this frame, here or on another machine."""
        try:
            if PENDING:
                self._check_jobs("save", False)
            return self._saved.saved(self.seed, self.frame)
        except Exception as error:
            fold(error)
            raise

    def restore(self, blob: bytes) -> None:
        """Return to the frame of `save`. Raises ReplayError, having changed nothing, if the bytes
        are damaged or of another simulation or format."""
        try:
            if PENDING:
                self._check_jobs("restore", True)
            found = self._saved.restored(blob)
            if found is None:
                self._restore_any(blob)
            else:
                self.seed, self.frame = found
        except Exception as error:
            fold(error)
            raise

    @folding
    @keeps_flags
    def report(
        self,
        path: str | os.PathLike[str],
        frames: range | int | None = None,
        *,
        confirmed: int | None = None,
        force: bool = False,
    ) -> int:
        """Write a desync report of the frames so far, and return its size in bytes.

        `frames` are those in detail, a range or one, of those that are kept; None is all of them.
        `confirmed` is how many frames are final, since no rollback can change them any more: later
        ones are left out. A file at the path is replaced with `force` alone. Raises ReportError, of
        a session too that was started without `keep`.
        """
        raise ReportError(
            "the session keeps no history to report",
            fix="start it with start(seed, keep=120): the last 120 frames in detail",
        )

    @keeps_flags
    def _restore_any(self, blob: object) -> None:
        saved = read_saved(blob, self.simulation)
        self._execution.restore(saved.state)
        self.seed, self.frame = saved.seed, saved.frame

    @lazily
    def _saved(self) -> SavedBuffer:
        return SavedBuffer(self.simulation, self._execution)

    def __repr__(self) -> str:
        return f"<session of {self.simulation.name}, frame {self.frame}>"


class SimulationTrap(Trap):
    """A trap in a step; `frame` is the frame that it ended."""

    def __init__(self, trap: Trap, frame: int, hashes: NDArray[np.uint64]) -> None:
        super().__init__(trap.kind, trap.span, trap.detail, trap.said)
        self.note = f"in frame {frame}; the state is that of the last whole frame"
        self.frame = frame
        self.hashes = hashes
        """The hashes of the whole frames of the same call."""
