"""Latencies against their goals, each the median of fresh processes."""

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

PROCESSES = 7


@dataclass(frozen=True)
class Latency:
    """A measured latency and its goal, in seconds; `note` says what else was seen."""

    title: str
    seconds: float
    goal: float
    note: str = ""

    @property
    def reached(self) -> bool:
        return self.seconds <= self.goal


def probe(*arguments: str) -> dict[str, Any]:
    """What `benchmarks.probe` prints. Raises subprocess.CalledProcessError where it fails."""
    command = [sys.executable, "-m", "benchmarks.probe", *arguments]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def medians(run: Callable[[], dict[str, Any]]) -> tuple[float, dict[str, Any]]:
    """Median seconds over processes, and the last process's whole answer."""
    answers = [run() for _ in range(PROCESSES)]
    return statistics.median(answer["seconds"] for answer in answers), answers[-1]


def latencies() -> list[Latency]:
    """All of them, in the order of a program's life."""
    imported, _ = medians(lambda: probe("import"))
    first, _ = medians(lambda: probe("first"))
    with tempfile.TemporaryDirectory() as folder:
        probe("cached-loaded", folder)
        cached, seen = medians(lambda: probe("cached", folder))
        second, _ = medians(lambda: probe("cached-loaded", folder))
    loaded = "loaded" if seen["front_half"] else "not loaded"
    warm, _ = medians(lambda: probe("warm"))
    return [
        Latency("import samebits, beyond numpy", imported, 0.15),
        Latency("first call of a ten-line kernel", first, 0.060),
        Latency(
            "the same from the disk cache, first in the process",
            cached,
            0.010,
            f"front end {loaded}, LLVM's loader included",
        ),
        Latency("the same from the disk cache, loader present", second, 0.010),
        Latency("a warm call, four arrays", warm, 5e-6),
    ]
