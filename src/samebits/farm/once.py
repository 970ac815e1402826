"""One replay on one target, in this process: from a task to its row.

Owns what is compared and digested. Programs and their compiled code are kept from one task to the
next. Time, memory and crashes are the caller's: see `child` and `pool`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

import numpy as np
import xxhash

from samebits.errors import ReplayError, RunnerError, SamebitsError, Trap
from samebits.farm.entries import content_of
from samebits.farm.rows import (
    DAMAGED,
    DIFFERS,
    FAILED,
    LOST,
    NOT_COMPARED,
    REFUSED,
    SAME,
    Row,
    Task,
)
from samebits.lang.signal_safe import keeps_flags
from samebits.printed import muted
from samebits.sim.execution import Execution
from samebits.sim.load import load_simulation
from samebits.sim.outcome import TrapFact
from samebits.sim.simulation import Simulation
from samebits.sim.sources import ReplaySource
from samebits.verify import executions


class Runner:
    """Runs tasks of one simulation, one after another."""

    def __init__(self, simulation: str) -> None:
        self._words = simulation
        self._running: dict[str, Execution] = {}

    @cached_property
    def simulation(self) -> Simulation:
        """Raises SimulationError, CompileError."""
        return load_simulation(self._words)

    @cached_property
    def _targets(self) -> dict[str, executions.Row]:
        return {row.name: row for row in executions.all_rows()}

    @keeps_flags
    def run(self, task: Task, began: Callable[[str], None]) -> Row:
        """The task's row; `began` is told how it is run once all that runs is loaded and compiled.
        Raises MemoryError."""
        start = time.perf_counter()
        with muted():
            row = self._row(task, began)
        return replace(row, seconds=round(time.perf_counter() - start, 6))

    def close(self) -> None:
        """End the emulators."""
        while self._running:
            self._running.popitem()[1].close()

    def _row(self, task: Task, began: Callable[[str], None]) -> Row:
        try:
            simulation = self.simulation
            if simulation.digest != task.key.program:
                return task.row(LOST, f"{self._words} is other code here than where the farm began")
            if content_of(task.path) != task.key.replay:
                return task.row(LOST, "the replay has changed since the farm began")
        except (SamebitsError, OSError) as error:
            return task.row(LOST, f"not on this worker: {error}")
        try:
            source = ReplaySource(simulation, task.path, task.key.asked or None, any_code=True)
        except ReplayError as error:
            damage = error.note or ""
            if damage.startswith(DAMAGED):
                return task.row(DAMAGED, damage)
            return task.row(REFUSED, error.message)
        try:
            execution = self._execution(task.key.target)
            row = self._targets[task.key.target]
            how = "emulated" if row.emulated else "python" if row.slow else "native"
            began(how)
            return replace(_ran(task, source, execution), how=how)
        except RunnerError as error:
            self._drop(task.key.target)
            return task.row(FAILED, f"{error.message} ({error.note or 'no more is known'})")
        except SamebitsError as error:
            return task.row(FAILED, error.message)
        finally:
            source.close()

    def _execution(self, target: str) -> Execution:
        """The target's execution. Raises RunnerError, CompileError."""
        if target not in self._running:
            row = self._targets.get(target)
            if row is None or row.reason is not None:
                why = "it is unknown here" if row is None else row.reason
                raise RunnerError(f"{target} cannot run on this worker: {why}")
            self._running[target] = row.make(self.simulation)
        return self._running[target]

    def _drop(self, target: str) -> None:
        execution = self._running.pop(target, None)
        if execution is not None:
            execution.close()


def _ran(task: Task, source: ReplaySource, execution: Execution) -> Row:
    digest = xxhash.xxh64()
    frames, compared = 0, 0
    differs: tuple[int, str] | None = None
    final: int | None = None
    trap = _trap(lambda: execution.start(source.seed))
    if trap is None:
        final = execution.hash()
        digest.update(final.to_bytes(8, "little"))
        for block in source.blocks():
            done = execution.advance(block.inputs)
            digest.update(done.hashes.astype("<u8").tobytes())
            if block.hashes is not None and differs is None:
                shared = min(len(block.hashes), len(done.hashes))
                compared += shared
                unequal = np.flatnonzero(block.hashes[:shared] != done.hashes[:shared])
                if len(unequal):
                    at = int(unequal[0])
                    told = f"{int(done.hashes[at]):016x}, recorded {int(block.hashes[at]):016x}"
                    differs = frames + at, told
            frames += len(done.hashes)
            final = int(done.hashes[-1]) if len(done.hashes) else final
            if done.trap is not None:
                trap = TrapFact.of(done.trap)
                break
    told = ""
    if trap is not None:
        where = "init" if final is None else f"frame {frames:,}"
        told = f"trap in {where}: {trap.message}"
        # The span is left out: two checkouts of one program lie in different folders.
        digest.update(f"{trap.kind}\n{trap.message}".encode())
    if differs is not None:
        result, told = DIFFERS, f"frame {differs[0]:,}: {differs[1]}"
    elif source.damage:
        result, told = DAMAGED, f"{source.damage}"
    else:
        result = SAME if compared else NOT_COMPARED
    return task.row(
        result, told, frames=frames, frame=None if differs is None else differs[0],
        final="" if final is None else f"{final:016x}", run=digest.hexdigest(),
    )  # fmt: skip


def _trap(start: Callable[[], None]) -> TrapFact | None:
    try:
        start()
    except Trap as trap:
        return TrapFact.of(trap)
    return None
