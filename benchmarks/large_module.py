"""The compile time of a module of more than 5,000 lines: `python -m benchmarks.large_module`.

Owns the module's text, a few ordinary kernels with other constants each and one that calls them
all, and the CPU seconds of its first call in fresh processes: in one that compiles it, and in later
ones, which find it in the disk cache.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.latency import probe_environment

KERNELS = 400

HEAD = """\
import samebits as sb
from samebits import Array, ReadOnly, float32, float64, float3, int32, math, uint32


@sb.struct
class Body:
    position: float3
    velocity: float3
    mass: float32
    age: int32
"""

KINDS = (
    # a loop over an array, with a branch
    """
@sb.kernel
def kernel_{n}(x: ReadOnly[float32], y: Array[float32]) -> float32:
    total = float32(0)
    for i in range(len(x)):
        v = x[i] * float32({n}.25) + float32(1.5)
        w = v * v - x[i]
        if w > total:
            total = w
        else:
            total += v * float32(0.5)
        if i < len(y):
            y[i] = total + w
    return total
""",
    # structs and vectors
    """
@sb.kernel
def kernel_{n}(bodies: Array[Body], dt: float32) -> float32:
    energy = float32(0)
    for i in range(len(bodies)):
        b = bodies[i]
        pull = b.position * float32(-0.{n})
        b.velocity = b.velocity + pull * dt
        b.position = b.position + b.velocity * dt
        if b.position.y < float32(0):
            b.velocity = float3(b.velocity.x, -b.velocity.y, b.velocity.z)
        b.age += 1
        bodies[i] = b
        energy += sb.dot(b.velocity, b.velocity) * b.mass
    return energy
""",
    # integers that mix bits
    """
@sb.kernel
def kernel_{n}(seed: uint32, rounds: int32) -> int32:
    h = seed ^ uint32({n})
    for _ in range(rounds):
        h = h ^ (h >> 16)
        h = h * uint32(0x7FEB352D)
        h = h ^ (h >> 15)
        h = h * uint32(0x846CA68B)
        h = h ^ (h >> 16)
    low = int32(h & uint32(0x7FFF))
    if low % 3 == 0:
        low = low // 3
    return low + {n}
""",
    # the math library
    """
@sb.kernel
def kernel_{n}(x: ReadOnly[float64], y: Array[float64]) -> float64:
    total = 0.0
    for i in range(min(len(x), len(y))):
        a = x[i] * {n}.5
        s = math.sin(a)
        c = math.cos(a)
        e = math.exp(-a * a)
        y[i] = s * c + e
        total += y[i]
    mean = total / float64(len(x) + 1)
    root = math.sqrt(mean * mean + 1.0)
    return root
""",
    # a search on a grid
    """
@sb.kernel
def kernel_{n}(cells: ReadOnly[int32], width: int32) -> int32:
    best = -1
    at = 0
    height = len(cells) // max(width, 1)
    for row in range(height):
        for column in range(width):
            value = cells[row * width + column] + {n}
            if value % 7 == 3:
                continue
            if value > best:
                best = value
                at = row * width + column
    return int32(at)
""",
    # scalars: a solver's steps
    """
@sb.kernel
def kernel_{n}(a: float64, b: float64, steps: int32) -> float64:
    low = min(a, b)
    high = max(a, b)
    for _ in range(steps):
        middle = (low + high) * 0.5
        value = middle * middle * middle - middle * {n}.0 - 1.0
        if value > 0.0:
            high = middle
        elif value < 0.0:
            low = middle
        else:
            break
    return (low + high) * 0.5
""",
)
CALLS = (
    "float64(kernel_{n}(f, g))", "float64(kernel_{n}(bodies, float32(0.01)))",
    "float64(kernel_{n}(uint32(7), 3))", "kernel_{n}(x, y)", "float64(kernel_{n}(cells, 4))",
    "kernel_{n}(x[0], y[0], 8)",
)  # fmt: skip
MAIN = """
@sb.kernel
def every(f: ReadOnly[float32], g: Array[float32], x: ReadOnly[float64], y: Array[float64],
          bodies: Array[Body], cells: ReadOnly[int32]) -> float64:
    total = 0.0
"""


def text(kernels: int) -> str:
    """The module's source."""
    parts, calls = [HEAD], [MAIN]
    for n in range(kernels):
        kind = n % len(KINDS)
        parts.append(KINDS[kind].format(n=n))
        calls.append(f"    total += {CALLS[kind].format(n=n)}\n")
    return "\n".join([*parts, "".join([*calls, "    return total\n"])])


def probe(folder: str) -> dict[str, Any]:
    """CPU seconds of the first call in this process, and of the module's import before."""
    import numpy as np

    import samebits as sb

    sb.set_cache_dir(f"{folder}/cache")
    sys.path.insert(0, folder)
    start = time.process_time()
    large: Any = import_module("large")

    imported = time.process_time()
    f, g = np.full((2, 8), 0.5, np.float32)
    x, y = np.full((2, 8), 0.5, np.float64)
    arguments = f, g, x, y, np.zeros(4, large.Body.dtype), np.arange(16, dtype=np.int32)
    before = time.process_time()
    result = large.every(*arguments)
    cpu = time.process_time() - before
    return {"cpu": cpu, "import": imported - start, "result": float(result).hex()}


def measure(kernels: int, processes: int) -> list[dict[str, Any]]:
    """The probes of a process that compiles and of `processes` later ones."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "large.py").write_text(text(kernels))
        command = [sys.executable, "-m", "benchmarks.large_module", "--probe", folder]
        return [
            json.loads(
                subprocess.run(
                    command, check=True, capture_output=True, text=True, env=probe_environment()
                ).stdout
            )
            for _ in range(1 + processes)
        ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernels", type=int, default=KERNELS)
    parser.add_argument("--processes", type=int, default=5)
    parser.add_argument("--probe", metavar="FOLDER", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.probe:
        print(json.dumps(probe(options.probe)))
        return
    first, *later = measure(options.kernels, options.processes)
    lines = text(options.kernels).count("\n")
    print(f"{lines:,} lines, {options.kernels} kernels: CPU seconds of the first call")
    print(f"compiled: {first['cpu']:.2f}")
    print(f"from the disk cache: {min(run['cpu'] for run in later):.4f}, the least of {len(later)}")


if __name__ == "__main__":
    main()
