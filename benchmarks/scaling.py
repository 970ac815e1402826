"""Parallel ranges against one worker and against Numba's `parallel=True`: wall time."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numba
import numpy as np

import samebits as sb
from benchmarks.measure import Runner, interleave, runner
from benchmarks.peers import Arguments, Benchmark, arrays, bind_numba, copies
from benchmarks.suite import NAMES, geometric_mean, same_bits
from benchmarks.tables import goal
from benchmarks.variants import DETERMINISTIC, load

NUMBA_MEAN_GOAL = 1.1
WORKERS_GOAL = 1.8
HEAVY_SECONDS = 1e-3
"""A kernel is heavy where one worker takes at least so long on its `heavy` arguments."""

ONE, TWO, NUMBA_ONE, NUMBA_TWO, NUMBA_SERIAL = (
    "1 worker", "2 workers", "Numba, 1 thread", "Numba, 2 threads", "Numba, not parallel",
)  # fmt: skip


@dataclass(frozen=True)
class Scaling:
    """Median wall seconds a call by peer; `same`: one and two workers left the same bits.

    A kernel without a parallel loop runs as it is in all of them.
    """

    benchmark: Benchmark
    seconds: dict[str, float]
    same: bool

    @property
    def workers(self) -> float:
        """Speed of two workers relative to one."""
        return self.seconds[ONE] / self.seconds[TWO]

    @property
    def against_numba(self) -> float:
        """Speed of two workers relative to Numba's two threads."""
        return self.seconds[NUMBA_TWO] / self.seconds[TWO]

    @property
    def against_best_numba(self) -> float:
        """Speed of two workers relative to Numba's quickest form."""
        return min(self.seconds[NUMBA_TWO], self.seconds[NUMBA_SERIAL]) / self.seconds[TWO]

    @property
    def heavy(self) -> bool:
        return self.benchmark.parallel is not None and self.seconds[ONE] >= HEAVY_SECONDS


def measure(name: str, rounds: int) -> Scaling:
    """Time one kernel in DETERMINISTIC on its heavy arguments; two processors are needed."""
    benchmark = load(name, DETERMINISTIC)
    start = (benchmark.heavy or benchmark.arguments)()
    ours = benchmark.parallel or benchmark.plain or benchmark.kernel
    runners = {
        ONE: _prepared(ours, start, partial(sb.set_workers, 1)),
        TWO: _prepared(ours, start, partial(sb.set_workers, 2)),
        NUMBA_ONE: _numba(benchmark, benchmark.numba_parallel, start, 1),
        NUMBA_TWO: _numba(benchmark, benchmark.numba_parallel, start, 2),
        NUMBA_SERIAL: _numba(benchmark, benchmark.numba_fast, start, 1),
    }
    left: dict[str, list[np.ndarray]] = {}
    for title in (ONE, TWO):
        runners[title].time(start, 1)
        left[title] = arrays(copies(runners[title].arguments))
    interleave(list(runners.values()), start, rounds, time.perf_counter_ns)
    return Scaling(
        benchmark,
        {title: each.median for title, each in runners.items()},
        same_bits(left[ONE], left[TWO]),
    )


def _prepared(
    function: Callable[..., object], start: Arguments, prepare: Callable[[], object]
) -> Runner:
    made = runner(function, start)
    made.prepare = prepare
    return made


def _numba(
    benchmark: Benchmark, function: Callable[..., object], start: Arguments, threads: int
) -> Runner:
    made = _prepared(function, start, partial(numba.set_num_threads, threads))
    made.prepare()
    made.function = bind_numba(benchmark, function, made.arguments)
    return made


def measure_all(rounds: int) -> list[Scaling]:
    """Every kernel; nothing where two threads can't run at once."""
    if len(os.sched_getaffinity(0)) < 2:
        return []
    return [measure(name, rounds) for name in NAMES]


def table(found: Sequence[Scaling]) -> list[str]:
    """One line a kernel, then geometric means and the goals."""
    titles = (ONE, TWO, NUMBA_ONE, NUMBA_TWO, NUMBA_SERIAL)
    lines = [
        f"| kernel | {' | '.join(f'{t}, µs' for t in titles)} | 2 × 1 worker "
        "| 2 workers × Numba, 2 threads | × Numba's best | bits |",
        f"|---|{'--:|' * (len(titles) + 3)}---|",
    ]
    for row in found:
        cells = [f"{row.seconds[title] * 1e6:.0f}" for title in titles]
        cells.append(f"{row.workers:.2f}" if row.benchmark.parallel else "serial")
        cells += [f"{row.against_numba:.2f}", f"{row.against_best_numba:.2f}"]
        bits = "same" if row.same else "**differ**"
        lines.append(f"| {row.benchmark.title} | {' | '.join(cells)} | {bits} |")
    numba_mean = geometric_mean(row.against_numba for row in found)
    best_mean = geometric_mean(row.against_best_numba for row in found)
    lines.append(
        f"| **geometric mean** |{' |' * len(titles)} "
        f"| **{numba_mean:.2f}** | **{best_mean:.2f}** | |"
    )
    lines += ["", "| goal | found | |", "|---|--:|---|",
              goal("DETERMINISTIC against Numba with `fastmath=True, parallel=True`, "
                   "two threads each, geometric mean", numba_mean, NUMBA_MEAN_GOAL)]  # fmt: skip
    heavy = [row for row in found if row.heavy]
    if heavy:
        least = min(heavy, key=lambda row: row.workers)
        mean = geometric_mean(row.workers for row in heavy)
        lines += [
            goal("two workers against one, heavy kernels, geometric mean", mean, WORKERS_GOAL),
            goal("two workers against one, each heavy kernel", least.workers, WORKERS_GOAL,
                 f" ({least.benchmark.title})"),
        ]  # fmt: skip
    return lines
