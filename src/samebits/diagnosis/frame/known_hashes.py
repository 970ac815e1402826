"""The first frame in which a side's run differs from hashes that another run gave elsewhere.

Owns what is run where hashes are missing: between two of them, the other side too, if it can run
here. Memory stays within the states around one block of frames.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from samebits.bits import xxh64
from samebits.diagnosis.frame.examine import FirstFrame, SideFrame, Stretch, begun, of_init, outcome
from samebits.diagnosis.frame.lockstep import FrameReport, FrameSearch, Progress
from samebits.diagnosis.frame.recorded import Recorded
from samebits.sides.input_stream import InputStream
from samebits.sides.run import SideRun, Snapshot
from samebits.sim.inputs import Inputs
from samebits.sim.outcome import TrapFact

SLOW_BLOCK = 16
"""Frames that a slow side runs at a stretch."""


@dataclass(frozen=True, eq=False, slots=True)
class _Check:
    """A keyframe, and the first frame from there on after which a hash is known."""

    start: tuple[int, bytes]
    frame: int
    hash: int


@dataclass(eq=False)
class KnownSearch:
    """One search. `known` are the hashes of the other side's run by frame, -1 being `init`; all or
    only some. `b` is that side where it can run here.

    `keyframes` are canonical states of `a` before the steps of frames, that somebody vouches for,
    in order: where `a` is slow, it is run from these, and only as far as a bisection needs.

    `trap` is the frame in which the other run trapped, behind all hashes, and how; `as_told` puts a
    trap of `a` into the same words.
    """

    a: SideRun
    known: Mapping[int, int]
    inputs: InputStream
    b: SideRun | None = None
    keyframes: Sequence[tuple[int, bytes]] = ()
    progress: Progress = lambda what, done, total: None
    trap: tuple[int, TrapFact] | None = None
    as_told: Callable[[TrapFact], TrapFact] = lambda trap: trap
    recorded: Recorded | None = None
    """What the states of `a` are shown to."""
    report: FrameReport = field(default_factory=FrameReport)

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
        """Search. The sides that ran are left before the frame that is found. Raises RunnerError,
        and what inputs raise."""
        init = begun(self.a, self.inputs.seed)
        if self.recorded is not None:
            self.recorded.see(0, init.hashes)
        recorded = self.known.get(-1)
        if recorded is not None and (init.trap or int(init.hashes[0]) != recorded):
            self._report(-1, of_init(self.a, init), _hash_alone(recorded), -2)
        elif init.trap is not None:
            self.report.trap = init.trap.message
        elif self.a.side.is_slow and self.keyframes:
            self._from_keyframes()
        else:
            self._walk()
        return self.report

    def _walk(self, good: int = -1) -> None:
        """Run `a` on from where it is, block by block, `good` being the last frame that agrees."""
        anchor = self.a.snapshot()
        for at, inputs in self._blocks(self.a.frame):
            kept = self.a.snapshot()
            done = outcome(self.a.advance(inputs))
            if self.recorded is not None:
                self.recorded.see(at + 1, done.hashes)
                if done.trap is not None:
                    self.recorded.see_trap(done.trap.message)
            end = at + len(done.hashes)
            low, high = np.searchsorted(self._frames, (at, end))
            frames = self._frames[low:high]
            differs = done.hashes[frames - at] != self._hashes[low:high]
            unequal = np.flatnonzero(differs | (frames == self._ends))
            agreed = frames[: unequal[0]] if len(unequal) else frames
            if len(agreed):
                good, anchor = int(agreed[-1]), kept
            if len(unequal):
                self._found(anchor, good, int(frames[unequal[0]]))
                return
            self.report.compared = end
            self.progress("comparing hashes", end, self.inputs.frames)
            if done.trap is not None:
                if high < len(self._frames) and not self._ends_alike(end, done.trap):
                    self._found(anchor, good, end)
                self.report.trap = done.trap.message
                return
            if high == len(self._frames):
                break
        self._tell_gaps()

    def _ends_alike(self, frame: int, trap: TrapFact) -> bool:
        return self.trap is not None and self.trap == (frame, self.as_told(trap))

    def _blocks(self, first: int) -> Iterator[tuple[int, Inputs]]:
        for at, block in self.inputs.blocks(first):
            begin, end = max(0, first - at), len(block.inputs)
            size = SLOW_BLOCK if self.a.side.is_slow else end
            for n in range(begin, end, size):
                yield at + n, block.inputs[n : n + size]

    def _from_keyframes(self) -> None:
        """Find by bisection between which keyframes `a` begins to differ, for it goes on to, and
        run it there alone."""
        checks = [self._check(frame, state) for frame, state in self.keyframes]
        known = [check for check in checks if check is not None]
        wrong = bisect_left(known, True, key=self._is_wrong)
        start, good = (known[wrong - 1].start, known[wrong - 1].frame) if wrong else (None, -1)
        if start is None:
            begun(self.a, self.inputs.seed)
        else:
            self.a.restore_canonical(*start)
        if wrong > 1:
            self.report.notes.append(f"hashes before frame {good} were compared at keyframes alone")
        self._walk(good)

    def _check(self, frame: int, state: bytes) -> _Check | None:
        """The first known hash that a keyframe leads to."""
        index = int(np.searchsorted(self._frames, frame - 1))
        if index == len(self._frames) or self._frames[index] == self._ends:
            return None
        return _Check((frame, state), int(self._frames[index]), int(self._hashes[index]))

    def _is_wrong(self, check: _Check) -> bool:
        frame, state = check.start
        self.progress("bisecting", frame, self.inputs.frames)
        if check.frame == frame - 1:
            return xxh64(state) != check.hash
        self.a.restore_canonical(frame, state)
        done = self.a.advance(self.inputs.between(frame, check.frame + 1))
        return done.trap is not None or int(done.hashes[-1]) != check.hash

    def _found(self, anchor: Snapshot, good: int, bad: int) -> None:
        """`a` has the hash after frame `good`, and not that after `bad`."""
        self.report.compared = bad + 1
        self.progress("looking at the frame", bad, self.inputs.frames)
        a = self.a
        a.restore(anchor)
        if good + 1 > anchor.frame:
            a.advance(self.inputs.between(anchor.frame, good + 1))
        if self.b is not None and self._between(self.b, good, bad):
            return
        if bad > a.frame:
            a.advance(self.inputs.between(a.frame, bad))
        row = self.inputs.between(bad, bad + 1)
        stretch = Stretch(a, a.snapshot(), row, outcome(a.advance(row)))
        self._report(bad, stretch.at(0), self._other(bad), good)

    def _other(self, frame: int) -> SideFrame:
        """What is known of the other side's frame."""
        if self.trap is not None and frame == self._ends:
            return SideFrame(None, None, None, self.trap[1], None)
        return _hash_alone(self.known.get(frame))

    def _between(self, b: SideRun, good: int, bad: int) -> bool:
        """Run both sides from the state that they share; whether they differ before `bad` or there.
        Otherwise `a` is where it was."""
        start = self.a.snapshot()
        b.restore_canonical(start.frame, start.canonical)
        search = FrameSearch(self.a, b, self.inputs, progress=self.progress)
        rows = self.inputs.between(good + 1, bad + 1)
        search.stretch(good + 1, (rows, rows), since=good)
        found = search.report.found
        if found is None:
            self.report.notes.append(
                f"side b, run here from frame {good + 1}, gives the bits of side a: what gave the "
                "other hashes is not reproduced"
            )
            self.a.restore(start)
            return False
        self.report.found = found
        recorded = self.known.get(found.frame)
        if found.frame == bad and recorded is not None and found.b.hash != recorded:
            self.report.notes.append(
                f"side b, run here, gives {found.b.shown()} in frame {bad}, and gave "
                f"{recorded:016x}"
            )
        return True

    def _report(self, frame: int, a: SideFrame, b: SideFrame, since: int) -> None:
        self.report.found = FirstFrame(frame, a, b, since)
        self.report.compared = frame + 1

    def _tell_gaps(self) -> None:
        if len(self._frames):
            self.report.compared = int(self._frames[-1]) + 1
        if len(self._frames) < self.report.compared:
            self.report.notes.append(
                f"{len(self._frames)} of the {self.report.compared} frames have a hash to compare"
            )


def _hash_alone(value: int | None) -> SideFrame:
    return SideFrame(None, value, None, None, None)
