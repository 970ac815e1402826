"""The rollback of a simulation whose hazards act from a frame on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from samebits.sim.rollback import Rollback
from samebits.sim.session import SimulationTrap
from samebits.sim.simulation import Simulation


class InjectedRollback(Rollback):
    """Plain until before `from_frame`, with hazards after that: two runs, of which the one that the
    next frame belongs to is current. `state` shows the plain one's memory, which follows."""

    def __init__(
        self, plain: Simulation, injected: Simulation, from_frame: int, window: int, seed: int
    ) -> None:
        super().__init__(plain, window, seed)
        self._from = from_frame
        self._injected = Rollback(injected, window, seed)
        self._begun = False
        """Whether the injected run has a state."""

    @property
    def frame(self) -> int:
        return self._injected.frame if self._begun else super().frame

    @property
    def oldest(self) -> int:
        if not self._begun:
            return super().oldest
        if self._injected.oldest > self._from or super().frame != self._from:
            return self._injected.oldest
        return max(super().oldest, self.frame - self.window)

    def play(self, first: int, inputs: Any, *, checked: bool = False) -> NDArray[np.uint64]:
        rows = inputs if checked else self.simulation.inputs.frames(inputs)
        plain = max(0, min(self._from - first, len(rows)))
        parts: list[NDArray[np.uint64]] = []
        try:
            if plain:
                self._begun = False
                parts.append(super().play(first, rows[:plain], checked=True))
            if plain < len(rows):
                if not self._begun:
                    self._injected.restore(self._from, super().canonical_state())
                    self._begun = True
                parts.append(self._injected.play(first + plain, rows[plain:], checked=True))
        except SimulationTrap as trap:
            trap.hashes = np.concatenate([*parts, trap.hashes])
            raise
        return np.concatenate(parts) if parts else np.zeros(0, np.uint64)

    def hash(self) -> int:
        return self._injected.hash() if self._begun else super().hash()

    def canonical_state(self, frame: int | None = None) -> bytes:
        if self._begun and (frame is None or frame >= self._injected.oldest):
            return self._injected.canonical_state(frame)
        return super().canonical_state(frame)

    def restore(self, frame: int, state: bytes) -> None:
        if frame < self._from:
            self._begun = False
            super().restore(frame, state)
        else:
            self._injected.restore(frame, state)
            self._begun = True
