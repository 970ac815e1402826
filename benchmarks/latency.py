"""Latencies against their goals, each the median of fresh processes."""

import atexit
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

PROCESSES = 7


@dataclass(frozen=True)
class Latency:
    """A measured latency, wall and CPU, and its goal; `note` says what else was seen."""

    title: str
    times: tuple[float, float]
    goal: float
    note: str = ""

    @property
    def reached(self) -> bool:
        return self.times[0] <= self.goal


@cache
def bytecode_folder() -> str:
    """Where the probes keep Python's bytecode: as in an installed package, it is compiled once."""
    folder = tempfile.mkdtemp(prefix="samebits-bench-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def probe_environment() -> dict[str, str]:
    """The environment of a probe's process."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": bytecode_folder()}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return environment


def probe(*arguments: str) -> dict[str, Any]:
    """What `benchmarks.probe` prints. Raises subprocess.CalledProcessError where it fails."""
    command = [sys.executable, "-m", "benchmarks.probe", *arguments]
    result = subprocess.run(
        command, check=True, capture_output=True, text=True, env=probe_environment()
    )
    return json.loads(result.stdout)


def medians(run: Callable[[], dict[str, Any]]) -> tuple[tuple[float, float], dict[str, Any]]:
    """Median wall and CPU seconds, after a process that is not counted; the last one's answer."""
    run()
    answers = [run() for _ in range(PROCESSES)]
    wall, cpu = (statistics.median(a[name] for a in answers) for name in ("seconds", "cpu"))
    return (wall, cpu), answers[-1]


def latencies() -> list[Latency]:
    """All of them, in the order of a program's life."""
    imported, _ = medians(lambda: probe("import"))
    first, _ = medians(lambda: probe("first"))
    twenty, _ = medians(lambda: probe("twenty", "float32"))
    twenty_wide, _ = medians(lambda: probe("twenty", "float64"))
    math_call, _ = medians(lambda: probe("math"))
    with tempfile.TemporaryDirectory() as folder:
        probe("cached-loaded", folder)
        cached, seen = medians(lambda: probe("cached", folder))
        second, _ = medians(lambda: probe("cached-loaded", folder))
        whole, parts = medians(lambda: probe("cached-whole", folder))
    front, compiler = (
        "loaded" if seen[name] else "not loaded" for name in ("front_half", "llvmlite")
    )
    warm, _ = medians(lambda: probe("warm"))
    pinned, _ = medians(lambda: probe("pinning", "default"))
    restored, _ = medians(lambda: probe("pinning", "foreign"))
    job, _ = medians(lambda: probe("job"))
    return [
        Latency("import samebits, beyond numpy", imported, 0.15),
        Latency("first call of a ten-line kernel", first, 0.060),
        Latency("first call of a loop over twenty float32 functions", twenty, 0.5),
        Latency("the same over float64", twenty_wide, 0.5),
        Latency(
            "the ten lines from the disk cache, first in the process",
            cached,
            0.010,
            f"after `import samebits`; front end {front}, LLVM {compiler}",
        ),
        Latency(
            "the same with what the cache itself loads, no folder named for it",
            whole,
            0.010,
            f"after `import samebits`; compiler {'loaded' if parts['compiler'] else 'not loaded'}",
        ),
        Latency("the same after another kernel from the disk cache", second, 0.010),
        Latency("a warm call, four arrays", warm, 5e-6),
        Latency("math.sin of eight floats, from Python", math_call, 3e-6),
        Latency("scheduling and completing an empty job", job, 15e-6),
        Latency("what pinning the FP environment adds to a call", pinned, 20e-9),
        Latency("the same where the caller flushes and rounds toward zero", restored, 20e-9),
    ]
