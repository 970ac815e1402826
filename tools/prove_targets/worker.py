"""A process that does checks one after another, so that generated code can crash only that.

It sends each Finding as soon as it has it. A terminated worker ends what it has started.
"""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from types import FrameType

from tools.prove_targets import functions, programs, simulations, vectors
from tools.prove_targets.finding import Finding

from samebits.backend.targets.table import Target
from samebits.errors import SamebitsError
from samebits.runtime.emulation.calls import runners

END_SECONDS = 10.0
"""How long a worker may take to clear away what it has."""


@dataclass(frozen=True)
class Task:
    """A check on targets, by their names: `kind` is in KINDS; seeds are for programs."""

    kind: str
    targets: tuple[str, ...]
    seeds: tuple[int, ...] = ()


def _simulations(task: Task, targets: dict[str, Target]) -> Iterator[Finding]:
    for run in simulations.RUNS:
        for name in task.targets:
            yield simulations.on(targets[name], run)


def _vectors(task: Task, targets: dict[str, Target]) -> Iterator[Finding]:
    for name in task.targets:
        yield vectors.on(targets[name])


def _functions(task: Task, targets: dict[str, Target]) -> Iterator[Finding]:
    for name in task.targets:
        yield functions.on(targets[name])


def _programs(task: Task, targets: dict[str, Target]) -> Iterator[Finding]:
    with programs.Batch(task.seeds) as batch:
        found = batch.evaluated()
        found.differing += batch.refused
        yield found
        for name in task.targets:
            yield batch.on(targets[name])


KINDS: dict[str, Callable[[Task, dict[str, Target]], Iterator[Finding]]] = {
    "examples": _simulations,
    "vectors": _vectors,
    "functions": _functions,
    "programs": _programs,
}
"""What can be asked for. Adding a check is adding a row."""


class Worker:
    """A process and its end of a pipe. `current` is the task it has, None while it has none."""

    def __init__(self) -> None:
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.current: Task | None = None
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()

    def give(self, task: Task) -> None:
        self.current = task
        self.pipe.send(task)

    def take(self) -> Finding | None:
        """The next Finding, or None at the task's end. Raises EOFError where the process died."""
        try:
            found: Finding | None = self.pipe.recv()
        except OSError:  # it has read what came last, or it has not
            raise EOFError from None
        if found is None:
            self.current = None
        return found

    def kill(self) -> None:
        """End it as a crash would."""
        self._process.kill()

    def end(self) -> int | None:
        """End it now; its exit status."""
        self._process.terminate()
        self._process.join(END_SECONDS)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self.pipe.close()
        return self._process.exitcode


def _end(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)  # not at once, so that folders and emulators are cleared away


def _serve(pipe: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends the workers
    signal.signal(signal.SIGTERM, _end)
    targets = {runner.target.name: runner.target for runner in runners()}
    while True:
        try:
            task: Task = pipe.recv()
        except EOFError:
            return
        start = time.monotonic()
        try:
            for found in KINDS[task.kind](task, targets):
                now = time.monotonic()
                found.seconds, start = now - start, now
                pipe.send(found)
        except SamebitsError as error:
            pipe.send(Finding("all targets", task.kind, failure=str(error)))
        pipe.send(None)
