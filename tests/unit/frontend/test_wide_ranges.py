"""Ranges take bounds of uint64, and trap where int64 holds no such number, in every execution."""

from __future__ import annotations

import numpy as np
import pytest
from tests.support.executions import same, trap_of

import samebits as sb
from samebits import Array, ReadOnly, int32, uint64


@sb.kernel
def counted(first: uint64, n: uint64, step: uint64, a: ReadOnly[int32]) -> int:
    total = 0
    for i in range(first, n, step):
        total = total * 3 + i
    for i in range(n):
        total += i
    for k, v in enumerate(a, first):
        total += k * int(v)
    return total


@sb.kernel
def parallel(first: uint64, n: uint64, a: Array[int32]) -> int:
    for i in sb.prange(first, n):
        a[i] = int32(i)
    return len(a)


@sb.kernel
def late(n: uint64, x: Array[int32]) -> int:
    for i in range(n, set_first(x), 1):
        x[i] = int32(0)
    return 0


@sb.kernel
def set_first(x: Array[int32]) -> int:
    x[0] = int32(7)
    return 3


def test_ranges_take_uint64() -> None:
    a = np.arange(5, dtype=np.int32)
    assert same(counted, uint64(1), uint64(6), uint64(2), a) > 0
    assert same(parallel, uint64(1), uint64(4), a) == 5


def test_a_bound_that_int64_does_not_hold_traps_at_the_call() -> None:
    a, wide = np.zeros(5, np.int32), uint64(1 << 63)
    assert trap_of(counted, wide, uint64(6), uint64(2), a) == (
        "overflow", "range(first, n, step)",
    )  # fmt: skip
    assert trap_of(counted, uint64(0), uint64(6), wide, a)[1] == "range(first, n, step)"
    assert trap_of(counted, uint64(0), uint64(6), uint64(0), a)[0] == "assert"
    assert trap_of(parallel, uint64(1), wide, a) == ("overflow", "sb.prange(first, n)")
    assert trap_of(late, wide, a) == ("overflow", "range(n, set_first(x), 1)")
    with pytest.raises(sb.Trap):
        late(wide, a)
    assert a[0] == 7  # all arguments are evaluated before
