"""Kernels whose iterations race, because `unsafe_parallel` lets them."""

from __future__ import annotations

import samebits as sb
from samebits import float2, float32, int32


@sb.struct
class Bird:
    pos: float2
    age: int32


@sb.struct
class Flock:
    birds: sb.FixedArray[Bird, 4]


@sb.kernel
def reads_the_next(flock: Flock):
    for i in sb.prange(4):
        birds = sb.unsafe_parallel(flock.birds)[(i + 1) % 4]
        flock.birds[i].pos = birds.pos * float32(2)


@sb.kernel
def reads_the_one_before(flock: Flock):
    for i in sb.prange(4):
        if i > 0:
            flock.birds[i].pos = sb.unsafe_parallel(flock.birds)[i - 1].pos
        else:
            flock.birds[i].pos = float2(1, 2)


@sb.kernel
def copies_the_next(flock: Flock):
    for i in sb.prange(3):
        flock.birds[i] = sb.unsafe_parallel(flock.birds)[i + 1]


@sb.kernel
def reads_the_first(a: sb.Array[float32, 2]):
    """Iterations 1 and 2 read what iteration 3 owns and writes."""
    for i in sb.prange(a.shape[0]):
        if i == 1 or i == 2:
            a[i, 0] = sb.unsafe_parallel(a)[3, 0]
        elif i == 3:
            a[i, 0] = float32(1)


@sb.kernel
def one_after_the_other(y: sb.Array[float32]):
    for i in sb.prange(len(y)):
        y[i] = float32(i)
    for i in sb.prange(len(y)):
        sb.unsafe_parallel(y)[len(y) - 1 - i] += float32(1)


@sb.kernel
def batch(begin: int, end: int, at: sb.ReadOnly[int32], y: sb.Array[float32]):
    """What a job's batch does."""
    for i in range(begin, end):
        y[at[i]] += float32(1)
