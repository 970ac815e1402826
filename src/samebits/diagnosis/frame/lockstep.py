"""The first frame in which two sides differ, both run side by side.

Owns how many frames are run, in what order, and what they are compared with. Memory stays within
the states around one stretch of frames, and `ANCHORS` states where a side is slow.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from samebits.bits import xxh64
from samebits.diagnosis.beyond import beyond_first_facts
from samebits.diagnosis.frame.examine import (
    FirstFrame,
    Stretch,
    begun,
    examined,
    of_init,
    outcome,
)
from samebits.diagnosis.frame.recorded import Recorded
from samebits.sides.input_stream import InputStream
from samebits.sides.run import SideRun, open_run
from samebits.sim.inputs import Inputs
from samebits.sim.outcome import first_unequal

Progress = Callable[[str, int, int], None]
"""What is being done, frames behind it, and frames in all."""

SLOW_SECONDS = 20.0
"""How long a slow side runs from the start, and then again from states spread over the run."""
REPEAT_SECONDS = 2.0
"""What a second run from the start may cost; where the first cost more, only the frame is run
again."""
ANCHORS = 64
_PROBE_FRAMES = 4
_SLOW_STRETCH = 8


@dataclass(eq=False)
class FrameReport:
    """What a search has found. `compared` is how many frames from the first on were compared."""

    compared: int = 0
    found: FirstFrame | None = None
    inputs_differ: int | None = None
    """The first frame whose inputs are not the same on both sides."""
    trap: str | None = None
    """The trap that both runs end with, if they do."""
    notes: list[str] = field(default_factory=list[str])


@dataclass(eq=False)
class FrameSearch:
    """One search. `inputs_b` are those of `b` where they are others than `a`'s.

    `keyframes` are canonical states before the steps of frames, that somebody vouches for: where
    a side is too slow for all frames, some are compared from there. Without them, states of the
    other side serve. `recorded` is what the states of `a` are shown to.
    """

    a: SideRun
    b: SideRun
    inputs: InputStream
    inputs_b: InputStream | None = None
    keyframes: Sequence[tuple[int, bytes]] = ()
    seconds: float = SLOW_SECONDS
    progress: Progress = lambda what, done, total: None
    recorded: Recorded | None = None

    def __post_init__(self) -> None:
        self.report = FrameReport()
        self._digests: tuple[list[int], list[int]] = ([], [])
        self._sizes: list[int] = []
        self._spent = [0.0, 0.0]
        self._placed = self.a.side.simulation is self.b.side.simulation

    def run(self) -> FrameReport:
        """Search. Both sides are left before the frame that is found. Raises RunnerError, and
        what inputs raise."""
        self._side_by_side()
        if self.report.found is not None and self.report.found.is_exact:
            with beyond_first_facts(self.report.notes, "whether a run comes again is"):
                self._repeat(self.report.found)
        return self.report

    # -- both run -----------------------------------------------------------------------------

    def _side_by_side(self) -> None:
        outcomes = (
            begun(self.a, self.inputs.seed, self._placed),
            begun(self.b, self._inputs_b.seed, self._placed),
        )
        if self.recorded is not None:
            self.recorded.see(0, outcomes[0].hashes)
        if first_unequal(*outcomes) is not None:
            pairs = zip((self.a, self.b), outcomes, strict=True)
            self.report.found = FirstFrame(-1, *(of_init(r, o) for r, o in pairs), since=-2)
            return
        if outcomes[0].trap is not None:
            self.report.trap = outcomes[0].trap.message
            return
        slow = self.a.side.is_slow or self.b.side.is_slow
        end = time.perf_counter() + self.seconds if slow else float("inf")
        for first, rows in self._pairs(_SLOW_STRETCH if slow else None):
            if time.perf_counter() > end:
                self._spread(first)
                return
            if self.stretch(first, rows, since=first - 1):
                return
            self.progress("comparing frames", self.report.compared, self.inputs.frames)

    @property
    def _inputs_b(self) -> InputStream:
        return self.inputs_b or self.inputs

    def _pairs(self, most: int | None) -> Iterator[tuple[int, tuple[Inputs, Inputs]]]:
        """Stretches of both sides' inputs, of at most so many frames."""
        for at, block in self.inputs.blocks():
            mine = theirs = block.inputs
            if self.inputs_b is not None:
                theirs = self.inputs_b.between(at, at + len(mine))
                mine = mine[: len(theirs)]
            size = most or max(1, len(mine))
            for first in range(0, len(mine), size):
                part = slice(first, first + size)
                yield at + first, (mine[part], theirs[part])

    def stretch(self, first: int, rows: tuple[Inputs, Inputs], since: int) -> bool:
        """Run both sides over the inputs; whether that ends the search. They must be at `first`.

        `since` is the last frame that is known to agree.
        """
        stretches: list[Stretch] = []
        for n, (running, inputs) in enumerate(zip((self.a, self.b), rows, strict=True)):
            kept = running.snapshot()
            began = time.perf_counter()
            done = outcome(running.advance(inputs), self._placed)
            self._spent[n] += time.perf_counter() - began
            self._digests[n].append(xxh64(done.hashes.tobytes()))
            if n == 0 and self.recorded is not None and since == first - 1:
                self.recorded.see(first + 1, done.hashes)
                if done.trap is not None:
                    self.recorded.see_trap(done.trap.message)
            stretches.append(Stretch(running, kept, inputs, done, self._placed))
        self._sizes.append(len(rows[0]))
        self._compare_inputs(first, rows)
        one, two = stretches
        index = first_unequal(one.found, two.found)
        if index is None:
            if since == first - 1:
                self.report.compared = first + len(one.found.hashes)
            self.report.trap = one.found.trap and one.found.trap.message
            return one.found.trap is not None
        self.progress("looking at the frame", first + index, self.inputs.frames)
        if since == first - 1:
            self.report.compared = first + index + 1
        self.report.found = examined(one, two, index, since)
        return True

    def _compare_inputs(self, first: int, rows: tuple[Inputs, Inputs]) -> None:
        mine, theirs = rows
        if mine is theirs or self.report.inputs_differ is not None:
            return
        for i, (x, y) in enumerate(zip(mine, theirs, strict=True)):
            if x.tobytes() != y.tobytes():
                self.report.inputs_differ = first + i
                return

    # -- a side that is too slow --------------------------------------------------------------

    def _spread(self, first: int) -> None:
        """Compare a few frames here and there, from states that the other side vouches for."""
        anchors = [Anchor(frame, state) for frame, state in self.keyframes if frame > first]
        if not anchors:
            fast = next((r for r in (self.a, self.b) if not r.side.is_slow), None)
            if fast is None:
                self._gave_up(first)
                return
            anchors = self._anchors(fast, first)[1:]
        end = time.perf_counter() + self.seconds
        for n, anchor in enumerate(_spread_out(anchors)):
            if time.perf_counter() > end:
                break
            self.progress("trying frames further on", n, len(anchors))
            rows = self.inputs.between(anchor.frame, anchor.frame + _PROBE_FRAMES)
            theirs = self._inputs_b.between(anchor.frame, anchor.frame + len(rows))
            if not len(theirs):
                continue
            for running in (self.a, self.b):
                running.restore_canonical(anchor.frame, anchor.state)
            self.stretch(anchor.frame, (rows[: len(theirs)], theirs), since=first - 1)
            if self.report.found is not None:
                self.report.notes.append(
                    f"only frames 0 to {first - 1} were all compared; from the other side's "
                    "state this frame differs, and one before it may"
                )
                return
        self._gave_up(first)

    def _gave_up(self, first: int) -> None:
        self.report.notes.append(
            f"only the first {first} frames were all compared: a side is too slow for all "
            f"{self.inputs.frames}"
        )

    def _anchors(self, fast: SideRun, first: int) -> list[Anchor]:
        """States of the fast side from frame `first` on, evenly spread."""
        anchors: list[Anchor] = []
        every = max(1, (self.inputs.frames - first) // ANCHORS)
        stream = self.inputs if fast is self.a else self._inputs_b
        for at, block in stream.blocks(first):
            inputs = block.inputs[max(0, first - at) :]
            while len(inputs):
                anchors.append(Anchor(fast.frame, fast.save()))
                if fast.advance(inputs[:every]).trap is not None:
                    return anchors
                inputs = inputs[every:]
        return anchors

    # -- whether a run comes again ------------------------------------------------------------

    def _repeat(self, found: FirstFrame) -> None:
        sides = [found.a, found.b]
        for n, running in enumerate((self.a, self.b)):
            if found.frame >= 0 and self._spent[n] <= REPEAT_SECONDS and sides[n].repeats:
                self.progress("running it again", 0, found.frame)
                sides[n] = replace(sides[n], repeats=self._comes_again(n, running))
        self.report.found = replace(found, a=sides[0], b=sides[1])
        for text, side in zip(("a", "b"), sides, strict=True):
            if side.repeats is False:
                self.report.notes.append(f"side {text} is not determined: a second run differed")

    def _comes_again(self, n: int, running: SideRun) -> bool:
        """Whether a second run, with memory of its own, gives the hashes of the first."""
        stream = self.inputs if n == 0 else self._inputs_b
        other = open_run(running.side)
        try:
            begun(other, stream.seed)
            at = 0
            for size, digest in zip(self._sizes, self._digests[n], strict=True):
                done = other.advance(stream.between(at, at + size))
                if xxh64(done.hashes.tobytes()) != digest:
                    return False
                at += size
            return True
        finally:
            other.close()


@dataclass(frozen=True, eq=False, slots=True)
class Anchor:
    """A canonical state before the step of a frame."""

    frame: int
    state: bytes


def _spread_out(anchors: Sequence[Anchor]) -> Iterator[Anchor]:
    """In an order in which the first ones lie far from one another: halves, quarters, …"""
    bits = max(1, (len(anchors) - 1).bit_length())
    order = (int(f"{n:0{bits}b}"[::-1], 2) for n in range(1 << bits))
    return (anchors[n] for n in order if n < len(anchors))
