"""Stores whose NaN is made canonical behind them: which loops have such, and what memory holds."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import samebits as sb
from samebits import Array, ReadOnly, float32, float64, int32
from samebits.backend.text.nan_stores import serial_stores
from samebits.frontend.compile import compile_kernel
from samebits.lang.kernel import Kernel

ODD = (0x7FF8_0000_0000_0001, 0xFFF8_0000_0000_0000, 0x7FF0_0000_0000_0001)
"""NaNs that samebits never makes: a payload, a sign, a signalling one."""
SIZE = 9


@sb.kernel
def at_indices(a: Array[float64], x: ReadOnly[float64], at: ReadOnly[int32]) -> None:
    for i in range(len(x)):
        a[at[i]] = x[i] * 2.0


@sb.kernel
def onto_indices(a: Array[float64], x: ReadOnly[float64], at: ReadOnly[int32]) -> None:
    for i in range(len(x)):
        a[at[i]] += x[i]
        a[at[i] + 1] -= x[i]


@sb.kernel
def at_floats(a: Array[float64], x: ReadOnly[float64], at: ReadOnly[int32]) -> None:
    for i in range(len(x)):
        k = int(float64(at[i]) * 0.5)
        f = x[i] - 1.0
        a[k] = a[k] + f
        a[k + 1] = a[k + 1] * f


@sb.kernel
def into_both(a: Array[float64], x: ReadOnly[float64], at: ReadOnly[int32]) -> None:
    for i in range(len(x)):
        a[at[i]] = a[i] + x[i]
        a[i] = a[at[i]] * x[i]


@sb.kernel
def from_indices(a: Array[float64], x: ReadOnly[float64], at: ReadOnly[int32]) -> None:
    for i in range(len(x)):
        a[i] = x[at[i]] * 2.0


@sb.kernel
def in_order(a: Array[float64], x: ReadOnly[float64], at: ReadOnly[int32]) -> None:
    for i in range(len(x)):
        a[i] += x[i]


SCATTER = (at_indices, onto_indices, at_floats, into_both)
OTHERS = (from_indices, in_order)


@pytest.mark.parametrize("kernel", [*SCATTER, *OTHERS])
def test_stores_at_indices_from_memory_are_found(kernel: Kernel) -> None:
    unit = compile_kernel(kernel, kernel.fixed_types)
    serial, found = serial_stores(unit.function)
    assert not serial
    assert bool(found) == (kernel in SCATTER)


@pytest.mark.parametrize("kernel", [*SCATTER, *OTHERS])
def test_memory_is_as_managed_leaves_it(kernel: Kernel) -> None:
    """Whatever NaNs are there before, and where two stores go to one place."""
    given = np.array([1.0, 3.0, 0.5, -2.0, np.inf, 7.0, -0.0], np.float64)
    orders = ([6, 5, 4, 3, 2, 1, 0], [0] * 7, [3, 3, 4, 4, 3, 2, 2])
    for pattern, k, j, order in product(ODD, (0, 3, 6), (1, 4), orders):
        left: list[bytes] = []
        for run in (kernel, kernel.managed):
            a, x = np.arange(1.0, SIZE + 1), given.copy()
            a.view(np.uint64)[k] = x.view(np.uint64)[j] = pattern
            run(a, x, np.array(order, np.int32))
            left.append(a.tobytes())
        assert left[0] == left[1]


@sb.kernel
def of_singles(a: Array[float32], x: ReadOnly[float32], at: ReadOnly[int32]) -> None:
    for i in range(len(x)):
        a[at[i]] = a[at[i]] / x[i]


def test_singles_are_as_managed_leaves_them() -> None:
    for pattern in (0x7FC0_0001, 0xFFC0_0000, 0x7F80_0001):
        left: list[bytes] = []
        for run in (of_singles, of_singles.managed):
            a, x = np.zeros(4, np.float32), np.array([0, 1, 2, 3, 4], np.float32)
            x.view(np.uint32)[3] = pattern
            run(a, x, np.array([0, 1, 2, 3, 1], np.int32))
            left.append(a.tobytes())
        assert left[0] == left[1]
