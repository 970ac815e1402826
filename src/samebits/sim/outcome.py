"""Results of a verification, row by row: hashes, traps, the first difference, a failure.

Owns the data; `verify` finds it and the command line prints it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from samebits.errors import Trap
from samebits.sim.state.difference import FieldDifference


@dataclass(frozen=True)
class TrapFact:
    """A trap in the form that all executions must agree on: kind, place and detail.

    `said` is the message with values, where the execution knows them.
    """

    kind: str
    message: str
    place: str
    said: str | None = field(default=None, compare=False)

    @classmethod
    def of(cls, trap: Trap) -> TrapFact:
        place = str(trap.span) if trap.span else ""
        return cls(trap.kind, trap.summary, place, trap.said)

    def is_same(self, other: TrapFact | None) -> bool:
        """Whether another one is the same, with its values where both tell these: another program
        may make another value of an index that traps at the same place."""
        if other is None or None in (self.said, other.said):
            return self == other
        return (self, self.said) == (other, other.said)


@dataclass(frozen=True)
class Divergence:
    """The first frame in which a row differs from its reference.

    `expected` and `found` are the hashes after the frame, or what happened instead. `field` is the
    first differing field of the state, if both finished the frame; `note` says why it is missing
    although both did.
    """

    frame: int
    reference: str
    expected: str
    found: str
    field: FieldDifference | None = None
    note: str | None = None


@dataclass
class RowReport:
    """The result of one row. `frames` counts whole frames, `final_hash` is after the last of them,
    `prefix` says that the row stopped early to save time. `failure` describes a program that did
    not run to its end. `overdue` says that the row was stopped by the time limit, which `reason`
    names."""

    name: str
    reason: str | None = None
    frames: int = 0
    prefix: bool = False
    failure: str | None = None
    final_hash: int | None = None
    trap: TrapFact | None = None
    divergence: Divergence | None = None
    seconds: float = 0.0
    compared: int = 0
    """How many frames, counting one that a trap ended, were compared with another row or with
    recorded hashes. The state after `init` is compared too, and is no frame."""
    overdue: bool = False

    @property
    def result(self) -> str:
        """`same`, `differs`, `failed`, `not run`, or `not compared` if it ran alone or was
        interrupted before a frame was compared, when states after `init` may agree by chance."""
        if self.divergence is not None:
            return "differs"
        if self.failure is not None:
            return "failed"
        if self.reason is not None:
            return "not run"
        ran = self.frames or self.trap is not None
        return "same" if ran and self.compared else "not compared"

    @property
    def trap_frame(self) -> int | None:
        """The frame that the trap ended, -1 for `init`; None without a trap."""
        if self.trap is None:
            return None
        return self.frames if self.final_hash is not None else -1

    @property
    def frames_per_second(self) -> float | None:
        return self.frames / self.seconds if self.frames and self.seconds else None


@dataclass(eq=False)
class BlockOutcome:
    """A row's results for one block: a hash for each whole frame, then perhaps a trap."""

    hashes: NDArray[np.uint64]
    trap: TrapFact | None

    def at(self, frame: int) -> str:
        if frame < len(self.hashes):
            return f"{int(self.hashes[frame]):016x}"
        return f"trap: {self.trap.message}" if self.trap else "nothing"

    def reaches(self, frame: int) -> bool:
        return frame < len(self.hashes) or (frame == len(self.hashes) and self.trap is not None)


def compared(a: BlockOutcome, b: BlockOutcome) -> int:
    """The number of frames that both reach, counting a frame ended by a trap."""
    whole = min(len(a.hashes), len(b.hashes))
    return whole + (a.reaches(whole) and b.reaches(whole))


def first_unequal(a: BlockOutcome, b: BlockOutcome) -> int | None:
    """The first frame that both reach with different results; None if there is none."""
    shared = min(len(a.hashes), len(b.hashes))
    unequal = np.flatnonzero(a.hashes[:shared] != b.hashes[:shared])
    if len(unequal):
        return int(unequal[0])
    if a.reaches(shared) and b.reaches(shared):
        both = len(a.hashes) == len(b.hashes)
        return None if both and a.trap == b.trap else shared
    return None
