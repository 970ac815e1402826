"""Jobs over arrays, and whether the arrays can be used after whatever became of the jobs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import float3, float32, int32
from samebits.errors import SamebitsError
from samebits.runtime import memory_claims as claims
from samebits.runtime.threads import pool as pools
from tests.support.limits import HANG_SECONDS

N = 6


@sb.job
class Inc(sb.ParallelFor):
    a: sb.Array[float32]

    def execute(self, index: int32):
        self.a[index] += float32(1)


@sb.job
class Add(sb.ParallelFor):
    a: sb.ReadOnly[float32]
    b: sb.Array[float32]

    def execute(self, index: int32):
        self.b[index] += self.a[index]


@sb.job
class Find(sb.ParallelFor):
    a: sb.ReadOnly[float32]
    found: sb.Appender[int32]

    def execute(self, index: int32):
        if self.a[index] >= float32(0):
            self.found.append(index)


@sb.kernel
def total(a: sb.ReadOnly[float32]) -> float32:
    s = float32(0)
    for i in range(len(a)):
        s += a[i]
    return s


A, B = np.zeros(N, np.float32), np.zeros(N, np.float32)

GUARDED = sb.guarded(A), sb.guarded(B)


def check() -> None:
    """The arrays can be used, whatever still runs; and jobs over them give the right bits."""
    for array in GUARDED:
        array.fill(1)
    assert total(A) == N
    first = Inc(a=A).schedule(N, batch=2)
    second = Add(a=A, b=B).schedule(N, depends_on=first)
    second.complete()
    first.complete()
    assert np.all(A == 2)
    assert np.all(B == 3)
    assert not claims.PENDING
    pool = pools.pool()
    assert not pool._ready
    assert not pool._running
    assert not pool._ended
    assert not pool._disturbed
    assert pool._threads <= 2  # those too many end a little later
    assert pools.running.value == 0
    assert pools.inside.depth == 0
    for lock in (pool._lock, claims.LEDGER.lock):  # another worker may have it for a moment
        assert lock.acquire(True, HANG_SECONDS)
        lock.release()


@sb.job
class Move(sb.ParallelFor):
    velocities: sb.ReadOnly[float3]
    positions: sb.Array[float3]

    def execute(self, index: int32):
        self.positions[index] += self.velocities[index]


@sb.job
class Measure(sb.For):
    points: sb.ReadOnly[float3]
    heights: sb.WriteOnly[float32]

    def execute(self, index: int32):
        self.heights[index] = self.points[index].y


def arrays(*names: str) -> list[Any]:
    return [np.zeros((8, 3), np.float32) for _ in names] or []


def message(call: Callable[[], object]) -> str:
    with pytest.raises(SamebitsError) as caught:
        call()
    return str(caught.value)
