"""A session played as a game plays it, rollbacks and all, with what is wrong in it; and its log."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tools.prove_diagnose.sessions.case import POKES, RESTORES, Fault, Rollback

from samebits.bits import leaves, xxh64
from samebits.sim.definition import SimulationDefinition
from samebits.sim.session import Session
from samebits.sim.simulation import Simulation
from samebits.types import ScalarType


@dataclass
class Log:
    """`starts` are the canonical states that frames start from, what was done from outside before
    them included; `ends` those that they leave. `init` is what `init` leaves."""

    seed: int
    inputs: np.ndarray[Any, Any]
    init: bytes
    starts: list[bytes] = field(default_factory=list[bytes])
    ends: list[bytes] = field(default_factory=list[bytes])
    blobs: list[bytes] = field(default_factory=list[bytes])
    """Saved sessions, those that frames start from."""

    def hashes(self) -> list[int]:
        return [xxh64(state) for state in self.ends]

    def end_before(self, frame: int) -> bytes:
        """What the frame before leaves."""
        return self.ends[frame - 1] if frame else self.init


def memory_of(session: Session) -> NDArray[np.uint8]:
    """The bytes of the state, to be written to."""
    return session.state.memory.reshape(1).view(np.uint8)


def column(path: str) -> str:
    """The path without its indices: `bodies[3].vel.x` is of `bodies[].vel.x`."""
    return re.sub(r"\[[^\]]*\]", "[]", path)


def scalars(simulation: SimulationDefinition, wanted: str) -> list[tuple[str, ScalarType, int]]:
    """The scalars at a path, or in a column or below it."""
    return [
        (path, scalar, offset)
        for path, scalar, offset in leaves(simulation.state_type)
        if any(
            p == wanted or p.startswith((wanted + ".", wanted + "[")) for p in (path, column(path))
        )
    ]


def played(
    simulation: Simulation, seed: int, inputs: np.ndarray[Any, Any],
    rollbacks: Sequence[Rollback] = (), faults: Sequence[Fault] = (),
) -> Log:  # fmt: skip
    """Play all frames. Raises Trap."""
    return _played(_Game(simulation.start(seed), inputs, faults), rollbacks).log


def kept(
    simulation: Simulation, seed: int, inputs: np.ndarray[Any, Any],
    rollbacks: Sequence[Rollback], faults: Sequence[Fault],
) -> Session:  # fmt: skip
    """A session that remembers all that it played. Raises Trap."""
    session = simulation.start(seed, keep=len(inputs))
    return _played(_Game(session, inputs, faults), rollbacks).session


def _played(game: _Game, rollbacks: Sequence[Rollback]) -> _Game:
    back = {r.frame: r for r in rollbacks}
    while game.frame < len(game.inputs):
        due = back.pop(game.frame, None)
        if due is None:
            game.advance(game.inputs[game.frame])
        else:
            game.roll_back(due)
    return game


class _Game:
    def __init__(
        self, session: Session, inputs: np.ndarray[Any, Any], faults: Sequence[Fault]
    ) -> None:
        self.simulation = session.simulation
        self.inputs = inputs
        self.session = session
        self.log = Log(session.seed, inputs, session.canonical_state())
        self.pokes = {f.frame: f for f in faults if f.kind in POKES}
        self.repairs = {f.frame + f.by: f for f in faults if f.kind == "poke put right"}
        self.restores = {f.frame: f for f in faults if f.kind in RESTORES}
        self.kept: list[Callable[[], None]] = []
        self.right: Session | None = None
        """The same session without the poke, while there is one that is to be put right."""

    @property
    def frame(self) -> int:
        return len(self.log.ends)

    def advance(self, row: np.ndarray[Any, Any]) -> None:
        """One frame for good, and what is done from outside before it."""
        frame = self.frame
        if frame in self.repairs and self.right is not None:
            self.session.restore(self.right.save())
            self.right = None
        if frame in self.pokes:
            if self.pokes[frame].kind == "poke put right":
                self.right = Session(self.simulation)
                self.right.restore(self.session.save())
            self._poke(self.pokes[frame])
        self.log.starts.append(self.session.canonical_state())
        self.log.blobs.append(self.session.save())
        self.session.step(row)
        if self.right is not None:
            self.right.step(row)
        self.log.ends.append(self.session.canonical_state())

    def _poke(self, fault: Fault) -> None:
        ((_, scalar, offset),) = scalars(self.simulation, fault.field)
        data = np.frombuffer(bytes.fromhex(fault.bits), np.uint8)
        assert len(data) == scalar.size
        memory_of(self.session)[offset : offset + scalar.size] = data

    def roll_back(self, back: Rollback) -> None:
        """Play some frames with guessed inputs of one player, go back, and play them again."""
        first, session = back.frame, self.session
        guessed = self.inputs[first : first + back.count].copy()
        guessed[:, back.player] = self.inputs[first - 1, back.player] if first else 0
        saved = session.save()
        ahead: list[bytes] = []
        for row in guessed:
            session.step(row)
            ahead.append(session.save())
        predicted = memory_of(session).copy()
        fault = self.restores.get(first)
        session.restore(saved)
        again = back.count
        if fault is not None and fault.kind == "wrong frame":
            session.restore(
                self.log.blobs[first + fault.by] if fault.by < 0 else ahead[fault.by - 1]
            )
        elif fault is not None and fault.kind in ("lost field", "lost tail"):
            memory = memory_of(session)
            for offset, size in _lost(self.simulation, fault):
                value = predicted[offset : offset + size] if fault.bits == "kept" else 0
                memory[offset : offset + size] = value
        elif fault is not None:
            again -= 1
        for row in self.inputs[first : first + again]:
            self.advance(row)
        if again < back.count:  # the game believes that it has played this frame, too
            self.log.starts.append(self.session.canonical_state())
            self.log.blobs.append(self.session.save())
            self.log.ends.append(self.session.canonical_state())


def _lost(simulation: SimulationDefinition, fault: Fault) -> Iterator[tuple[int, int]]:
    """Place and size of the scalars that a restore leaves out."""
    found = scalars(simulation, fault.field)
    first = len(found) // 2 if fault.kind == "lost tail" else 0
    for _, scalar, offset in found[first:]:
        yield offset, scalar.size
