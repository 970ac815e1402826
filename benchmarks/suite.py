"""The kernel suite: which benchmarks there are, and one row of figures for each."""

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.figures import Table, rounded
from benchmarks.measure import interleave, runner
from benchmarks.peers import FAST_CLANG, GNU, Benchmark, arrays, bind_numba, compile_c, copies
from benchmarks.variants import STRICT, VARIANTS, Variant, load
from samebits import ArgumentError

NAMES = (
    "integrate", "nbody", "boids", "collisions", "mandelbrot", "transforms", "life", "heat",
    "rotate", "sum", "dot", "variance", "black_scholes", "cloth", "sph", "fir",
)  # fmt: skip
"""One module of `benchmarks.kernels` each."""

UNTUNED = tuple(f"untuned.{name}" for name in (
    "spectral_norm", "fannkuch", "shallow_water", "particle_in_cell", "lattice_boltzmann",
    "neural_network", "sha256", "grid_astar",
))  # fmt: skip
"""Kernels that nobody tuned the compiler on; they have a table of their own."""

C, C_FAST, NUMBA, GCC = "C", "C fast-math", "Numba", "gcc"
"""Names of peers beside the variants' names; `gcc` is C again, by the system's own compiler."""

BETTER_C = "better C"

NEAR = 1e-2
NEAR_SHARE = 0.98
"""How many results must be how near to STRICT's where bits may differ: a check that the peers
compute the same thing, nothing more."""


@dataclass(frozen=True)
class Row:
    """Median seconds of thread CPU time a call of each peer and variant, by name.

    `same_bits`: whether STRICT left the strict C peer's bits. `astray`: those whose results are
    not even near STRICT's.
    """

    benchmark: Benchmark
    seconds: dict[str, float]
    same_bits: bool
    astray: tuple[str, ...]

    def speed(self, ours: str, theirs: str) -> float:
        """Of `ours` relative to `theirs`: above 1, ours is faster."""
        return self.seconds[theirs] / self.seconds[ours]

    @property
    def against_c(self) -> float:
        """STRICT's speed relative to the strict C peer's."""
        return self.speed(STRICT.name, C)

    @property
    def better_c(self) -> float:
        """Seconds of the quicker one of the strict C peers."""
        return min(self.seconds[name] for name in (C, GCC) if name in self.seconds)

    @property
    def against_numba(self) -> float:
        """STRICT's speed relative to Numba's with fastmath."""
        return self.speed(STRICT.name, NUMBA)


def same_bits(a: list[np.ndarray], b: list[np.ndarray]) -> bool:
    """Whether all arrays hold the same bytes."""
    return all(x.tobytes() == y.tobytes() for x, y in zip(a, b, strict=True))


def near(a: list[np.ndarray], b: list[np.ndarray]) -> bool:
    """Whether nearly all numbers in the arrays are nearly the same."""
    for x, y in zip(map(_numbers, a), map(_numbers, b), strict=True):
        close = np.isclose(x, y, rtol=NEAR, atol=NEAR * float(np.mean(np.abs(y))))
        if np.mean(close) < NEAR_SHARE:
            return False
    return True


def _numbers(array: np.ndarray) -> np.ndarray:
    """Its numbers as float64; those of a structured array are of one type."""
    dtype = array.dtype
    while dtype.names is not None or dtype.subdtype is not None:
        dtype = dtype.fields[dtype.names[0]][0] if dtype.names else dtype.subdtype[0]
    return array.view(dtype).astype(np.float64)


def variants_of(name: str) -> list[tuple[Variant, Benchmark]]:
    """The benchmark under each variant that is available, STRICT first."""
    found: list[tuple[Variant, Benchmark]] = []
    for variant in VARIANTS:
        with contextlib.suppress(ArgumentError):
            found.append((variant, load(name, variant)))
    return found


def measure(name: str, rounds: int, folder: Path) -> Row:
    """Compile the peers in `folder`, compare their results over one call, and time them."""
    under = variants_of(name)
    benchmark = under[0][1]
    start = benchmark.arguments()
    runners = {
        # Arrays of the variant's own structs: the call is quicker with the very dtype.
        variant.name: runner((variant.regroups and b.plain) or b.kernel, b.arguments())
        for variant, b in under
    }
    runners[C] = runner(compile_c(benchmark, folder), start)
    runners[C_FAST] = runner(compile_c(benchmark, folder, FAST_CLANG), start)
    if GNU.is_here:
        runners[GCC] = runner(compile_c(benchmark, folder, GNU), start)
    runners[NUMBA] = runner(benchmark.numba_fast, start)
    runners[NUMBA].function = bind_numba(benchmark, benchmark.numba_fast, runners[NUMBA].arguments)
    found: dict[str, list[np.ndarray]] = {}
    for title, each in runners.items():
        each.time(start, 1)
        found[title] = arrays(copies(each.arguments))
    interleave(list(runners.values()), start, rounds)
    ours = found[STRICT.name]
    return Row(
        benchmark,
        {title: each.median for title, each in runners.items()},
        same_bits=same_bits(ours, found[C]),
        astray=tuple(title for title, theirs in found.items() if not near(theirs, ours)),
    )


def figures(rows: Iterable[Row]) -> Table:
    """For the pages of several machines."""
    return {
        row.benchmark.title: rounded([*row.seconds.items(), (BETTER_C, row.better_c)])
        for row in rows
    }
