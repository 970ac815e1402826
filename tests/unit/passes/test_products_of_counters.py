"""Products of loop counters: no check in a loop where a test before it bounds their factors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import float64, int64
from samebits.errors import Trap
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import For, Module, Op, can_trap, walk
from samebits.lang.kernel import Kernel
from samebits.passes.bounds.versioning import checks
from samebits.passes.pipeline import optimise


@sb.kernel
def entry(i: int, j: int) -> float64:
    """An entry of the spectral norm's matrix; it may overflow and may divide by zero."""
    return 1.0 / ((i + j) * (i + j + 1) // 2 + i + 1)


@sb.kernel
def row(first: int, out: sb.Array[float64]) -> None:
    for j in range(len(out)):
        out[j] = entry(first, j)


@sb.kernel
def squares(first: int, out: sb.Array[int64]) -> None:
    for j in range(len(out)):
        out[j] = (first - j) * (first + 2 * j)


@sb.kernel
def reciprocals(first: int, out: sb.Array[float64]) -> None:
    for j in range(len(out)):
        out[j] = 1.0 / (first + j)


@sb.kernel
def matrix(out: sb.Array[float64, 2]) -> None:
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = entry(i, j)


KERNELS = (row, squares, reciprocals)
EDGES = sorted(
    sign * (1 << power) + near
    for power in (0, 1, 2, 23, 24, 25, 29, 30, 31, 32, 47, 48, 61, 62, 63)
    for sign in (-1, 1)
    for near in (-9, -5, -2, -1, 0, 1, 2)
    if -(1 << 63) <= sign * (1 << power) + near < 1 << 63
)


def optimised(kernel: Kernel) -> Module:
    unit = compile_kernel(kernel, kernel.fixed_types)
    return optimise(link(unit), [unit.function.name])


@pytest.mark.parametrize("kernel", [matrix, squares, reciprocals], ids=lambda k: k.__name__)
def test_a_copy_of_the_loop_has_no_checks(kernel: Kernel) -> None:
    module = optimised(kernel)
    (function,) = [f for name, f in module.functions.items() if name.endswith(kernel.__name__)]
    loops = [s for s in walk(function.body) if isinstance(s, For)]
    assert any(not checks(loop.body) for loop in loops)
    assert any(checks(loop.body) for loop in loops)
    assert not any(isinstance(s, Op) and s.opcode == "call" for s in walk(function.body))


def ended(call: Any, first: int, dtype: type) -> tuple[bytes, str]:
    out = np.zeros(8, dtype)
    said = ""
    try:
        call(first, out)
    except Trap as trap:
        said = f"{trap.kind} {trap.span.line if trap.span else 0}"
    return out.tobytes(), said


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.__name__)
def test_it_ends_as_plain_python_does_at_every_edge(kernel: Kernel) -> None:
    dtype = np.int64 if kernel is squares else np.float64
    found = {first: ended(kernel, first, dtype) for first in EDGES}
    assert found == {first: ended(kernel.managed, first, dtype) for first in EDGES}
    assert len({bool(said) for _, said in found.values()}) == 2


@pytest.mark.parametrize("divisor", ["unknown", "zero", "range"])
def test_an_integer_that_may_be_zero_is_tested(divisor: str) -> None:
    kernel = {"unknown": by_parameter, "zero": by_zero, "range": from_zero}[divisor]
    module = optimised(kernel)
    assert any(
        isinstance(s, Op) and s.opcode == "div" and can_trap(s)
        for f in module.functions.values()
        for s in walk(f.body)
    )


@sb.kernel
def by_parameter(n: int) -> float64:
    return 1.0 / n


@sb.kernel
def by_zero(n: int) -> float64:
    return 1.0 / (n - n + min(n, 0))


@sb.kernel
def from_zero(n: int) -> float64:
    total = 0.0
    for j in range(n):
        total += 1.0 / j
    return total
