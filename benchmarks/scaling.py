"""Parallel ranges: two workers against one, and against Numba's `parallel=True`."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numba
import numpy as np

import samebits as sb
from benchmarks.figures import Table, rounded
from benchmarks.means import geometric_mean
from benchmarks.measure import Runner, runner
from benchmarks.peers import Arguments, Benchmark, arrays, bind_numba, copies, restore
from benchmarks.suite import NAMES, same_bits
from benchmarks.tables import goal
from benchmarks.variants import DETERMINISTIC, load

NUMBA_MEAN_GOAL = 1.1
WORKERS_GOAL = 1.8
HEAVY_SECONDS = 5e-3
"""A kernel is heavy where one worker takes at least so long on its `heavy` arguments."""

PAUSE_SECONDS = 0.01
"""Before a peer's turn: the threads of another look for work for some time after its own, and a
processor that they have is none for others."""

ONE, TWO, NUMBA_ONE, NUMBA_TWO = "1 worker", "2 workers", "Numba, 1 thread", "Numba, 2 threads"


@dataclass(frozen=True)
class Time:
    """Of one call, in seconds: the least wall time, and the median CPU time of all threads."""

    wall: float
    cpu: float


@dataclass(frozen=True)
class Scaling:
    """The times of each peer; `same`: one and two workers left the same bits.

    A kernel without a parallel loop runs as it is in all of them.
    """

    benchmark: Benchmark
    times: dict[str, Time]
    same: bool

    @property
    def workers(self) -> float:
        """Speed of two workers relative to one, by wall time."""
        return self.times[ONE].wall / self.times[TWO].wall

    @property
    def one_against_numba(self) -> float:
        """Speed of one worker relative to Numba's one thread, by CPU time."""
        return self.times[NUMBA_ONE].cpu / self.times[ONE].cpu

    @property
    def two_against_numba(self) -> float:
        """Speed of two workers relative to Numba's two threads, by wall time."""
        return self.times[NUMBA_TWO].wall / self.times[TWO].wall

    @property
    def heavy(self) -> bool:
        return self.benchmark.parallel is not None and self.times[ONE].cpu >= HEAVY_SECONDS


def measure(name: str, rounds: int) -> Scaling:
    """Time one kernel in DETERMINISTIC on its heavy arguments, peers in turn, a call each."""
    benchmark = load(name, DETERMINISTIC)
    start = (benchmark.heavy or benchmark.arguments)()
    ours = benchmark.parallel or benchmark.plain or benchmark.kernel
    runners = {
        ONE: _prepared(ours, start, partial(_workers, 1)),
        TWO: _prepared(ours, start, partial(_workers, 2)),
        NUMBA_ONE: _numba(benchmark, start, 1),
        NUMBA_TWO: _numba(benchmark, start, 2),
    }
    walls: dict[str, list[float]] = {title: [] for title in runners}
    cpus: dict[str, list[float]] = {title: [] for title in runners}
    left: dict[str, list[np.ndarray]] = {}
    for titles in ((ONE, TWO, NUMBA_ONE), (NUMBA_TWO,)):
        for number in range(rounds + 1):
            for title in titles:
                wall, cpu = _time(runners[title], start)
                if number:
                    walls[title].append(wall)
                    cpus[title].append(cpu)
                else:
                    left[title] = arrays(copies(runners[title].arguments))
    sb.set_workers(None)
    times = {title: Time(min(walls[title]), statistics.median(cpus[title])) for title in runners}
    return Scaling(benchmark, times, same_bits(left[ONE], left[TWO]))


@sb.kernel
def _start(out: sb.Array[sb.int64]):
    for i in sb.prange(len(out), batch=1):
        out[i] += sb.int64(1)


def _workers(count: int) -> None:
    """Have so many, started: what starting them takes is no part of a call."""
    sb.set_workers(count)
    _start(np.zeros(100, np.int64))


def _time(each: Runner, start: Arguments) -> tuple[float, float]:
    """Wall seconds and CPU seconds of all threads, of the second of two calls."""
    each.prepare()
    time.sleep(PAUSE_SECONDS)
    for _ in range(2):
        restore(each.arguments, start)
        before = time.perf_counter_ns(), time.process_time_ns()
        each.function(*each.arguments)
        after = time.perf_counter_ns(), time.process_time_ns()
    return (after[0] - before[0]) / 1e9, (after[1] - before[1]) / 1e9


def _prepared(
    function: Callable[..., object], start: Arguments, prepare: Callable[[], object]
) -> Runner:
    made = runner(function, start)
    made.prepare = prepare
    return made


def _numba(benchmark: Benchmark, start: Arguments, threads: int) -> Runner:
    function = benchmark.numba_parallel
    made = _prepared(function, start, partial(numba.set_num_threads, threads))
    made.prepare()
    made.function = bind_numba(benchmark, function, made.arguments)
    return made


def measure_all(rounds: int) -> list[Scaling]:
    """Every kernel; nothing where two threads can't run at once."""
    if len(os.sched_getaffinity(0)) < 2:
        return []
    return [measure(name, rounds) for name in NAMES]


def figures(found: Iterable[Scaling]) -> Table:
    """For the pages of several machines: wall seconds."""
    return {
        row.benchmark.title: rounded((name, time.wall) for name, time in row.times.items())
        for row in found
    }


def table(found: Sequence[Scaling]) -> list[str]:
    """One line a kernel, then geometric means and the goals."""
    titles = (ONE, TWO, NUMBA_ONE, NUMBA_TWO)
    lines = [
        f"| kernel | {' | '.join(f'{title}, µs' for title in titles)} | 2 workers × 1 "
        "| 1 worker × Numba, 1 thread | 2 workers × Numba, 2 threads | bits |",
        f"|---|{'--:|' * (len(titles) + 3)}---|",
    ]
    for row in found:
        cells = [f"{row.times[title].wall * 1e6:.0f}" for title in titles]
        cells.append(f"{row.workers:.2f}" if row.benchmark.parallel else "serial")
        cells += [f"{row.one_against_numba:.2f}", f"{row.two_against_numba:.2f}"]
        bits = "same" if row.same else "**differ**"
        lines.append(f"| {row.benchmark.title} | {' | '.join(cells)} | {bits} |")
    one = geometric_mean(row.one_against_numba for row in found)
    two = geometric_mean(row.two_against_numba for row in found)
    numba = "DETERMINISTIC against Numba with `fastmath=True, parallel=True`"
    lines += [
        f"| **geometric mean** |{' |' * (len(titles) + 1)} **{one:.2f}** | **{two:.2f}** | |",
        "",
        "| goal | found | |",
        "|---|--:|---|",
        goal(f"{numba}, one thread each, geometric mean", one, NUMBA_MEAN_GOAL),
        goal(f"{numba}, two threads each, geometric mean", two, NUMBA_MEAN_GOAL),
    ]
    heavy = [row for row in found if row.heavy]
    if heavy:
        mean = geometric_mean(row.workers for row in heavy)
        lines.append(goal(f"two workers against one, {len(heavy)} heavy kernels, geometric mean",
                          mean, WORKERS_GOAL))  # fmt: skip
    return lines
