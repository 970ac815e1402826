"""The examination of the first differing frame: both sides' states, and if they are reproduced.

Owns the examination of one frame that is known to differ. `search.py` finds it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from samebits.diagnosis.frame.points import FramePoint, InitPoint, Point
from samebits.errors import Trap
from samebits.sides.run import SideRun, Snapshot
from samebits.sim.execution import Advance
from samebits.sim.inputs import Inputs
from samebits.sim.outcome import BlockOutcome, TrapFact, first_unequal

ATTEMPTS = 8
"""How often a block of frames is run again where it does not differ as it did."""


@dataclass(frozen=True, eq=False)
class SideFrame:
    """One side's frame. States are None where only the hash is known.

    `before` is the state before the step; None for `init`. `state` is the canonical one after it,
    and None after a trap.
    """

    before: Snapshot | None
    hash: int | None
    state: bytes | None
    trap: TrapFact | None
    inputs: Inputs | None
    """Of shape (1, players)."""
    has_hidden: bool | None = None
    """Whether the step gives another hash from the canonical state alone: something that is no
    part of the hashed state decides. None: not tried."""
    repeats: bool | None = None
    """Whether a second run gave the same hashes up to here. None: not tried."""
    leaves: NDArray[np.uint64] | None = None
    """The hashes of the state's parts, where they are known and it is not."""

    def point(self, seed: int) -> Point:
        """Where it begins, in a run of this seed."""
        if self.before is None or self.inputs is None:
            return InitPoint(seed)
        return FramePoint(self.before.canonical, self.inputs)

    def shown(self) -> str:
        """The hash in hex, or the trap."""
        if self.hash is not None:
            return f"{self.hash:016x}"
        return f"trap: {self.trap.message}" if self.trap is not None else "unknown"


@dataclass(frozen=True, eq=False)
class FirstFrame:
    """The first frame that differs; -1 is `init`. `since` is the last that is known to agree, -2
    for none: `is_exact` if it is the one before."""

    frame: int
    a: SideFrame
    b: SideFrame
    since: int

    @property
    def is_exact(self) -> bool:
        """Whether every frame before was compared, and agreed."""
        return self.since == self.frame - 1


def outcome(advance: Advance, placed: bool = True) -> BlockOutcome:
    """The end of a block of frames, to be compared. Versions of a source have a trap at
    other places: then it is not `placed`."""
    return BlockOutcome(
        advance.hashes, None if advance.trap is None else _fact(advance.trap, placed)
    )


def _fact(trap: Trap, placed: bool) -> TrapFact:
    fact = TrapFact.of(trap)
    return fact if placed else replace(fact, place="")


def begun(running: SideRun, seed: int, placed: bool = True) -> BlockOutcome:
    """Start a run; the hash after `init`, or its trap."""
    try:
        running.start(seed)
    except Trap as trap:
        return BlockOutcome(np.zeros(0, np.uint64), _fact(trap, placed))
    return BlockOutcome(np.array([running.hash()], np.uint64), None)


def of_init(running: SideRun, found: BlockOutcome) -> SideFrame:
    """A side's `init` that differs, right after it."""
    if found.trap is not None:
        return SideFrame(None, None, None, found.trap, None)
    return SideFrame(None, int(found.hashes[0]), running.save(), None, None)


@dataclass(eq=False)
class FrameBlock:
    """Frames from `kept` on that a run has behind it, and what they gave."""

    running: SideRun
    kept: Snapshot
    inputs: Inputs
    found: BlockOutcome
    placed: bool = True

    @classmethod
    def run(cls, running: SideRun, inputs: Inputs, placed: bool = True) -> FrameBlock:
        """Run on over the inputs."""
        kept = running.snapshot()
        return cls(running, kept, inputs, outcome(running.advance(inputs), placed), placed)

    def again(self, frames: int) -> BlockOutcome:
        """Run the first frames again."""
        self.running.restore(self.kept)
        return outcome(self.running.advance(self.inputs[:frames]), self.placed)

    def at(self, index: int) -> SideFrame:
        """Frame number `index` of it, run again. The side is left before the frame."""
        running = self.running
        came = self.again(index)
        before = running.snapshot()
        row = self.inputs[index : index + 1]
        after = outcome(running.advance(row), self.placed)
        state = running.save() if after.trap is None else None
        hash_ = int(after.hashes[0]) if len(after.hashes) else None
        same = (
            np.array_equal(came.hashes, self.found.hashes[:index])
            and hash_ == _hash(self.found, index)
            and after.trap == (self.found.trap if hash_ is None else None)
        )
        running.restore_canonical(before.frame, before.canonical)
        alone = outcome(running.advance(row), self.placed)
        has_hidden = first_unequal(alone, after) is not None
        running.restore(before)
        return SideFrame(before, hash_, state, after.trap, row, has_hidden, same)


def _hash(found: BlockOutcome, index: int) -> int | None:
    return int(found.hashes[index]) if index < len(found.hashes) else None


def examined(a: FrameBlock, b: FrameBlock, index: int, since: int) -> FirstFrame:
    """The frame `index` of two blocks that begin at the same frame and differ there.

    Where a side is nondeterministic, another of the frames may be the first to differ when they are
    run again; that one is then given. Both sides are left before the frame.
    """
    first = a.kept.frame
    one, two = a.at(index), b.at(index)
    for _ in range(ATTEMPTS):
        if (one.hash, one.trap) != (two.hash, two.trap):
            break
        frames = len(a.inputs)
        other = first_unequal(a.again(frames), b.again(frames))
        index = index if other is None else other
        one, two = a.at(index), b.at(index)
    exact = since == first - 1
    return FirstFrame(first + index, one, two, first + index - 1 if exact else since)
