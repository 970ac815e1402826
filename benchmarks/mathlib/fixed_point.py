"""fix32 beside float64 STRICT, in loops over arrays and in a chain of dependent steps.

    python -m benchmarks.mathlib.fixed_point

Prints nanoseconds an element for both, the best of several runs, and the ratio.
"""

import time
from typing import Any

import numpy as np

import samebits as sb
from samebits import fix32, fix32_wrap, float64, math


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


def seconds(kernel: Any, arrays: list[Any]) -> float:
    """The least time of a call."""
    kernel(*arrays)
    best = float("inf")
    for _ in range(30):
        began = time.perf_counter()
        kernel(*arrays)
        best = min(best, time.perf_counter() - began)
    return best


def main() -> None:
    """Time each loop at each type."""
    n = 4096
    values = np.random.default_rng(1).uniform(-1, 1, (2, n))
    steps = [np.round(row * 2**32).astype(np.int64) for row in values]
    reference: dict[str, float] = {}
    for t in (float64, fix32, fix32_wrap):
        columns = list(values) if t is float64 else steps
        for name, kernel in kernels(t).items():
            arrays = [*columns, np.zeros_like(columns[0])]
            took = seconds(kernel, arrays) / n * 1e9
            reference.setdefault(name, took)
            ratio = took / reference[name]
            print(f"{t.__name__:<11} {name:<17} {took:7.3f} ns  {ratio:5.2f} x float64")


if __name__ == "__main__":
    main()
