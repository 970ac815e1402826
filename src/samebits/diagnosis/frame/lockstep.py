"""The first frame in which two sides differ, both run side by side.

Owns how many frames are run, in what order, and what they are compared with. Memory stays within
the states around one block of frames, and `ANCHORS` states where a side is slow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import KW_ONLY, dataclass, replace

from samebits.bits import xxh64
from samebits.diagnosis.beyond import beyond_first_facts
from samebits.diagnosis.frame.examine import FirstFrame, FrameBlock, begun, examined, of_init
from samebits.diagnosis.frame.search import FrameReport, FrameSearch, blocks
from samebits.errors import TraceError
from samebits.frame_trace.model import Model
from samebits.frame_trace.observer import LIMIT, BoundedObserver, FrameInput
from samebits.ir.analysis.budget import Budget
from samebits.sides.run import SideRun
from samebits.sides.side import Side
from samebits.sim.inputs import Inputs
from samebits.sim.outcome import first_unequal

SLOW_OPERATIONS = 24_000_000
"""What slow sides run from the start, and then again from states spread over the run. The
interpreter and CPython do about 1.1 million operations a second: it is 20 s on the machine of 2026
that this was chosen on, for the arena 100 frames."""
REPEAT_OPERATIONS = {"slow": 2_400_000, "emulated": 1_000_000_000, "compiled": 20_000_000_000}
"""What a second run from the start may take: about 2 s, at 1.1 million operations a second, at 10
thousand million compiled, and a twentieth of that in an emulator. Where it would be more, only the
frame is run again."""
ANCHORS = 64
_PROBE_FRAMES = 4
_SLOW_BLOCK = 8


@dataclass(eq=False)
class LockstepSearch(FrameSearch):
    """One search. Where a side is too slow for all frames, some are compared from states of the
    other side. `operations` is what slow sides may run for all frames, and for some once more."""

    b: SideRun
    _: KW_ONLY
    operations: int = SLOW_OPERATIONS

    def __post_init__(self) -> None:
        self._digests: tuple[list[int], list[int]] = ([], [])
        self._sizes: list[int] = []
        self._slow = self.a.side.is_slow + self.b.side.is_slow
        self._placed = self.a.side.simulation is self.b.side.simulation

    def run(self) -> FrameReport:
        self._side_by_side()
        if self.report.found is not None and self.report.found.is_exact:
            with beyond_first_facts(self.report.notes, "whether a run comes again is"):
                self._repeat(self.report.found)
        return self.report

    def _side_by_side(self) -> None:
        outcomes = self._begin(), begun(self.b, self.inputs.seed, self._placed)
        if first_unequal(*outcomes) is not None:
            pairs = zip((self.a, self.b), outcomes, strict=True)
            self._found(-1, *(of_init(r, o) for r, o in pairs), since=-2)
            return
        if outcomes[0].trap is not None:
            self.report.trap = outcomes[0].trap.message
            return
        left, cost = self.operations, 0
        for first, rows in blocks(self.inputs, _SLOW_BLOCK if self._slow else None):
            if left < 0:
                self._spread(first)
                return
            if self._slow and not first & (first - 1):  # anew at powers of two
                cost = self._cost(rows[:1])
            left -= cost * len(rows)
            if self.advance(first, rows, since=first - 1):
                return
            self.progress("comparing frames", self.report.compared, self.inputs.frames)

    def _cost(self, row: Inputs) -> int:
        """Operations of the next frame of slow sides."""
        return self._slow * frame_operations(self.a.side, self.a.save(), row)

    def advance(self, first: int, rows: Inputs, since: int) -> bool:
        """Run both sides over the inputs; whether that ends the search. They must be at `first`.

        `since` is the last frame that is known to agree.
        """
        one, two = self._advance(rows), FrameBlock.run(self.b, rows, self._placed)
        for digests, block in zip(self._digests, (one, two), strict=True):
            digests.append(xxh64(block.found.hashes.tobytes()))
        self._sizes.append(len(rows))
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

    def _spread(self, first: int) -> None:
        """Compare a few frames here and there, from states that the other side vouches for."""
        fast = next((r for r in (self.a, self.b) if not r.side.is_slow), None)
        anchors = [] if fast is None else self._anchors(fast, first)[1:]
        left = self.operations
        for n, (frame, state) in enumerate(_spread_out(anchors)):
            if left < 0:
                break
            self.progress("trying frames further on", n, len(anchors))
            rows = self.inputs.between(frame, frame + _PROBE_FRAMES)
            for running in (self.a, self.b):
                running.restore_canonical(frame, state)
            left -= self._cost(rows[:1]) * len(rows)
            self.advance(frame, rows, since=first - 1)
            if self.report.found is not None:
                self.report.notes.append(
                    f"only frames 0 to {first - 1} were all compared; from the other side's "
                    "state this frame differs, and one before it may"
                )
                return
        self.report.notes.append(
            f"only the first {first} frames were all compared: a side is too slow for all "
            f"{self.inputs.frames}"
        )

    def _anchors(self, fast: SideRun, first: int) -> list[_Anchor]:
        """States of the fast side from frame `first` on, evenly spread."""
        anchors: list[_Anchor] = []
        every = max(1, (self.inputs.frames - first) // ANCHORS)
        for at, block in self.inputs.blocks(first):
            inputs = block.inputs[max(0, first - at) :]
            while len(inputs):
                anchors.append((fast.frame, fast.save()))
                if fast.advance(inputs[:every]).trap is not None:
                    return anchors
                inputs = inputs[every:]
        return anchors

    def _repeat(self, found: FirstFrame) -> None:
        sides = [found.a, found.b]
        before, row = found.a.before, found.a.inputs
        if before is None or row is None:
            return
        work = (found.frame + 1) * LIMIT  # which is as much as can be counted
        least = min(REPEAT_OPERATIONS[_speed(running.side)] for running in (self.a, self.b))
        if work > least:
            work = (found.frame + 1) * frame_operations(self.a.side, before.canonical, row)
        for n, running in enumerate((self.a, self.b)):
            if work <= REPEAT_OPERATIONS[_speed(running.side)] and sides[n].repeats:
                self.progress("running it again", 0, found.frame)
                sides[n] = replace(sides[n], repeats=self._comes_again(n, running))
        self.report.found = replace(found, a=sides[0], b=sides[1])
        for text, side in zip(("a", "b"), sides, strict=True):
            if side.repeats is False:
                self.report.notes.append(f"side {text} is nondeterministic: a second run differed")

    def _comes_again(self, n: int, running: SideRun) -> bool:
        """Whether a second run, with memory of its own, gives the hashes of the first."""
        with closing(running.another()) as other:
            begun(other, self.inputs.seed)
            at = 0
            for size, digest in zip(self._sizes, self._digests[n], strict=True):
                done = other.advance(self.inputs.between(at, at + size))
                if xxh64(done.hashes.tobytes()) != digest:
                    return False
                at += size
            return True


def _speed(side: Side) -> str:
    return "slow" if side.is_slow else "emulated" if side.is_emulated else "compiled"


def frame_operations(side: Side, before: bytes, row: Inputs) -> int:
    """Operations of the interpreter in the frame from a canonical state, with inputs of shape (1,
    players): by these a search stops at the same frame on every machine."""
    budget = Budget(operations=LIMIT, frame=LIMIT)
    model = replace(Model.of(side.plain), budget=budget)
    with suppress(TraceError):  # it is as much as can be counted
        FrameInput.of(model, before, row[0]).run(BoundedObserver())
    return LIMIT - max(0, budget.operations)


_Anchor = tuple[int, bytes]
"""A frame, and a canonical state before its step."""


def _spread_out(anchors: Sequence[_Anchor]) -> Iterator[_Anchor]:
    """In an order in which the first ones lie far from one another: halves, quarters, …"""
    bits = max(1, (len(anchors) - 1).bit_length())
    order = (int(f"{n:0{bits}b}"[::-1], 2) for n in range(1 << bits))
    return (anchors[n] for n in order if n < len(anchors))
