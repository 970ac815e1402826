"""One world of a batch as a session over the batch's own memory."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samebits.backend.llvm.engine import host_target
from samebits.runtime.memory_claims import PENDING
from samebits.sim.batch import log
from samebits.sim.batch.worlds import Worlds
from samebits.sim.definition import SimulationDefinition
from samebits.sim.execution import NativeExecution
from samebits.sim.saved import read_saved
from samebits.sim.session import Session


class World(Session):
    """A world of a batch, as `Session`: what it does, the batch sees, and the other way round.

    A world that a trap stopped goes on from its last whole frame.
    """

    def __init__(self, simulation: SimulationDefinition, worlds: Worlds, index: int) -> None:
        self._worlds = worlds
        self.index = index
        """Its place in the batch."""
        program = simulation.program
        memory = worlds.states[index : index + 1]
        compiled = program.cached(host_target(), 3)
        self._begin(simulation, NativeExecution(program, compiled, memory))
        if len(worlds.log):
            self._copier = None  # so that every frame's inputs pass `_advance`

    @property
    def seed(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The seed of the episode."""
        return int(self._worlds.seeds[self.index])

    @seed.setter
    def seed(self, seed: int) -> None:  # pyright: ignore[reportIncompatibleVariableOverride]
        self._worlds.seeds[self.index] = seed

    @property
    def frame(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        """How many whole frames of the episode have run."""
        return int(self._worlds.frames[self.index])

    @frame.setter
    def frame(self, frame: int) -> None:  # pyright: ignore[reportIncompatibleVariableOverride]
        self._worlds.frames[self.index] = frame

    def _advance_one(self, inputs: Any) -> bool:
        with self._all_or_nothing():
            return super()._advance_one(inputs)

    def _advance(self, inputs: np.ndarray[Any, Any]) -> NDArray[np.uint64]:
        if not len(self._worlds.log):
            with self._all_or_nothing():
                return super()._advance(inputs)
        parts = [np.zeros(0, np.uint64)]
        for k in range(len(inputs)):
            log.add_frame(self._worlds, self.index, inputs[k])
            with self._all_or_nothing():
                parts.append(super()._advance(inputs[k : k + 1]))
        return np.concatenate(parts)

    @contextmanager
    def _all_or_nothing(self) -> Generator[None]:
        """Go back where an interrupt came between frames and their being counted."""
        frame, execution = self.frame, self._execution
        try:
            yield
        except BaseException:
            if execution.can_go_back and self.frame == frame:
                execution.bytes[:] = execution.before
            raise

    def restore(self, blob: bytes) -> None:
        saved = read_saved(blob, self.simulation)
        seed, frame = saved.seed, saved.frame
        worlds, i = self._worlds, self.index
        if PENDING:
            self._check_jobs("restore", True)
        base = int(worlds.base[i])
        if len(worlds.log):
            if seed != self.seed:
                log.forget(worlds, np.array([i]))
            base = log.base_of(worlds, i, int(worlds.episodes[i]), frame)
        self._execution.restore(saved.state)
        # No call here, so that no signal handler runs before all of it is stored.
        worlds.seeds[i], worlds.frames[i], worlds.base[i] = seed, frame, base
        worlds.still[i] = 0

    def __repr__(self) -> str:
        name = self.simulation.name
        return f"<world {self.index} of a batch of {name}, frame {self.frame}>"
