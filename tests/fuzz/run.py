"""Fuzz until told to stop: `python -m tests.fuzz.run`, or `--seconds 60 --seed 1` for a part.

Batches run in worker processes, so that a crash in generated code costs one batch and is reported.
"""

from __future__ import annotations

import argparse
import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext
from multiprocessing import active_children, get_context

from tools import scratch

from tests.fuzz.check import Failure, Tally, check_seeds
from tests.fuzz.regression import write_regression
from tests.fuzz.shrink import shrink

BATCH = 20


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.run", description=__doc__)
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument("--seconds", type=float, help="stop after this long")
    limit.add_argument("--forever", action="store_true", help="stop at Ctrl-C only (the default)")
    limit.add_argument("--programs", type=int, help="stop after this many programs")
    parser.add_argument("--seed", type=int, help="seed of the first program (default: the time)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--keep", action="store_true", help="report failures without shrinking")
    arguments = parser.parse_args()
    if arguments.seed is None:
        arguments.seed = time.time_ns() // 1_000_000
    return arguments


def _batches(first: int, programs: int | None) -> Iterator[list[int]]:
    for start in itertools.count(first, BATCH):
        stop = start + BATCH if programs is None else min(start + BATCH, first + programs)
        if start >= stop:
            return
        yield list(range(start, stop))


def _pool(jobs: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_ignore_ctrl_c)


def _ignore_ctrl_c() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent stops the workers


def _crash(seeds: list[int]) -> list[int]:
    """The seeds of a batch whose process died that die alone too."""
    guilty: list[int] = []
    for seed in seeds:
        with _pool(1) as pool:
            try:
                pool.submit(check_seeds, [seed]).result()
            except BrokenProcessPool:
                guilty.append(seed)
    return guilty


class _Session:
    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.total = Tally()
        self.start = time.monotonic()
        self.kinds: set[str] = set()
        self.crashes = 0

    def over(self) -> bool:
        if self.arguments.seconds is None:
            return False
        return time.monotonic() - self.start > self.arguments.seconds

    def progress(self, end: str = "\r") -> None:
        elapsed = max(1e-9, time.monotonic() - self.start)
        traps = sum(n for kind, n in self.total.traps.items() if kind != "none")
        print(
            f"{self.total.programs} programs, {self.total.calls} calls, {traps} traps, "
            f"{len(self.total.failures) + self.crashes} failures, "
            f"{self.total.programs / elapsed:.1f} programs/s",
            end=end,
            flush=True,
        )

    def report(self, failure: Failure) -> None:
        print(f"\nseed {failure.program.seed}: {failure.text}", flush=True)
        if failure.kind in self.kinds or self.arguments.keep:
            return
        self.kinds.add(failure.kind)
        small = shrink(failure)
        print(f"shrunk to {write_regression(small)}: {small.text}", flush=True)

    def collect(self, future: Future[Tally], seeds: list[int]) -> bool:
        """Take in a batch; False where its process died."""
        try:
            tally = future.result()
        except BrokenProcessPool:
            guilty = _crash(seeds)
            # What dies only beside others has died all the same.
            self.crashes += max(1, len(guilty))
            for seed in guilty:
                print(f"\nseed {seed}: the process died", flush=True)
            if not guilty:
                print(f"\nseeds {seeds[0]} to {seeds[-1]}: the process died", flush=True)
            return False
        self.total.add(tally)
        for failure in tally.failures:
            self.report(failure)
        self.progress()
        return True

    def run(self) -> int:
        print(f"seeds from {self.arguments.seed}, {self.arguments.jobs} processes", flush=True)
        batches = _batches(self.arguments.seed, self.arguments.programs)
        pool = _pool(self.arguments.jobs)
        pending: dict[Future[Tally], list[int]] = {}
        try:
            while True:
                while len(pending) < self.arguments.jobs and not self.over():
                    seeds = next(batches, None)
                    if seeds is None:
                        break
                    pending[pool.submit(check_seeds, seeds)] = seeds
                if not pending:
                    break
                done, _ = wait(pending, return_when=FIRST_COMPLETED)
                alive = [self.collect(future, pending.pop(future)) for future in done]
                if not all(alive):
                    for future, seeds in pending.items():
                        self.collect(future, seeds)
                    pending.clear()
                    pool.shutdown(wait=False)
                    pool = _pool(self.arguments.jobs)
        except KeyboardInterrupt:
            for worker in active_children():
                worker.terminate()
        pool.shutdown(cancel_futures=True)
        self.progress(end="\n")
        if self.total.failures or self.crashes:
            return 1
        if not self.total.calls:
            print("nothing was compared", file=sys.stderr)
            return 2
        return 0


@contextmanager
def _bounds(arguments: argparse.Namespace) -> Iterator[list[int]]:
    """Has the fuzzer of bounds run as long, in processes of its own; its exit status."""
    status: list[int] = []
    limit = [] if arguments.seconds is None else ["--seconds", str(arguments.seconds)]
    jobs = max(1, arguments.jobs // 2)
    command = [
        sys.executable,
        "-m",
        "tests.fuzz.bounds.run",
        "--beside",
        "--jobs",
        str(jobs),
        *limit,
    ]
    process = subprocess.Popen([*command, "--seed", str(arguments.seed)])
    try:
        yield status
    finally:
        status.append(process.wait())


if __name__ == "__main__":
    given = _arguments()
    session = _Session(given)
    # A number of programs is of this fuzzer alone: to see one seed again.
    both = _bounds(given) if given.programs is None else nullcontext([0])
    with scratch.folder(), both as beside:
        status = session.run()
    sys.exit(max(status, *beside))
