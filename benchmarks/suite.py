"""The kernel suite: which benchmarks there are, and one row of figures for each."""

import importlib
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.measure import interleave, runner
from benchmarks.peers import Arguments, Benchmark, compile_c, copies

NAMES = (
    "integrate", "nbody", "boids", "collisions", "mandelbrot",
    "transforms", "life", "heat", "rotate",
)  # fmt: skip
"""One module of `benchmarks.kernels` each."""

C_MEAN_GOAL = 0.95
C_LEAST_GOAL = 0.8
NUMBA_MEAN_GOAL = 1.0


@dataclass(frozen=True)
class Row:
    """Median seconds a call of each peer, and whether samebits left the C peer's bits."""

    benchmark: Benchmark
    samebits: float
    c: float
    numba: float
    same_bits: bool

    @property
    def against_c(self) -> float:
        """Speed relative to C: above 1, samebits is faster."""
        return self.c / self.samebits

    @property
    def against_numba(self) -> float:
        """Speed relative to Numba with fastmath."""
        return self.numba / self.samebits


def load(name: str) -> Benchmark:
    """The benchmark in `benchmarks.kernels.<name>`."""
    return importlib.import_module(f"benchmarks.kernels.{name}").BENCHMARK


def geometric_mean(values: Iterable[float]) -> float:
    logarithms = [math.log(value) for value in values]
    return math.exp(sum(logarithms) / len(logarithms))


def same_bits(a: Arguments, b: Arguments) -> bool:
    """Whether all arrays hold the same bytes."""
    return all(
        x.tobytes() == y.tobytes() for x, y in zip(a, b, strict=True) if isinstance(x, np.ndarray)
    )


def measure(benchmark: Benchmark, rounds: int, folder: Path) -> Row:
    """Compile the peers in `folder`, compare their bits over one call, and time them."""
    start = benchmark.arguments()
    c_function = compile_c(benchmark, folder)
    ours, theirs = copies(start), copies(start)
    benchmark.kernel(*ours)
    c_function(*theirs)
    peers = [runner(benchmark.kernel, start), runner(c_function, start)]
    numba_peer = runner(benchmark.numba, start)
    view = benchmark.numba_view(numba_peer.arguments)

    def call_numba(*_: object) -> None:
        benchmark.numba(*view)

    numba_peer.function = call_numba
    call_numba()
    peers.append(numba_peer)
    interleave(peers, start, rounds)
    medians = [peer.median for peer in peers]
    return Row(benchmark, *medians, same_bits=same_bits(ours, theirs))
