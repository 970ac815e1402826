"""Loops and indices at the ends of int64: the same iterations or trap in every execution."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from tests.support.levels import LOWEST_AND_BEST

import samebits as sb
from samebits import float32, int8, uint32, uint64
from samebits.errors import BitsMismatchError
from samebits.lang.dispatch import types_for
from samebits.runtime.same_bits import CallOutcome, _observe, compare, executions

LOW, HIGH = -(2**63), 2**63 - 1
ENDS = [LOW, LOW + 1, LOW + 2, -2, -1, 0, 1, 2, HIGH - 1, HIGH]
TARGETS = LOWEST_AND_BEST


@sb.kernel
def up(a: int, b: int) -> tuple[int, int]:
    n = 0
    last = 0
    for i in range(a, b):
        n += 1
        last = i
        if n > 3:
            break
    return n, last


@sb.kernel
def up_by_three(a: int, b: int) -> tuple[int, int]:
    n = 0
    last = 0
    for i in range(a, b, 3):
        n += 1
        last = i
        if n > 3:
            break
    return n, last


@sb.kernel
def up_by_most(a: int, b: int) -> tuple[int, int]:
    n = 0
    last = 0
    for i in range(a, b, 9223372036854775807):
        n += 1
        last = i
    return n, last


@sb.kernel
def down_by_seven(a: int, b: int) -> tuple[int, int]:
    n = 0
    last = 0
    for i in range(a, b, -7):
        n += 1
        last = i
        if n > 3:
            break
    return n, last


@sb.kernel
def down_by_most(a: int, b: int) -> tuple[int, int]:
    n = 0
    last = 0
    for i in range(a, b, -9223372036854775808):
        n += 1
        last = i
    return n, last


@sb.kernel
def sums(a: sb.Array[float32], low: int, high: int) -> float32:
    total = float32(0)
    for i in range(low, high):
        total += a[i]
        a[i] = total
    return total


@sb.kernel
def offset(a: sb.Array[float32], low: int, high: int, k: int) -> float32:
    total = float32(0)
    for i in range(low, high):
        total += a[i + k]
        a[i - k] = total
    return total


@sb.kernel
def unsigned(a: sb.Array[float32], i: uint64, j: uint32) -> float32:
    a[i] += 1
    return a[j - uint32(1)]


@sb.kernel
def narrow(a: sb.Array[float32], low: int8, count: int) -> float32:
    total = float32(0)
    i = low
    for _ in range(count):
        total += a[i]
        i += 1
    return total


def hold(kernel: Any, calls: list[tuple[Any, ...]]) -> None:
    """Every call ends in the same bits in every execution."""
    types = types_for(kernel, kernel.signature.bind(calls[0], {}))
    reference: list[CallOutcome] = []
    for name, run in executions(kernel, types, TARGETS):
        for n, args in enumerate(calls):
            outcome = _observe(kernel, types, args, run)
            if n == len(reference):
                reference.append(outcome)
                continue
            try:
                compare(reference[n], outcome, name, kernel.__name__)
            except BitsMismatchError as error:
                raise AssertionError(f"{args}: {error}") from None


@pytest.mark.parametrize(
    "kernel", [up, up_by_three, up_by_most, down_by_seven, down_by_most], ids=lambda k: k.__name__
)
def test_ranges_between_all_ends_iterate_alike(kernel: Any) -> None:
    hold(kernel, list(itertools.product(ENDS, ENDS)))


def line(n: int) -> Any:
    return np.arange(n, dtype=np.float32)


def test_checks_that_left_a_loop_trap_at_the_same_iteration() -> None:
    bounds = list(itertools.product([LOW, -1, 0, 7, 8, HIGH], [LOW, -1, 1, 8, 9, HIGH]))
    hold(sums, [(line(n), a, b) for n in (0, 1, 8) for a, b in bounds])
    hold(offset, [(line(8), a, b, k) for a, b in bounds for k in (LOW, -1, 0, 1, HIGH)])


def test_unsigned_indices_do_not_wrap_into_the_array() -> None:
    far = [0, 7, 8, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 8, 2**64 - 1, 2**32]
    hold(unsigned, [(line(8), np.uint64(i), np.uint32(j)) for i in far for j in (0, 1, 8, 9)])


def test_a_narrow_index_that_wraps_traps() -> None:
    hold(
        narrow, [(line(200), np.int8(i), n) for i in (-128, -1, 0, 120, 127) for n in (0, 1, 8, 9)]
    )
