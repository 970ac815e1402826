"""Verification: the same inputs in every execution, hashes compared frame by frame.

Executions advance in lockstep, block by block, so that memory does not grow with the replay. The
reference for a frame is the first row that ran it and has agreed so far: managed, while it runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from samebits.errors import Trap
from samebits.sim.difference import FieldDifference, first_difference
from samebits.sim.execution import Execution
from samebits.sim.inputs import Inputs
from samebits.sim.simulation import Simulation
from samebits.sim.sources import Block, Source
from samebits.sim.targets import Row

SLOW_SECONDS = 3.0
"""How long a slow row may run before it stops at a prefix."""
SLOW_FRAMES = 30
"""Frames that a slow row runs at least."""


@dataclass(frozen=True)
class TrapFact:
    """A trap as every execution must give it: kind, place and detail."""

    kind: str
    message: str
    place: str

    @classmethod
    def of(cls, trap: Trap) -> TrapFact:
        return cls(trap.kind, trap.message, str(trap.span) if trap.span else "")


@dataclass(frozen=True)
class Divergence:
    """The first frame in which a row is not its reference's equal.

    `expected` and `found` are the hash after the frame, or what happened instead. `field` is the
    first differing field of the state, where both finished the frame; `note` says why there is
    none although both did.
    """

    frame: int
    reference: str
    expected: str
    found: str
    field: FieldDifference | None = None
    note: str | None = None


@dataclass
class RowReport:
    """What one row did. `frames` counts whole frames; `prefix` says that it stopped early to save
    time. `final_hash` is after the last of them."""

    name: str
    reason: str | None = None
    frames: int = 0
    prefix: bool = False
    final_hash: int | None = None
    trap: TrapFact | None = None
    divergence: Divergence | None = None
    seconds: float = 0.0

    @property
    def result(self) -> str:
        """`same`, `differs` or `not run`."""
        if self.divergence is not None:
            return "differs"
        return "not run" if self.reason is not None else "same"

    @property
    def frames_per_second(self) -> float | None:
        return self.frames / self.seconds if self.frames and self.seconds else None


@dataclass(eq=False)
class Outcome:
    """What a row gave for one block: a hash a whole frame, then perhaps a trap."""

    hashes: NDArray[np.uint64]
    trap: TrapFact | None

    def at(self, frame: int) -> str:
        if frame < len(self.hashes):
            return f"{int(self.hashes[frame]):016x}"
        return f"trap: {self.trap.message}" if self.trap else "nothing"

    def reaches(self, frame: int) -> bool:
        return frame < len(self.hashes) or (frame == len(self.hashes) and self.trap is not None)


def first_unequal(a: Outcome, b: Outcome) -> int | None:
    """The first frame that both reach and in which they differ."""
    shared = min(len(a.hashes), len(b.hashes))
    unequal = np.flatnonzero(a.hashes[:shared] != b.hashes[:shared])
    if len(unequal):
        return int(unequal[0])
    if a.reaches(shared) and b.reaches(shared):
        both = len(a.hashes) == len(b.hashes)
        return None if both and a.trap == b.trap else shared
    return None


_UNDETERMINED = "running up to this frame again gave equal states: something is not determined"

Progress = Callable[[str, int], None]
"""What is being done, and frames that every row has behind it."""


@dataclass(eq=False)
class _Runner:
    """A row on its way. `block_start` is its state before the block that is being compared."""

    report: RowReport
    execution: Execution
    slow: bool
    running: bool = True
    block_start: bytes = b""


@dataclass(eq=False)
class Verification:
    """One verification. `run` fills `rows`, which can be read at any time, also after a stop."""

    simulation: Simulation
    source: Source
    table: Sequence[Row]
    whole: bool = False
    """Whether slow rows run every frame too."""
    known: dict[str, dict[int, int]] = field(default_factory=dict[str, dict[int, int]])
    """Hashes by frame that were written down elsewhere (a golden file), under their name."""
    sample_every: int = 0
    """Keep the reference's hash of every so many frames in `sampled`, and of the last."""
    frames: int = 0
    sampled: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])

    def __post_init__(self) -> None:
        self.rows = [RowReport(row.name, row.reason) for row in self.table]
        self.recorded: dict[str, RowReport] = {name: RowReport(name) for name in self.known}
        self._last: tuple[int, int] | None = None

    @property
    def same(self) -> bool:
        """Whether nothing differed."""
        return all(row.divergence is None for row in (*self.rows, *self.recorded.values()))

    def run(self, progress: Progress) -> None:
        """Verify to the end. Raises CompileError, ReplayError, KeyboardInterrupt."""
        runners = self._start(progress)
        for block in self.source.blocks():
            if not any(runner.running for runner in runners):
                break
            self._block(runners, block, progress)
            progress("verifying", self.frames)
        for name, hashes in self.known.items():
            self._check_reached(name, hashes)
        if self._last is not None and self._last not in self.sampled[-1:]:
            self.sampled.append(self._last)

    def _start(self, progress: Progress) -> list[_Runner]:
        runners: list[_Runner] = []
        for row, report in zip(self.table, self.rows, strict=True):
            if row.reason is not None:
                continue
            progress(f"preparing {row.name}", 0)
            runner = _Runner(report, row.make(self.simulation), row.slow)
            try:
                runner.execution.start(self.source.seed)
            except Trap as trap:
                report.trap = TrapFact.of(trap)
                runner.running = False
            runners.append(runner)
        self._compare_starts(runners)
        return runners

    def _compare_starts(self, runners: list[_Runner]) -> None:
        """States after `init` are compared like those after a frame, as frame -1."""
        outcomes: list[tuple[_Runner, Outcome]] = []
        for runner in runners:
            trap = runner.report.trap
            hashes = [] if trap else [runner.execution.hash()]
            runner.report.final_hash = hashes[0] if hashes else None
            outcomes.append((runner, Outcome(np.array(hashes, np.uint64), trap)))
        reference = outcomes[0] if outcomes else None
        for runner, outcome in outcomes[1:]:
            assert reference is not None
            first, expected = reference
            if first_unequal(expected, outcome) is not None:
                states = [r.execution.save() for r in (first, runner)] if runner.running else []
                runner.report.divergence = Divergence(
                    -1,
                    first.report.name,
                    expected.at(0),
                    outcome.at(0),
                    first_difference(self.simulation.state_type, *states)
                    if first.running and states
                    else None,
                )

    def _block(self, runners: list[_Runner], block: Block, progress: Progress) -> None:
        first_frame = self.frames
        references: list[tuple[_Runner, Outcome]] = []
        for runner in runners:
            if not runner.running:
                continue
            outcome = self._advance(runner, block.inputs, progress)
            if runner.report.divergence is None:
                found = self._disagreement(references, outcome)
                if found is None:
                    references.append((runner, outcome))
                else:
                    other, expected, frame = found
                    self._diverged(runner, outcome, other, expected, frame, first_frame, block)
        if references:
            _, longest = max(references, key=lambda item: len(item[1].hashes))
            self._compare_known(longest, block, first_frame)
            self._sample(longest, first_frame)
        self.frames += max((len(outcome.hashes) for _, outcome in references), default=0)

    def _advance(self, runner: _Runner, inputs: Inputs, progress: Progress) -> Outcome:
        """Run a block; a slow row one frame at a time, until it has had its time."""
        report, execution = runner.report, runner.execution
        runner.block_start = execution.save()
        parts: list[NDArray[np.uint64]] = []
        trap: Trap | None = None
        stretch = 1 if runner.slow else len(inputs)
        for first in range(0, len(inputs), stretch):
            if runner.slow and not self.whole and _had_its_time(report):
                report.prefix = True
                runner.running = False
                break
            began = time.perf_counter()
            done = execution.advance(inputs[first : first + stretch])
            report.seconds += time.perf_counter() - began
            report.frames += len(done.hashes)
            parts.append(done.hashes)
            trap = done.trap
            if trap is not None:
                runner.running = False
                break
            if runner.slow:
                progress(f"running {report.name}", self.frames)
        hashes = np.concatenate(parts) if parts else np.zeros(0, np.uint64)
        if len(hashes):
            report.final_hash = int(hashes[-1])
        if trap is not None:
            report.trap = TrapFact.of(trap)
        return Outcome(hashes, report.trap if trap is not None else None)

    def _disagreement(
        self, references: list[tuple[_Runner, Outcome]], outcome: Outcome
    ) -> tuple[_Runner, Outcome, int] | None:
        """The earliest frame in which an agreeing row differs from `outcome`, and that row."""
        earliest: tuple[_Runner, Outcome, int] | None = None
        for runner, expected in references:
            frame = first_unequal(expected, outcome)
            if frame is not None and (earliest is None or frame < earliest[2]):
                earliest = runner, expected, frame
        return earliest

    def _diverged(
        self,
        runner: _Runner,
        outcome: Outcome,
        other: _Runner,
        expected: Outcome,
        frame: int,
        first_frame: int,
        block: Block,
    ) -> None:
        difference, note = None, None
        if frame < min(len(outcome.hashes), len(expected.hashes)):
            inputs = block.inputs[: frame + 1]
            states = [_state_after(r, inputs) for r in (other, runner)]
            difference = first_difference(self.simulation.state_type, *states)
            if difference is None:
                note = _UNDETERMINED
        runner.report.divergence = Divergence(
            first_frame + frame,
            other.report.name,
            expected.at(frame),
            outcome.at(frame),
            difference,
            note,
        )

    def _compare_known(self, outcome: Outcome, block: Block, first_frame: int) -> None:
        """Compare hashes that others wrote down with the reference's."""
        if block.hashes is not None:
            report = self.recorded.setdefault("recorded", RowReport("recorded"))
            written = Outcome(block.hashes, None)
            self._compare_written(report, written, outcome, first_frame)
        for name, hashes in self.known.items():
            report = self.recorded[name]
            for i in range(len(outcome.hashes)):
                value = hashes.get(first_frame + i)
                if value is not None:
                    one = Outcome(np.array([value], np.uint64), None)
                    mine = Outcome(outcome.hashes[i : i + 1], None)
                    self._compare_written(report, one, mine, first_frame + i)

    def _compare_written(
        self, report: RowReport, written: Outcome, outcome: Outcome, first_frame: int
    ) -> None:
        compared = min(len(written.hashes), len(outcome.hashes))
        report.frames += compared
        if compared:
            report.final_hash = int(written.hashes[compared - 1])
        frame = first_unequal(outcome, written)
        if frame is not None and report.divergence is None:
            report.divergence = Divergence(
                first_frame + frame, "all", outcome.at(frame), written.at(frame)
            )

    def _check_reached(self, name: str, hashes: dict[int, int]) -> None:
        """A golden file that goes on after the run has ended does not hold either."""
        ended = self.frames == self.source.frames or any(row.trap for row in self.rows)
        behind = [frame for frame in hashes if frame >= self.frames] if ended else []
        report = self.recorded[name]
        if behind and report.divergence is None:
            report.divergence = Divergence(
                min(behind), "all", "nothing", f"{hashes[min(behind)]:016x}"
            )

    def _sample(self, outcome: Outcome, first_frame: int) -> None:
        if not self.sample_every:
            return
        for i, value in enumerate(outcome.hashes):
            self._last = first_frame + i, int(value)
            if self._last[0] % self.sample_every == 0:
                self.sampled.append(self._last)


def _had_its_time(report: RowReport) -> bool:
    return report.frames >= SLOW_FRAMES and report.seconds >= SLOW_SECONDS


def _state_after(runner: _Runner, inputs: Inputs) -> bytes:
    """The runner's state after frames of the block; its present state stays as it is."""
    present = runner.execution.save()
    try:
        runner.execution.restore(runner.block_start)
        runner.execution.advance(inputs)
        return runner.execution.save()
    finally:
        runner.execution.restore(present)
