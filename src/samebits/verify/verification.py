"""Verification: runs the same inputs in every execution and compares hashes frame by frame.

Executions advance in lockstep, block by block, so that memory does not grow with the replay. The
reference for a frame is the first row that ran it and has agreed so far: managed, while it runs.
Emulated rows work in processes of their own, several at a time, while others run here.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from samebits.errors import RunnerError, Trap
from samebits.lang.signal_safe import keeps_flags
from samebits.printed import muted
from samebits.runtime.threads.time_limit import TimeOver, within
from samebits.sim.execution import Execution
from samebits.sim.inputs import Inputs
from samebits.sim.outcome import (
    BlockOutcome,
    Divergence,
    RowReport,
    TrapFact,
    compared,
    first_unequal,
)
from samebits.sim.simulation import Simulation
from samebits.sim.sources import InputBlock, InputSource
from samebits.sim.state.difference import first_difference
from samebits.verify.executions import Row

SLOW_SECONDS = 3.0
"""Seconds that a slow row may run before it stops early."""
SLOW_FRAMES = 30
"""The fewest frames that a slow row runs."""
EMULATED_FRAMES = 1800
"""The most frames that an emulated row runs: half a minute at 60 a second."""
EMULATED_SECONDS = 5.0
"""Seconds that an emulated row may run before it stops earlier."""
_STRETCH_SECONDS = 0.2
"""Approximate longest time of one call of an emulated row, in seconds."""

_UNDETERMINED = "running up to this frame again gave equal states: a run is not deterministic"

Progress = Callable[[str, int], None]
"""Receives the current step, and how many frames all rows have finished."""
T = TypeVar("T")
RowProgress = Callable[[str, int], None]
"""Receives an emulated row's name and its finished frames. Called from several threads."""


@dataclass(eq=False)
class _RowRun:
    """A row that runs. `block_start` is its state before the block that is being compared."""

    row: Row
    report: RowReport
    execution: Execution | None = None
    running: bool = False
    start: BlockOutcome | None = None
    block_start: bytes = b""
    stretch: int = 1
    spent: float = 0.0
    """Seconds that the row has run."""

    @property
    def at(self) -> Execution:
        assert self.execution is not None
        return self.execution

    def limited(self, limit: float | None, run: Callable[[], T]) -> T:
        """The result of `run()`. Raises TimeOver if this row has then run for more than `limit`
        seconds in all."""
        began = time.perf_counter()
        left = None if limit is None else limit - self.spent
        try:
            if left is None or not self.row.emulated:
                return within(left, run)
            return self._ended_after(left, run)
        finally:
            self.spent += time.perf_counter() - began

    def _ended_after(self, seconds: float, run: Callable[[], T]) -> T:
        """As `within`, for a row in a process of its own."""
        over = threading.Event()

        def end() -> None:
            over.set()
            self.at.close()

        timer = threading.Timer(max(0.0, seconds), end)
        timer.start()
        try:
            return run()
        except RunnerError:
            if over.is_set():
                raise TimeOver from None
            raise
        finally:
            timer.cancel()
            timer.join()

    def overdue(self, limit: float | None) -> None:
        """Report the row as not run, because of the time limit."""
        self.report.reason, self.report.overdue = f"over {limit:g} s", True
        self.running = False
        self.start = None
        if self.execution is not None:
            self.execution.close()

    def failed(self, error: RunnerError) -> None:
        """Report the failure in the row and drop the row."""
        self.report.failure = f"{error.message} ({error.note})" if error.note else error.message
        self.running = False
        if self.execution is not None:
            self.execution.close()


