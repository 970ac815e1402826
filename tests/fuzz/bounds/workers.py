"""Judging in other processes, so that a call that touches what it must not ends one of these.

Owns the processes, and what their ends mean: the program that was being called is the finding.
"""

from __future__ import annotations

import gc
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any

from tests.fuzz.bounds.faults import inject
from tests.fuzz.bounds.generator import generate
from tests.fuzz.bounds.judge import Found, Progress, Tally, judge
from tests.fuzz.generator import Program

UNIT = 40
"""Programs compiled into one object."""
OPTIMISED_EVERY = 24
"""One unit of so many is compiled as for users, of fewer programs: LLVM takes ten times as long."""
OPTIMISED_UNIT = 10
CALLS = 7

_context = get_context("forkserver")
_context.set_forkserver_preload([__name__])


@dataclass(frozen=True)
class Share:
    """Seeds that one unit judges, and LLVM's effort for it."""

    seeds: tuple[int, ...]
    opt: int = 0
    skip: frozenset[int] = frozenset()


def shares(first: int, count: int | None) -> Iterator[Share]:
    """Units for `count` seeds from `first` on, or without end."""
    seed, number = first, 0
    while count is None or seed < first + count:
        opt = 3 if number % OPTIMISED_EVERY == OPTIMISED_EVERY - 1 else 0
        stop = seed + (OPTIMISED_UNIT if opt else UNIT)
        stop = stop if count is None else min(stop, first + count)
        yield Share(tuple(range(seed, stop)), opt)
        seed, number = stop, number + 1


def programs_of(seeds: Sequence[int]) -> list[Program]:
    return [generate(seed, CALLS) for seed in seeds]


class Worker:
    """A process that judges what it is sent. `fault` is injected into its passes first."""

    def __init__(self, fault: str | None = None) -> None:
        self._fault = fault
        self._start()

    def _start(self) -> None:
        self._words = _context.RawArray("q", 2)
        self.connection, other = _context.Pipe()
        given = (other, self._words, self._fault)
        self._process = _context.Process(target=_serve, args=given, daemon=True)
        self._process.start()
        other.close()

    def send(self, work: Share | Sequence[Program], opt: int = 0) -> None:
        """Let it judge a share, or programs at a level."""
        self._opt = work.opt if isinstance(work, Share) else opt
        self.connection.send((work, opt))

    def receive(self) -> tuple[Tally | None, Found | None]:
        """What the process found; or, where it died, the call that it died in. The seed is -1
        where it called nothing then."""
        try:
            return self.connection.recv(), None
        except (EOFError, ConnectionError):
            pass
        self._process.join()
        code, progress = self._process.exitcode, Progress(self._words)
        self.close()
        self._start()
        name = signal.Signals(-code).name if code is not None and code < 0 else f"status {code}"
        kind = "never ended" if name == "SIGVTALRM" else "died"
        text = f"the process ended with {name}"
        return None, Found(progress.seed, progress.call, kind, text, self._opt)

    def close(self) -> None:
        self.connection.close()
        self._process.terminate()
        self._process.join()
        self._process.close()


def _serve(connection: Connection, words: Any, fault: str | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent stops the workers
    progress = Progress(words)
    if fault is not None:
        inject(fault)
    gc.freeze()
    with suppress(EOFError, ConnectionError):
        while True:
            given, opt = connection.recv()
            if isinstance(given, Share):
                tally = judge(programs_of(given.seeds), progress, given.opt, given.skip)
            else:
                tally = judge(given, progress, opt)
            connection.send(tally)


def judge_apart(worker: Worker, programs: Sequence[Program], opt: int = 0) -> Tally:
    """What a worker makes of programs; the one that kills it ends that."""
    worker.send(programs, opt)
    tally, found = worker.receive()
    if found is not None:
        return Tally(found=[found])
    assert tally is not None
    return tally


def run(
    work: Iterator[Share],
    jobs: int,
    *,
    fault: str | None = None,
    heard: Callable[[Tally], bool] = lambda tally: True,
) -> Tally:
    """Judge shares in `jobs` processes. `heard` is told of each result as it comes; where it
    answers False, no more are begun."""
    total = Tally()
    workers = [Worker(fault) for _ in range(jobs)]
    again: list[Share] = []
    given: dict[Worker, Share] = {}
    going = True

    def feed(worker: Worker) -> None:
        share = (again.pop() if again else next(work, None)) if going else None
        if share is not None:
            given[worker] = share
            worker.send(share)

    try:
        for worker in workers:
            feed(worker)
        while given:
            ready = wait([worker.connection for worker in given])
            for worker in [w for w in given if w.connection in ready]:
                share = given.pop(worker)
                tally, found = worker.receive()
                if found is not None and found.seed < 0:
                    tally = Tally(found=[replace(found, seed=share.seeds[0])])
                elif found is not None:
                    # What the unit found before is found again, without the one that it died of.
                    tally = Tally(found=[found])
                    rest = share.skip | {found.seed}
                    again.append(Share(share.seeds, share.opt, rest))
                assert tally is not None
                total.add(tally)
                going = heard(tally) and going
                feed(worker)
    finally:
        for worker in workers:
            worker.close()
    return total
