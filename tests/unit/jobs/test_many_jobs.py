"""Scheduling and completing many jobs takes bytecodes in proportion to them, and no recursion."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tests.support.interrupting import bytecodes
from tests.support.kernels.jobs import Add, Inc, check

import samebits as sb


def chain(n: int) -> None:
    a, last = np.zeros(2, np.float32), None
    for _ in range(n):
        last = Inc(a=a).schedule(2, depends_on=last)
    assert last is not None
    last.complete()
    assert a[0] == n


def chain_that_reads_what_the_first_wrote(n: int) -> None:
    k, a = np.zeros(2, np.float32), np.zeros(2, np.float32)
    last = Inc(a=k).schedule(2)
    for _ in range(n):
        last = Add(a=k, b=a).schedule(2, depends_on=last)
    last.complete()
    assert a[0] == n


def two_chains(n: int) -> None:
    k, a = np.zeros(2, np.float32), np.zeros((2, 2), np.float32)
    last = [Inc(a=k).schedule(2)] * 2
    for i in range(n):
        last[i % 2] = Add(a=k, b=a[i % 2]).schedule(2, depends_on=last[i % 2])
    for one in last:
        one.complete()
    assert a[0, 0] == n // 2


def readers_of_one_array(n: int) -> None:
    k, b = np.zeros(2, np.float32), np.zeros((n, 2), np.float32)
    first = Inc(a=k).schedule(2)
    readers = [Add(a=k, b=b[i]).schedule(2, depends_on=first) for i in range(n)]
    Inc(a=k).schedule(2, depends_on=sb.combine(readers)).complete()
    assert np.all(b == 1)


def layers(n: int) -> None:
    k, b = np.zeros((n // 4, 2), np.float32), np.zeros((n // 4, 2), np.float32)
    last = sb.combine(Inc(a=row).schedule(2) for row in k)
    for _ in range(3):
        pairs = zip(k, b, strict=True)
        last = sb.combine(Add(a=x, b=y).schedule(2, depends_on=last) for x, y in pairs)
    last.complete()
    assert np.all(b == 3)


def jobs_apart(n: int) -> None:
    b = np.zeros((n, 2), np.float32)
    for handle in [Inc(a=row).schedule(2) for row in b][::-1]:
        handle.complete()
    assert np.all(b == 1)


SHAPES: list[Callable[[int], None]] = [
    chain, chain_that_reads_what_the_first_wrote, two_chains, readers_of_one_array, layers,
    jobs_apart,
]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_the_bytecodes_of_twice_as_many_jobs_are_twice_as_many(
    shape: Callable[[int], None],
) -> None:
    sb.set_workers(1)
    try:
        shape(8)
        few, many = bytecodes(lambda: shape(200)), bytecodes(lambda: shape(800))
    finally:
        sb.set_workers(None)
    assert many < 6 * few  # what looks at every pair would take sixteen times as many
    check()


def test_ten_thousand_jobs_in_a_chain_need_no_stack() -> None:
    chain(10_000)
    check()
