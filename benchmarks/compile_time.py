"""The cost of a kernel's first call beside another's: `python -m benchmarks.compile_time`.

Both are in one process.

Owns the kernels, written as text so that each is new, and the ratios: what calls math functions
against what does not, and the tenth and three hundredth kernel against the second.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

KERNELS = 300
PROCESSES = 3
GOAL = 2.5

PLAIN = """
@sb.kernel
def kernel(x: {t}, y: {t}) -> {t}:
    z = x * y + {t}({n})
    return z * z + y
"""
CALLS = """
@sb.kernel
def kernel(x: {t}, y: {t}) -> {t}:
    z = x * y + {t}({n})
    return math.sin(z) + math.exp(y)
"""
PLAIN_LOOP = """
@sb.kernel
def kernel(x: sb.ReadOnly[{t}], y: sb.Array[{t}]) -> None:
    for i in range(len(x)):
        z = x[i] + {t}({n})
        y[i] = z * z + y[i]
"""
LOOP = """
@sb.kernel
def kernel(x: sb.ReadOnly[{t}], y: sb.Array[{t}]) -> None:
    for i in range(len(x)):
        z = x[i] + {t}({n})
        y[i] = math.sin(z) + math.exp(x[i])
"""
SHAPES = {"scalars": (PLAIN, CALLS), "a loop": (PLAIN_LOOP, LOOP)}
"""Kernels by shape: without math functions, and with sin and exp."""
TYPES = ("float32", "float64")


@dataclass(frozen=True)
class CompileTime:
    """Seconds of the first calls of kernels of one shape and type, least over the processes:
    `first` is the process's first one that calls math functions."""

    shape: str
    dtype: str
    plain: float
    first: float
    tenth: float
    last: float

    @property
    def ratio(self) -> float:
        """The tenth's time, relative to that of a kernel without math functions."""
        return self.tenth / self.plain

    @property
    def last_ratio(self) -> float:
        """The same of the three hundredth."""
        return self.last / self.plain

    @property
    def reached(self) -> bool:
        return max(self.ratio, self.last_ratio) <= GOAL


def seconds(folder: Path, text: str, dtype: str, number: int) -> float:
    """Seconds of the first call of a new kernel, CPU time of this thread."""
    import numpy as np

    path = folder / f"kernel_{number}.py"
    head = "import samebits as sb\nfrom samebits import float32, float64, math\n"
    path.write_text(head + text.format(t=dtype, n=number))
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    arguments: tuple[Any, ...] = (1.5, 0.5)
    if "Array" in text:
        arguments = tuple(np.full((2, 8), 0.5, dtype))
    before = time.thread_time()
    module.kernel(*arguments)
    return time.thread_time() - before


def probe(shape: str, dtype: str, kernels: int) -> list[list[float]]:
    """Times of kernels without and with math functions, in turn."""
    import samebits as sb

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sb.set_cache_dir(folder / "cache")
        seconds(folder, PLAIN, "float32", -1)  # the compiler itself
        numbers = iter(range(2 * kernels))
        rows = [
            [seconds(folder, text, dtype, next(numbers)) for text in SHAPES[shape]]
            for _ in range(kernels)
        ]
    return [[row[k] for row in rows] for k in range(2)]


def measure(
    kernels: int = KERNELS, shapes: Sequence[str] = tuple(SHAPES), processes: int = PROCESSES
) -> list[CompileTime]:
    """All shapes and types; places in a process are the least of a few neighbours."""
    rows: list[CompileTime] = []
    for shape in shapes:
        for dtype in TYPES:
            runs: list[list[list[float]]] = []
            for _ in range(processes):
                command = [sys.executable, "-m", "benchmarks.compile_time", "--probe", shape, dtype]
                done = subprocess.run(
                    [*command, "--kernels", str(kernels)],
                    check=True, capture_output=True, text=True, env=dict(os.environ),
                )  # fmt: skip
                runs.append(json.loads(done.stdout))
            plain = min(min(*run[0][5:15], *run[0][-10:]) for run in runs)
            first = min(run[1][0] for run in runs)
            tenth = min(min(run[1][5:15]) for run in runs)
            last = min(min(run[1][-10:]) for run in runs)
            rows.append(CompileTime(shape, dtype, plain, first, tenth, last))
    return rows


def table(rows: Sequence[CompileTime]) -> list[str]:
    """Ratios with their goal; CPU milliseconds of the machine beside them."""
    lines = [
        f"| kernel | without math functions, ms | first with sin and exp, ms | tenth | {KERNELS}th "
        f"| tenth × | {KERNELS}th × | goal | |",
        "|---|--:|--:|--:|--:|--:|--:|--:|---|",
    ]
    for row in rows:
        times = (row.plain, row.first, row.tenth, row.last)
        lines.append(
            f"| {row.shape}, {row.dtype} | {' | '.join(f'{t * 1e3:.1f}' for t in times)} "
            f"| {row.ratio:.2f} | {row.last_ratio:.2f} | ≤ {GOAL} "
            f"| {'reached' if row.reached else '**missed**'} |"
        )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernels", type=int, default=KERNELS)
    parser.add_argument("--processes", type=int, default=PROCESSES)
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=tuple(SHAPES))
    parser.add_argument("--probe", nargs=2, metavar=("SHAPE", "TYPE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.probe:
        shape, dtype = options.probe
        print(json.dumps(probe(shape, dtype, options.kernels)))
    else:
        print("\n".join(table(measure(options.kernels, options.shapes, options.processes))))


if __name__ == "__main__":
    main()
