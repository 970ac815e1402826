"""A process that tries cases one after another, so that injected code can hang only that."""

from __future__ import annotations

import signal
import time
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection

from tools.prove_diagnose.case import Case
from tools.prove_diagnose.entry import Entry, tried

MOST_CASES = 25
"""Cases of one process: compiled code stays with it."""
_END_SECONDS = 5.0


@dataclass(frozen=True)
class Task:
    """A case by number; `known` is what an earlier run drew for it."""

    number: int
    seed: int
    known: Case | None = None


class Worker:
    """A process and its end of a pipe. `task` is what it has to do, None while it has nothing."""

    def __init__(self) -> None:
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.task: Task | None = None
        self.since = 0.0
        self.done = 0
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()

    def give(self, task: Task) -> None:
        self.task = task
        self.since = time.monotonic()
        self.done += 1
        self.pipe.send(task)

    def take(self) -> Entry:
        """What it found. Raises EOFError where the process died."""
        try:
            found: Entry = self.pipe.recv()
        except OSError:
            raise EOFError from None
        self.task = None
        return found

    def end(self) -> int | None:
        """End it now; its exit status."""
        self._process.terminate()
        self._process.join(_END_SECONDS)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self.pipe.close()
        return self._process.exitcode


def _serve(pipe: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends the workers
    while True:
        try:
            task: Task = pipe.recv()
        except EOFError:
            return
        pipe.send(tried(task.number, task.seed, task.known))
