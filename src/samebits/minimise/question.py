"""The question that every shorter replay is asked: whether, and where, it still shows the same.

Owns what "the same" is: the field in which two sides differ first, whatever its indices, or the
trap that ends a run, by its kind and line. Runs are native; what a candidate shares with the best
replay so far is not run again but continued from states that are kept.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np

from samebits.errors import Trap
from samebits.sides.common_layout import common_layout
from samebits.sides.common_run import CommonRun
from samebits.sides.run import SideRun, Snapshot, open_run
from samebits.sides.side import Side
from samebits.sim.inputs import Inputs
from samebits.sim.outcome import BlockOutcome, TrapFact, first_unequal
from samebits.sim.state.difference import first_difference

BLOCK_FRAMES = 256
ANCHORS = 16
"""About how many states of the best replay are kept."""
_INDEX = re.compile(r"\[[0-9, ]+\]")


@dataclass(frozen=True, slots=True)
class Shown:
    """What a replay shows first: the frame, -1 for `init`, and what, in words that stay the same in
    a shorter replay."""

    frame: int
    what: str


class Question(ABC):
    """Runs of one or two sides from one seed. `runs` and `frames` count what was run."""

    def __init__(self, seed: int, runs: tuple[SideRun, ...]) -> None:
        self._seed, self._sides = seed, runs
        self._anchors: list[tuple[int, tuple[Snapshot, ...]]] = []
        self._every = BLOCK_FRAMES
        self.runs = self.frames = 0

    def close(self) -> None:
        """End the processes of the sides."""
        with ExitStack() as stack:
            for side in self._sides:
                stack.callback(side.close)

    def shown(self, inputs: Inputs, shared: int = 0) -> Shown | None:
        """What inputs show first, of which the first `shared` frames are those of the replay that
        was adopted last; None if nothing."""
        self.runs += 1
        at = self._resumed(shared)
        if at == 0:
            started = self._started()
            if isinstance(started, Shown):
                return started
            if not started:
                return None
        while at < len(inputs):
            end = min(at + BLOCK_FRAMES, len(inputs))
            end = min(end, shared) if at < shared else end
            self._anchor(at, shared)
            self.frames += end - at
            found = self._block(at, inputs[at:end])
            if found is not None:
                return found if isinstance(found, Shown) else None
            at = end
        return None

    def adopt(self, frames: int, shared: int) -> None:
        """Take the replay asked about last, of so many frames, for the best one."""
        self._anchors = [anchor for anchor in self._anchors if anchor[0] <= shared]
        self._every = max(1, frames // ANCHORS)

    def _resumed(self, shared: int) -> int:
        """Return to the last state that is kept of the shared frames; the frame that it precedes, 0
        where there is none."""
        fitting = [anchor for anchor in self._anchors if anchor[0] <= shared]
        if not fitting:
            return 0
        frame, snapshots = fitting[-1]
        for side, snapshot in zip(self._sides, snapshots, strict=True):
            side.restore(snapshot)
        return frame

    def _anchor(self, at: int, shared: int) -> None:
        last = self._anchors[-1][0] if self._anchors else 0
        if at <= shared and at >= last + self._every:
            self._anchors.append((at, tuple(side.snapshot() for side in self._sides)))

    def _started(self) -> Shown | bool:
        """What `init` shows; else whether the runs go on."""
        outcomes = [self._init(side) for side in self._sides]
        found = self._judged(outcomes, -1, [])
        if found is not None:
            return found
        return all(outcome.trap is None for outcome in outcomes)

    def _init(self, side: SideRun) -> BlockOutcome:
        try:
            side.start(self._seed)
        except Trap as trap:
            return BlockOutcome(np.zeros(0, np.uint64), TrapFact.of(trap))
        return BlockOutcome(np.array([side.hash()], np.uint64), None)

    def _block(self, at: int, inputs: Inputs) -> Shown | bool | None:
        """What a block of frames shows; False where a trap ends the runs; None where they go on."""
        before = [side.snapshot() for side in self._sides] if len(self._sides) > 1 else []
        outcomes: list[BlockOutcome] = []
        for side in self._sides:
            done = side.advance(inputs)
            trap = None if done.trap is None else TrapFact.of(done.trap)
            outcomes.append(BlockOutcome(done.hashes, trap))
        found = self._judged(outcomes, at, before, inputs)
        if found is not None:
            return found
        return None if all(outcome.trap is None for outcome in outcomes) else False

    @abstractmethod
    def _judged(
        self,
        outcomes: list[BlockOutcome],
        at: int,
        before: list[Snapshot],
        inputs: Inputs | None = None,
    ) -> Shown | None:
        """What the outcomes of frames from `at` on show; of `init` where there are no inputs."""


class TrapQuestion(Question):
    """The trap that ends a side's run."""

    def __init__(self, seed: int, side: Side) -> None:
        super().__init__(seed, (open_run(side),))

    def _judged(
        self,
        outcomes: list[BlockOutcome],
        at: int,
        before: list[Snapshot],
        inputs: Inputs | None = None,
    ) -> Shown | None:
        (outcome,) = outcomes
        if outcome.trap is None:
            return None
        return Shown(at + len(outcome.hashes), _told(outcome.trap))


class DifferenceQuestion(Question):
    """The first frame in which two sides differ. Versions whose states have other fields are
    compared in those that both have."""

    def __init__(self, seed: int, a: Side, b: Side) -> None:
        layout = common_layout(a.plain.state, b.plain.state)
        self._state = a.plain.state if layout is None else layout.type
        with ExitStack() as stack:
            runs: list[SideRun] = []
            for side in (a, b):
                run = open_run(side) if layout is None else CommonRun(side.next_run(), layout)
                stack.callback(run.close)
                runs.append(run)
            super().__init__(seed, tuple(runs))
            stack.pop_all()

    def _judged(
        self,
        outcomes: list[BlockOutcome],
        at: int,
        before: list[Snapshot],
        inputs: Inputs | None = None,
    ) -> Shown | None:
        first = first_unequal(*outcomes)
        if first is None:
            return None
        if first >= min(len(outcome.hashes) for outcome in outcomes):
            told = (_told(each.trap) if each.trap else "goes on" for each in outcomes)
            return Shown(at + first, f"a: {next(told)}; b: {next(told)}")
        if inputs is not None:
            for side, snapshot in zip(self._sides, before, strict=True):
                side.restore(snapshot)
                side.advance(inputs[: first + 1])
        a, b = (side.save() for side in self._sides)
        found = first_difference(self._state, a, b)
        return Shown(at + first, "bits" if found is None else _INDEX.sub("[]", found.path))


def _told(trap: TrapFact) -> str:
    return f"{trap.kind} at {trap.place}" if trap.place else trap.kind
