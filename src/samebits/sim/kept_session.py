"""A session that keeps a history of itself, from which it writes a desync report while it runs."""

from __future__ import annotations

import os
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samebits.errors import ArgumentError
from samebits.lang.executions import executions
from samebits.lang.signal_safe import keeps_flags
from samebits.sim.definition import SimulationDefinition
from samebits.sim.history import MOST_KEPT, History
from samebits.sim.outcome import TrapFact
from samebits.sim.session import Session, SimulationTrap


def check_keep(keep: object) -> int:
    """`keep` if it is a number of frames that a session may keep; ArgumentError otherwise."""
    if type(keep) is not int or not 0 <= keep <= MOST_KEPT:
        raise ArgumentError(
            f"keep={keep!r:.40} is no whole number from 0 to {MOST_KEPT:,}",
            fix="give how many of the last frames a report is to hold in detail, such as keep=120",
        )
    return keep


class KeptSession(Session):
    """As `Session`, with a history: hashes of all frames, states and inputs of the last `keep`."""

    def __init__(self, simulation: SimulationDefinition, seed: int, keep: int) -> None:
        super().__init__(simulation, seed)
        self._history = History(
            simulation.state_type, simulation.input_type, simulation.players, keep
        )
        self._history.begin(0, self.hash(), self._memory())

    @property
    def history(self) -> History:
        """What it has done."""
        self._catch_up()
        return self._history

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
        ones are left out. Raises ReportError.
        """
        return executions.session_report(self, path, frames, confirmed, force)

    @keeps_flags
    def restore(self, blob: bytes) -> None:
        self._catch_up()
        super().restore(blob)
        self._history.restore(self.frame, self.hash(), self._memory())

    def _advance_one(self, inputs: Any) -> bool:
        self._catch_up()
        copier = self._copier
        assert copier is not None
        try:
            done = super()._advance_one(inputs)
        except SimulationTrap as trap:
            self._history.trapped(TrapFact.of(trap), copier.memory.tobytes())
            raise
        if done:
            hash_ = self._execution.latest_hash.value
            self._history.add(copier.memory.tobytes(), hash_, self._memory())
        return done

    def _advance(self, inputs: np.ndarray[Any, Any]) -> NDArray[np.uint64]:
        self._catch_up()
        history, parts = self._history, list[NDArray[np.uint64]]()
        whole = max(0, len(inputs) - history.keep)
        cuts = [0] * bool(whole) + list(range(whole, len(inputs))) + [len(inputs)]
        for start, stop in pairwise(cuts):
            rows = inputs[start:stop]
            try:
                found = super()._advance(rows)
            except SimulationTrap as trap:
                if start == 0 and whole:
                    history.add_block(rows, trap.hashes)
                    history.at(self._memory())
                history.trapped(TrapFact.of(trap), rows[len(trap.hashes)].tobytes())
                trap.hashes = np.concatenate([*parts, trap.hashes])
                self._latest = trap.hashes
                raise
            if start == 0 and whole:
                history.add_block(rows, found)
                history.at(self._memory())
            else:
                history.add(rows.tobytes(), int(found[0]), self._memory())
            parts.append(found)
        self._latest = np.concatenate(parts) if parts else np.zeros(0, np.uint64)
        return self._latest

    def _catch_up(self) -> None:
        """Show the history the memory that comes next, and begin it anew behind an interrupt."""
        if self._history.number != self.frame:
            self._history.begin(self.frame, self._execution.hash(), self._memory())
        else:
            self._history.check(self._memory())

    def _memory(self) -> bytes:
        return self._execution.bytes.tobytes()
