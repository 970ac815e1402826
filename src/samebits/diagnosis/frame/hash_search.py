"""The first frame in which a side's run differs from hashes that another run gave elsewhere.

Owns what is compared where hashes are missing. Memory stays within the states around one block of
frames.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass

import numpy as np

from samebits.diagnosis.frame.examine import FrameBlock, SideFrame, of_init
from samebits.diagnosis.frame.search import FrameReport, FrameSearch, blocks
from samebits.sides.run import Snapshot
from samebits.sim.outcome import TrapFact

SLOW_BLOCK = 16
"""Frames of a block where the side is slow."""


@dataclass(eq=False)
class HashSearch(FrameSearch):
    """One search. `known` are the hashes of the other side's run by frame, -1 being `init`; all or
    only some.

    `trap` is the frame in which the other run trapped, behind all hashes, and how; `portable_trap`
    puts a trap of `a` into the same words.
    """

    known: Mapping[int, int]
    _: KW_ONLY
    trap: tuple[int, TrapFact] | None = None
    portable_trap: Callable[[TrapFact], TrapFact] = lambda trap: trap

    def __post_init__(self) -> None:
        frames = sorted(frame for frame in self.known if 0 <= frame < self.inputs.frames)
        hashes = [self.known[frame] for frame in frames]
        self._ends = -1 if self.trap is None else self.trap[0]
        if 0 <= self._ends < self.inputs.frames:
            frames.append(self._ends)
            hashes.append(0)  # which no hash is compared with
        self._frames = np.array(frames, np.int64)
        self._hashes = np.array(hashes, np.uint64)

    def run(self) -> FrameReport:
        init, known = self._begin(), self.known.get(-1)
        if known is not None and (init.trap or int(init.hashes[0]) != known):
            self._found(-1, of_init(self.a, init), self._other(-1), since=-2)
        elif init.trap is not None:
            self.report.trap = init.trap.message
        else:
            self._walk()
        return self.report

    def _walk(self) -> None:
        """Run the side block by block, from the last block in which a frame agrees."""
        good, anchor = -1, self.a.snapshot()
        for at, inputs in blocks(self.inputs, SLOW_BLOCK if self.a.side.is_slow else None):
            block = self._advance(inputs)
            done = block.found
            end = at + len(done.hashes)
            low, high = np.searchsorted(self._frames, (at, end))
            frames = self._frames[low:high]
            differs = done.hashes[frames - at] != self._hashes[low:high]
            unequal = np.flatnonzero(differs | (frames == self._ends))
            agreed = frames[: unequal[0]] if len(unequal) else frames
            if len(agreed):
                good, anchor = int(agreed[-1]), block.kept
            if len(unequal):
                self._differs(anchor, good, int(frames[unequal[0]]))
                return
            self.report.compared = end
            self.progress("comparing hashes", end, self.inputs.frames)
            if done.trap is not None:
                ends_alike = self.trap == (end, self.portable_trap(done.trap))
                if high < len(self._frames) and not ends_alike:
                    self._differs(anchor, good, end)
                self.report.trap = done.trap.message
                return
            if high == len(self._frames):
                break
        self._tell_gaps()

    def _differs(self, anchor: Snapshot, good: int, bad: int) -> None:
        """Frame `bad` is the first known to differ, `good` the last known to agree, and `anchor` a
        state before both."""
        self.a.restore(anchor)
        if bad > anchor.frame:
            self.a.advance(self.inputs.between(anchor.frame, bad))
        block = FrameBlock.run(self.a, self.inputs.between(bad, bad + 1))
        self._found(bad, block.at(0), self._other(bad), good)

    def _other(self, frame: int) -> SideFrame:
        """The known facts of the other side's frame."""
        if self.trap is not None and frame == self._ends:
            return SideFrame(None, None, None, self.trap[1], None)
        return SideFrame(None, self.known.get(frame), None, None, None)

    def _tell_gaps(self) -> None:
        if len(self._frames):
            self.report.compared = int(self._frames[-1]) + 1
        if len(self._frames) < self.report.compared:
            self.report.notes.append(
                f"{len(self._frames)} of the {self.report.compared} frames have a hash to compare"
            )
