"""The rollback of a simulation whose hazards act in some of its frames."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samebits.sim.rollback import Rollback
from samebits.sim.session import SimulationTrap
from samebits.sim.simulation import Simulation


class InjectedRollback(Rollback):
    """Plain until before `from_frame`, with hazards after that, and plain again from `until_frame`
    on, if given: a run for each part, of which the one that the next frame belongs to is current.
    `state` shows the first one's memory."""

    def __init__(
        self,
        plain: Simulation,
        injected: Simulation,
        from_frame: int,
        window: int,
        seed: int,
        until_frame: int | None = None,
    ) -> None:
        super().__init__(plain, window, seed)
        self._starts = [from_frame]
        self._later = [Rollback(injected, window, seed)]
        if until_frame is not None:
            self._starts.append(until_frame)
            self._later.append(Rollback(plain, window, seed))
        self._part = self._part_of(0)
        """The part that is current: 0 is this object's own run, then those of `_later`."""

    @property
    def frame(self) -> int:
        return self._later[self._part - 1].frame if self._part else super().frame

    @property
    def oldest(self) -> int:
        part, found = self._part, super().oldest
        while part:
            found, start = self._later[part - 1].oldest, self._starts[part - 1]
            before = self._later[part - 2].frame if part > 1 else super().frame
            if found > start or before != start:
                break
            part -= 1
            found = self._later[part - 1].oldest if part else super().oldest
        return found if part == self._part else max(found, self.frame - self.window)

    def play(self, first: int, inputs: Any, *, checked: bool = False) -> NDArray[np.uint64]:
        rows = inputs if checked else self.simulation.inputs.frames(inputs)
        stop = first + len(rows)
        parts: list[NDArray[np.uint64]] = []
        try:
            for part in range(self._part_of(first), len(self._starts) + 1):
                begin = max(first, self._starts[part - 1]) if part else first
                end = min(stop, self._starts[part]) if part < len(self._starts) else stop
                if begin >= end:
                    continue
                if part > self._part:
                    self._later[part - 1].restore(begin, self.canonical_state())
                self._part = part
                own = self._later[part - 1].play if part else super().play
                parts.append(own(begin, rows[begin - first : end - first], checked=True))
        except SimulationTrap as trap:
            trap.hashes = np.concatenate([*parts, trap.hashes])
            raise
        return np.concatenate(parts) if parts else np.zeros(0, np.uint64)

    def hash(self) -> int:
        return self._later[self._part - 1].hash() if self._part else super().hash()

    def canonical_state(self, frame: int | None = None) -> bytes:
        for part in range(self._part, 0, -1):
            run = self._later[part - 1]
            if frame is None or frame >= run.oldest:
                return run.canonical_state(frame)
        return super().canonical_state(frame)

    def restore(self, frame: int, state: bytes) -> None:
        self._part = self._part_of(frame)
        own = self._later[self._part - 1].restore if self._part else super().restore
        own(frame, state)

    def _part_of(self, frame: int) -> int:
        return bisect_right(self._starts, frame)
