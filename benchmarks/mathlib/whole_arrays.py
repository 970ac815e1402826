"""Functions of whole arrays beside NumPy's: sums, extremes and scans of several sizes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks.measure import Runner, interleave
from benchmarks.report import verdict
from samebits import math

SIZES = {"4 Ki": 1 << 12, "1 Mi": 1 << 20, "16 Mi": 1 << 24}
TYPES = ("float32", "float64")
GOAL = 0.9
"""Of np.sum's speed, for 16 Mi float32."""
PEERS: dict[str, tuple[Any, Any]] = {
    "sum": (math.sum, np.sum),
    "min": (math.min, np.min),
    "argmax": (math.argmax, np.argmax),
    "cumsum": (math.cumsum, np.cumsum),
    "exact_sum, beside np.sum": (math.exact_sum, np.sum),
}
"""Ours and NumPy's, by name; without those that BLAS does on threads of its own."""


@dataclass(frozen=True)
class Row:
    """Seconds a call."""

    function: str
    type_name: str
    size: str
    ours: float
    numpy: float

    @property
    def ratio(self) -> float:
        return self.numpy / self.ours


def measure(rounds: int) -> list[Row]:
    """Every function on every type and size."""
    rows: list[Row] = []
    for type_name in TYPES:
        for size, count in SIZES.items():
            x = np.random.default_rng(1).random(count).astype(type_name)
            for name, peers in PEERS.items():
                runners = [Runner(partial(peer, x), ()) for peer in peers]
                interleave(runners, (), rounds if count < 1 << 22 else max(3, rounds // 3))
                rows.append(Row(name, type_name, size, *(r.median for r in runners)))
    return rows


def table(rows: list[Row]) -> list[str]:
    """The rows, then the goal."""
    lines = ["| function | type | elements | µs | × NumPy |", "|---|---|--:|--:|--:|"]
    for row in rows:
        lines.append(
            f"| {row.function} | {row.type_name} | {row.size} | {row.ours * 1e6:.1f} "
            f"| {row.ratio:.2f} |"
        )
    goal = next(r for r in rows if (r.function, r.type_name, r.size) == ("sum", "float32", "16 Mi"))
    return [*lines, "", f"Goal: `sum` of 16 Mi float32 at {GOAL} of `np.sum`'s speed: "
            f"{goal.ratio:.2f}, {verdict(goal.ratio >= GOAL)}."]  # fmt: skip


if __name__ == "__main__":
    print("\n".join(table(measure(9))))