@dataclass(eq=False)
class Verification:
    """One verification. `run` fills `rows`, which can be read at any time, even after a stop."""

    simulation: Simulation
    source: InputSource
    table: Sequence[Row]
    whole: bool = False
    """Whether slow and emulated rows run every frame."""
    known: dict[str, dict[int, int]] = field(default_factory=dict[str, dict[int, int]])
    """Hashes by frame that were recorded elsewhere (a golden file), by the name of the source."""
    sample_every: int = 0
    """Store the reference's hash of every n-th frame, and of the last, in `sampled`."""
    frames: int = 0
    sampled: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    keep_hashes: bool = False
    """Store the reference's hashes of every frame in `hashes`, those of a block together."""
    hashes: list[NDArray[np.uint64]] = field(default_factory=list[NDArray[np.uint64]])
    start_hash: int | None = None
    """The hash of the reference's state after `init`, unless a trap ended it."""
    timeout: float | None = None
    """Seconds after which a row is stopped; it counts as not run."""

    def __post_init__(self) -> None:
        self.rows = [RowReport(row.name, row.reason) for row in self.table]
        self.recorded: dict[str, RowReport] = {name: RowReport(name) for name in self.known}
        self.show_row: RowProgress = lambda name, frames: None
        self._last: tuple[int, int] | None = None
        self._open: list[Execution] = []
        self._stopping = False
        self._pool = ThreadPoolExecutor(os.cpu_count() or 1, "samebits-emulated")
        self._progress: Progress = lambda what, frames: None

    @property
    def result(self) -> str:
        """`differs` if any row does, `failed` if a program did, `not compared` if a row or recorded
        hashes had nothing to be compared with, `not run` if a row was stopped by the time limit, or
        `same`."""
        results = [row.result for row in (*self.rows, *self.recorded.values())]
        bad = next((r for r in ("differs", "failed", "not compared") if r in results), None)
        if bad is None and any(row.overdue for row in self.rows):
            return "not run"
        return bad or ("same" if "same" in results else "not compared")

    def _repr_html_(self) -> str:
        """What notebooks show: a row for each execution."""
        from samebits.sim.notebook import table

        rows = [
            (row.name, f"{row.frames:,}", _hexadecimal(row.final_hash), row.result,
             row.failure or row.reason or "")
            for row in (*self.rows, *self.recorded.values())
        ]  # fmt: skip
        titles = ("target", "frames", "final hash", "result", "")
        return table(f"{self.simulation.name}: {self.result}", [titles, *rows])

    @property
    def same(self) -> bool:
        """Whether something was compared, nothing differed, and no program failed."""
        return self.result == "same"

    @keeps_flags
    def run(self, progress: Progress) -> None:
        """Verify to the end. Raises CompileError, ReplayError, KeyboardInterrupt. All programs that
        it started have ended when it returns or raises."""
        self._progress = progress
        try:
            with muted():
                self._run()
        finally:
            self._stopping = True
            try:
                self._end()
            except BaseException:  # Ctrl-C while it ends: still end everything
                self._end()
                raise

    def _failed(self, runner: _RowRun, error: RunnerError) -> None:
        if not self._stopping:  # programs that this object has ended did not fail
            runner.failed(error)

    def _end(self) -> None:
        # Twice: first what workers wait for, then what they have started meanwhile.
        self._close()
        self._pool.shutdown(cancel_futures=True)
        self._close()

    def _close(self) -> None:
        for execution in self._open:
            execution.close()

    def _run(self) -> None:
        runners = self._start()
        for block in self.source.blocks():
            if not any(runner.running for runner in runners):
                break
            self._block(runners, block)
            self._progress("verifying", self.frames)
        for name, hashes in self.known.items():
            self._check_reached(name, hashes)
        if self._last is not None and self._last not in self.sampled[-1:]:
            self.sampled.append(self._last)

    def _start(self) -> list[_RowRun]:
        rewritten = self.simulation.program.rewritten  # compiled once, before the threads start
        pairs = list(zip(self.table, self.rows, strict=True))
        if rewritten is not None:
            for row, report in pairs:
                if row.follows_source and report.reason is None:
                    report.reason = (
                        f"'{rewritten}' is DETERMINISTIC: its rewritten operations are evaluate's"
                    )
        runners = [_RowRun(row, report) for row, report in pairs if report.reason is None]
        started = [self._pool.submit(self._begin, r) for r in runners if r.row.emulated]
        for runner in runners:
            if not runner.row.emulated:
                self._progress(f"preparing {runner.report.name}", 0)
                self._begin(runner)
        self._progress("preparing emulated targets", 0)
        _wait(started)
        self._compare_starts(runners)
        return runners

    def _begin(self, runner: _RowRun) -> None:
        """Create the row's execution and its state after `init`."""
        try:
            execution = runner.execution = runner.row.make(self.simulation)
            self._open.append(execution)
            if self._stopping:
                return
            try:
                runner.limited(self.timeout, lambda: execution.start(self.source.seed))
            except TimeOver:
                runner.overdue(self.timeout)
                return
            except Trap as trap:
                runner.report.trap = TrapFact.of(trap)
                runner.start = BlockOutcome(np.zeros(0, np.uint64), runner.report.trap)
                return
            runner.report.final_hash = value = execution.hash()
            runner.start = BlockOutcome(np.array([value], np.uint64), None)
            runner.running = True
        except RunnerError as error:
            self._failed(runner, error)

    def _compare_starts(self, runners: list[_RowRun]) -> None:
        """Compare the states after `init`, as frame -1."""
        outcomes = [(runner, runner.start) for runner in runners if runner.start is not None]
        reference = outcomes[0] if outcomes else None
        if reference is not None and len(reference[1].hashes):
            self.start_hash = int(reference[1].hashes[0])
        for runner, outcome in outcomes[1:]:
            assert reference is not None
            first, expected = reference
            if expected.trap is not None and outcome.trap is not None:
                first.report.compared = runner.report.compared = 1
            if first_unequal(expected, outcome) is None:
                continue
            difference = None
            if first.running and runner.running:
                try:
                    states = [r.at.save() for r in (first, runner)]
                except RunnerError as error:
                    self._failed(runner, error)
                    continue
                difference = first_difference(self.simulation.state_type, *states)
            runner.report.divergence = Divergence(
                -1, first.report.name, expected.at(0), outcome.at(0), difference
            )

    def _block(self, runners: list[_RowRun], block: InputBlock) -> None:
        references: list[tuple[_RowRun, BlockOutcome]] = []
        for runner, outcome in self._outcomes(runners, block.inputs):
            for other, expected in references:
                self._count(compared(expected, outcome), other.report, runner.report)
            if runner.report.divergence is None:
                found = _disagreement(references, outcome)
                if found is None:
                    references.append((runner, outcome))
                else:
                    self._diverged(runner, outcome, *found, block.inputs)
        if references:
            _, longest = max(references, key=lambda item: len(item[1].hashes))
            reached = self._compare_known(longest, block)
            for runner, outcome in references:
                self._count(min(reached, len(outcome.hashes)), runner.report)
            self._sample(longest)
            if self.keep_hashes:
                self.hashes.append(longest.hashes)
        self.frames += max((len(outcome.hashes) for _, outcome in references), default=0)

    def _outcomes(
        self, runners: list[_RowRun], inputs: Inputs
    ) -> list[tuple[_RowRun, BlockOutcome]]:
        """The outcome of a block in every row that still runs, in the table's order."""
        running = [runner for runner in runners if runner.running]
        found: dict[_RowRun, BlockOutcome] = {}

        def advance(runner: _RowRun) -> None:
            try:
                found[runner] = self._advance(runner, inputs)
            except RunnerError as error:
                self._failed(runner, error)

        # Fast rows run alone, so that their speed can be measured; slow ones beside emulated ones.
        here = [runner for runner in running if not runner.row.emulated]
        for runner in here:
            if not runner.row.slow:
                advance(runner)
        started = [self._pool.submit(advance, runner) for runner in running if runner.row.emulated]
        for runner in here:
            if runner.row.slow:
                advance(runner)
        _wait(started)
        return [(runner, found[runner]) for runner in running if runner in found]

    def _advance(self, runner: _RowRun, inputs: Inputs) -> BlockOutcome:
        """Run a block: a slow row frame by frame, an emulated one in short calls, until its time is
        up."""
        report, execution, row = runner.report, runner.at, runner.row
        runner.block_start = execution.save()
        parts: list[NDArray[np.uint64]] = []
        trap: Trap | None = None
        first = 0
        while first < len(inputs) and trap is None:
            if not self.whole and _time_is_up(row, report):
                report.prefix = True
                runner.running = False
                break
            count = _stretch(runner, len(inputs) - first, self.whole)
            began = time.perf_counter()
            part = inputs[first : first + count]
            try:
                done = runner.limited(self.timeout, lambda part=part: execution.advance(part))
            except TimeOver:
                runner.overdue(self.timeout)  # what it did until then is compared
                break
            seconds = time.perf_counter() - began
            frames, value = report.frames + len(done.hashes), report.final_hash
            if len(done.hashes):
                value = int(done.hashes[-1])
            # No call, so that Ctrl-C leaves the hash of the last frame.
            report.seconds += seconds
            report.frames, report.final_hash = frames, value
            parts.append(done.hashes)
            trap = done.trap
            first += count
            if row.emulated:
                runner.stretch *= 4 if seconds < _STRETCH_SECONDS / 4 else 1
                self.show_row(report.name, report.frames)
            elif row.slow:
                self._progress(f"running {report.name}", self.frames)
        hashes = np.concatenate(parts) if parts else np.zeros(0, np.uint64)
        if trap is not None:
            runner.running = False
            report.trap = TrapFact.of(trap)
        return BlockOutcome(hashes, report.trap if trap is not None else None)

    def _diverged(
        self,
        runner: _RowRun,
        outcome: BlockOutcome,
        other: _RowRun,
        expected: BlockOutcome,
        frame: int,
        inputs: Inputs,
    ) -> None:
        difference, note = None, None
        if frame < min(len(outcome.hashes), len(expected.hashes)):
            try:
                states = [_state_after(r, inputs[: frame + 1]) for r in (other, runner)]
                difference = first_difference(self.simulation.state_type, *states)
                note = _UNDETERMINED if difference is None else None
            except RunnerError as error:
                note = f"its state is unknown: {error.message}"
        runner.report.divergence = Divergence(
            self.frames + frame,
            other.report.name,
            expected.at(frame),
            outcome.at(frame),
            difference,
            note,
        )

    def _compare_known(self, outcome: BlockOutcome, block: InputBlock) -> int:
        """Compare recorded hashes with the reference's; returns how many frames of the block the
        last of them reaches."""
        reached = 0
        if block.hashes is not None:
            report = self.recorded.setdefault("recorded", RowReport("recorded"))
            written = BlockOutcome(block.hashes, None)
            self._compare_written(report, written, outcome, self.frames)
            reached = min(len(block.hashes), len(outcome.hashes))
        for name, hashes in self.known.items():
            report = self.recorded[name]
            for i in range(len(outcome.hashes)):
                value = hashes.get(self.frames + i)
                if value is not None:
                    one = BlockOutcome(np.array([value], np.uint64), None)
                    mine = BlockOutcome(outcome.hashes[i : i + 1], None)
                    self._compare_written(report, one, mine, self.frames + i)
                    reached = max(reached, i + 1)
        return reached

    def _compare_written(
        self, report: RowReport, written: BlockOutcome, outcome: BlockOutcome, first_frame: int
    ) -> None:
        shared = min(len(written.hashes), len(outcome.hashes))
        report.frames += shared
        report.compared += shared
        if shared:
            report.final_hash = int(written.hashes[shared - 1])
        frame = first_unequal(outcome, written)
        if frame is not None and report.divergence is None:
            report.divergence = Divergence(
                first_frame + frame, "all", outcome.at(frame), written.at(frame)
            )

    def _check_reached(self, name: str, hashes: dict[int, int]) -> None:
        """Report a difference for a golden file with frames after the end of the run, unless damage
        of the replay ended the run."""
        if self.source.damage is not None:
            return
        ended = self.frames == self.source.frames or any(row.trap for row in self.rows)
        behind = [frame for frame in hashes if frame >= self.frames] if ended else []
        report = self.recorded[name]
        if behind and report.divergence is None:
            report.divergence = Divergence(
                min(behind), "all", "nothing", f"{hashes[min(behind)]:016x}"
            )

    def _sample(self, outcome: BlockOutcome) -> None:
        if not self.sample_every:
            return
        for frame, value in enumerate(outcome.hashes, self.frames):
            self._last = frame, int(value)
            if frame % self.sample_every == 0:
                self.sampled.append(self._last)

    def _count(self, shared: int, *reports: RowReport) -> None:
        """Count `shared` frames of this block as compared, and those before it."""
        for report in reports:
            if shared:
                report.compared = max(report.compared, self.frames + shared)


