"""Short sums inside loops, written out: in the same order, where iterations are neighbours."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from tests.support.machines.other_machines import HERE

import samebits as sb
from samebits import float32, float64
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import For, walk
from samebits.lang.kernel import Kernel
from samebits.passes.pipeline import optimise
from samebits.passes.semantics.float_modes import lower_float_modes

BEST = [f"{row.name}-O3" for row in HERE][-2:]
SIZE = 90


@sb.kernel(mode=sb.DETERMINISTIC)
def filtered(x: sb.ReadOnly[float32], h: sb.ReadOnly[float32], z: sb.Array[float32]) -> None:
    for i in range(len(z)):
        total = float32(0)
        for k in range(64):
            total += x[i + k] * h[k]
        z[i] = total


@sb.kernel(mode=sb.DETERMINISTIC, denormals="flush")
def two_sums(x: sb.ReadOnly[float64], h: sb.ReadOnly[float64], z: sb.Array[float64]) -> None:
    for i in range(len(z)):
        a, b = float64(1), x[i]
        for k in range(3, 24):
            a = a * (h[k] + x[i + k])
            b = sb.min(b, x[i + 24 - k])
        z[i] = a - b


@sb.kernel(mode=sb.DETERMINISTIC)
def one_after_another(
    x: sb.ReadOnly[float32], h: sb.ReadOnly[float32], z: sb.Array[float32]
) -> None:
    for i in range(2, len(z)):
        a = float32(0)
        for k in range(9):
            a += x[i + 8 - k]
        for k in range(17):
            a = sb.max(a, h[k] * x[k + i])
        z[i] = a


WRITTEN = (filtered, two_sums, one_after_another)


@sb.kernel(mode=sb.DETERMINISTIC)
def by_rows(x: sb.ReadOnly[float32], h: sb.ReadOnly[float32], z: sb.Array[float32]) -> None:
    """Neighbours of an iteration's numbers are its own."""
    for i in range(len(z)):
        total = float32(0)
        for k in range(9):
            total += x[i * 9 + k] * h[k]
        z[i] = total


@sb.kernel(mode=sb.DETERMINISTIC)
def counter_after(x: sb.ReadOnly[float32], h: sb.ReadOnly[float32], z: sb.Array[float32]) -> None:
    last = 0
    for i in range(len(z)):
        total = float32(0)
        for k in range(9):
            total += x[i + k] * h[k]
            last = k
        z[i] = total + float32(last)


@sb.kernel(mode=sb.DETERMINISTIC)
def carried(x: sb.ReadOnly[float32], h: sb.ReadOnly[float32], z: sb.Array[float32]) -> None:
    total = float32(0)
    for i in range(len(z)):
        for k in range(9):
            total += x[i + k] * h[k]
        z[i] = total


@sb.kernel(mode=sb.DETERMINISTIC)
def too_long(x: sb.ReadOnly[float32], h: sb.ReadOnly[float32], z: sb.Array[float32]) -> None:
    for i in range(len(z)):
        total = float32(0)
        for k in range(65):
            total += x[i + k] * h[k % 8]
        z[i] = total


@sb.kernel(mode=sb.DETERMINISTIC)
def backwards(x: sb.ReadOnly[float32], h: sb.ReadOnly[float32], z: sb.Array[float32]) -> None:
    for i in range(len(z)):
        total = float32(0)
        for k in range(9):
            total += x[40 - i + k] * h[k]
        z[i] = total


LEFT = (by_rows, counter_after, carried, too_long, backwards)


def most_loops_with_lanes(kernel: Kernel) -> tuple[int, int]:
    """Of the kernel's loops, how many have lanes before and after the passes."""
    types = kernel.fixed_types
    assert types is not None
    unit = compile_kernel(kernel, types)
    module = lower_float_modes(link(unit))
    names = [unit.function.name]
    counts = [
        sum(isinstance(s, For) and s.lanes is not None for s in walk(m.functions[names[0]].body))
        for m in (module, optimise(module, names))
    ]
    return counts[0], counts[1]


def arrays(kernel: Kernel, rng: Random) -> tuple[Any, ...]:
    dtype = np.float64 if kernel is two_sums else np.float32
    least = float(np.finfo(dtype).tiny)
    values = (1.5, -0.25, 1e-3, 3.0, -0.0, float("inf"), float("nan"), least, -least / 2, 1e30)
    weights = (20, 20, 20, 20, 3, 1, 1, 3, 3, 1)
    x = np.array(rng.choices(values, weights, k=SIZE * 9 + 64), dtype)
    h = np.array(rng.choices(values, weights, k=65), dtype)
    return x, h, np.zeros(rng.choice((1, 15, 16, 33, 37)), dtype)


@pytest.mark.parametrize("kernel", WRITTEN, ids=lambda kernel: kernel.__name__)
def test_sums_that_are_written_out_have_the_order_of_lanes(kernel: Kernel) -> None:
    before, after = most_loops_with_lanes(kernel)
    assert after <= before  # the copy with checks keeps its own
    rng = Random(3)
    given = [arrays(kernel, rng) for _ in range(8)]
    shared = np.array(given[0][0])
    given.append((shared, shared[3:68], shared[20:60]))
    sb.assert_same_bits_each(kernel, given)


@pytest.mark.parametrize("kernel", LEFT, ids=lambda kernel: kernel.__name__)
def test_other_loops_stay(kernel: Kernel) -> None:
    before, after = most_loops_with_lanes(kernel)
    assert after >= before > 0
    rng = Random(4)
    sb.assert_same_bits_each(kernel, [arrays(kernel, rng) for _ in range(4)], targets=BEST)
