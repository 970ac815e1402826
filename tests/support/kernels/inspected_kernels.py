"""Kernels whose code is looked at line by line; line numbers are found by the text behind `#`."""

from __future__ import annotations

from pathlib import Path

import samebits as sb
from samebits import Array, ReadOnly, float32, int32, int64, math
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import Module
from samebits.lang.kernel import Kernel
from samebits.passes.pipeline import optimise


@sb.kernel
def twice(x: float32) -> float32:
    return x + x  # inlined


@sb.kernel
def loops(x: ReadOnly[float32], y: Array[float32], where: ReadOnly[int32]) -> float32:
    for i in range(len(y)):  # map
        y[i] = twice(x[i]) * 3.0  # map body
    total = float32(0)
    for i in range(len(x)):  # sum
        total += x[i]  # sum body
    for i in range(len(x)):  # sine
        y[i] = math.sin(x[i])
    for i in range(len(where)):  # scatter
        y[where[i]] = total  # scatter body
    for i in range(len(y)):  # outer
        for j in range(1, len(y)):  # inner
            y[j] = y[j - 1] + y[i]
    return total


@sb.kernel
def fused(a: float32, b: float32, c: float32) -> float32:
    return sb.fma(a, b, c)


@sb.kernel
def remainders(x: Array[int64], n: int64) -> None:
    for i in range(len(x)):  # remainders
        x[i] = x[i] % n if n > 1 else int64(0)


def line(text: str) -> int:
    """The line that ends with `# text`."""
    lines = Path(__file__).read_text().splitlines()
    return next(i for i, found in enumerate(lines, 1) if found.endswith(f"# {text}"))


def module_of(kernel: Kernel) -> tuple[Module, list[str]]:
    """A kernel's module after the passes, and its entry."""
    assert kernel.fixed_types is not None
    unit = compile_kernel(kernel, kernel.fixed_types)
    entries = [unit.function.name]
    return optimise(link(unit), entries), entries