def _disagreement(
    references: list[tuple[_RowRun, BlockOutcome]], outcome: BlockOutcome
) -> tuple[_RowRun, BlockOutcome, int] | None:
    """The earliest frame in which an agreeing row differs from `outcome`, and that row."""
    found = [(row, expected, first_unequal(expected, outcome)) for row, expected in references]
    unequal = [(row, expected, frame) for row, expected, frame in found if frame is not None]
    return min(unequal, key=lambda each: each[2], default=None)


def _wait(started: Sequence[Future[None]]) -> None:
    """Wait until all are done; raises the first one's exception, if any."""
    for future in started:
        future.result()


def _time_is_up(row: Row, report: RowReport) -> bool:
    if row.emulated and report.frames >= EMULATED_FRAMES:
        return True
    limit = EMULATED_SECONDS if row.emulated else SLOW_SECONDS if row.slow else None
    return limit is not None and report.frames >= SLOW_FRAMES and report.seconds >= limit


def _stretch(runner: _RowRun, left: int, whole: bool) -> int:
    """The number of the `left` frames to run before the next check of the time."""
    if runner.row.emulated:
        most = left if whole else min(left, EMULATED_FRAMES - runner.report.frames)
        return min(runner.stretch, most)
    return 1 if runner.row.slow else left


def _state_after(runner: _RowRun, inputs: Inputs) -> bytes:
    """The row's state after some frames of the block; its current state is restored."""
    execution = runner.at
    present = execution.save()
    try:
        execution.restore(runner.block_start)
        execution.advance(inputs)
        return execution.save()
    finally:
        execution.restore(present)


def _hexadecimal(number: int | None) -> str:
    return "" if number is None else f"{number:016x}"
