"""fix32 beside float64 STRICT, in loops over small arrays and in a chain of dependent steps."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import samebits as sb
from benchmarks.measure import Runner, interleave
from benchmarks.report import verdict
from samebits import fix32, fix32_wrap, float64, math

COUNT = 4096
GOAL = 2.0
"""Times that a product, trapping or not, and a sine may take of what they take in float64."""
HELD = ("multiply", "sin")


@dataclass(frozen=True)
class Row:
    """Seconds a call."""

    loop: str
    type_name: str
    ours: float
    float64: float

    @property
    def times(self) -> float:
        """How many times as long as in float64."""
        return self.ours / self.float64


def kernels(T: Any) -> dict[str, Any]:  # noqa: N803
    """The loops that are timed, at element type `T`."""

    @sb.kernel
    def multiply(a: sb.ReadOnly[T], b: sb.ReadOnly[T], out: sb.Array[T]) -> None:
        for i in range(len(a)):
            out[i] = a[i] * b[i]

    @sb.kernel
    def sine(a: sb.ReadOnly[T], b: sb.ReadOnly[T], out: sb.Array[T]) -> None:
        for i in range(len(a)):
            out[i] = math.sin(a[i])

    @sb.kernel
    def chain(a: sb.ReadOnly[T], b: sb.ReadOnly[T], out: sb.Array[T]) -> None:
        x = a[0]
        for i in range(len(a)):
            x = x * b[i] + a[i]
        out[0] = x

    return {"multiply": multiply, "sin": sine, "chain of x*b + a": chain}


def measure(rounds: int) -> list[Row]:
    """Each loop at each type, float64 in the same rounds."""
    values = np.random.default_rng(1).uniform(-1, 1, (2, COUNT))
    steps: list[Any] = [np.round(row * 2**32).astype(np.int64) for row in values]
    types = (float64, fix32, fix32_wrap)
    rows: list[Row] = []
    for loop in kernels(float64):
        runners: list[Runner] = []
        for t in types:
            columns: list[Any] = list(values) if t is float64 else steps
            out = np.zeros_like(columns[0])
            runners.append(Runner(partial(kernels(t)[loop], *columns, out), ()))
        interleave(runners, (), rounds)
        reference, *others = (runner.median for runner in runners)
        rows += [
            Row(loop, t.__name__, took, reference)
            for t, took in zip(types[1:], others, strict=True)
        ]
    return rows


def table(rows: list[Row]) -> list[str]:
    """The rows, then the goal."""
    lines = ["| loop | type | ns an element | float64 | × as long |", "|---|---|--:|--:|--:|"]
    for row in rows:
        ours, reference = (seconds * 1e9 / COUNT for seconds in (row.ours, row.float64))
        lines.append(
            f"| {row.loop} | {row.type_name} | {ours:.2f} | {reference:.2f} | {row.times:.2f} |"
        )
    most = max((row for row in rows if row.loop in HELD), key=lambda row: row.times)
    return [*lines, "", f"Goal: {' and '.join(HELD)} in at most {GOAL:.0f} times float64's time: "
            f"{most.times:.2f} ({most.type_name} {most.loop}), "
            f"{verdict(most.times <= GOAL)}."]  # fmt: skip


if __name__ == "__main__":
    print("\n".join(table(measure(9))))
