"""A running side: its position and state, snapshots, and how to return to them.

Owns the switch from the plain program to the one with hazards at the frame that the side names.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import numpy as np

from samebits.runtime.threads.pool import working
from samebits.sides.side import Side
from samebits.sim.execution import Advance, Execution
from samebits.sim.inputs import Inputs


@dataclass(frozen=True, eq=False, slots=True)
class Snapshot:
    """A side's state before the step of `frame`: the canonical bytes, and the raw memory."""

    frame: int
    canonical: bytes
    memory: bytes


class SideRun:
    """One run of a side; call `start` first. `frame` counts whole frames. One thread at a time."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self.frame = 0
        self._start = side.spec.start
        self._acting = side.execution(side.program)
        self._plain = self._acting if self._start is None else side.execution(side.plain)

    def another(self) -> SideRun:
        """One more run of the side, not yet started."""
        return open_run(self.side)

    @property
    def execution(self) -> Execution:
        """The execution that runs the next frame."""
        return self._at(self.frame)

    def _at(self, frame: int) -> Execution:
        return self._acting if self.side.acts(frame) else self._plain

    def start(self, seed: int) -> None:
        """Zero the state and run `init`. Raises Trap, RunnerError."""
        self.frame = 0
        with self._workers():
            self._at(-1).start(seed)
        if self._at(-1) is not self._at(0):
            self._carry(self._at(-1).save())

    def advance(self, inputs: Inputs) -> Advance:
        """Run one frame per row of canonical inputs, shape (frames, players). A trap leaves the
        state after the last whole frame. Raises RunnerError."""
        before = len(inputs)
        if self._start is not None:
            before = min(before, max(0, self._start - self.frame))
        if before in (0, len(inputs)):
            return self._advance(inputs)
        plain = self._advance(inputs[:before])
        if plain.trap is not None:
            return plain
        acting = self._advance(inputs[before:])
        return Advance(np.concatenate([plain.hashes, acting.hashes]), acting.trap)

    def _advance(self, inputs: Inputs) -> Advance:
        execution = self.execution
        with self._workers():
            done = execution.advance(np.ascontiguousarray(inputs))
        self.frame += len(done.hashes)
        if self.execution is not execution:
            self._carry(execution.save())
        return done

    def _carry(self, state: bytes) -> None:
        """Continue from a canonical state, with all unhashed memory zeroed."""
        execution = self.execution
        execution.restore_memory(bytes(len(execution.save_memory())))
        execution.restore(state)

    def hash(self) -> int:
        """The hash of the current state."""
        return self.execution.hash()

    def save(self) -> bytes:
        """The current state, canonical."""
        return self.execution.save()

    def snapshot(self) -> Snapshot:
        """The current state, for `restore`."""
        return Snapshot(self.frame, self.execution.save(), self.execution.save_memory())

    def restore(self, snapshot: Snapshot) -> None:
        """Return to a snapshot of this run, unhashed memory included."""
        self.frame = snapshot.frame
        self.execution.restore_memory(snapshot.memory)

    def restore_canonical(self, frame: int, state: bytes) -> None:
        """Continue before the step of `frame` from a canonical state of any run."""
        self.frame = frame
        self._carry(state)

    def _workers(self) -> AbstractContextManager[None]:
        count = self.side.spec.workers
        return nullcontext() if count is None else working(count)

    def close(self) -> None:
        """End the processes that the executions use."""
        for execution in (self._acting, self._plain):
            execution.close()


def open_run(side: Side) -> SideRun:
    """One more run of a side, not yet started. Raises CompileError, HazardError, RunnerError."""
    return SideRun(side.next_run())
