"""Parallel ranges that are not in the language, each refused with its own message."""

# ruff: noqa
# pyright: reportUndefinedVariable=false
from __future__ import annotations

import samebits as sb
from samebits import Array, ReadOnly, float32, kernel, math
from tests.errors.refused_kernels import World, refused


@refused
def parallel_accumulator(a: ReadOnly[float32]) -> float32:
    total = float32(0)
    for i in sb.prange(len(a)):
        total += a[i]
    return total


@refused
def parallel_break(a: Array[float32]):
    for i in sb.prange(len(a)):
        if a[i] > 1:
            break
        a[i] = float32(2)


@refused
def parallel_return(a: Array[float32]):
    for i in sb.prange(len(a)):
        for k in range(3):
            return


@refused
def parallel_else(a: Array[float32]):
    for i in sb.prange(len(a)):
        a[i] = float32(2)
    else:
        a[0] = float32(1)


@refused
def parallel_step(a: Array[float32]):
    for i in sb.prange(0, len(a), 2):
        a[i] = float32(2)


@refused
def parallel_batch(a: Array[float32], n: int):
    for i in sb.prange(len(a), batch=n):
        a[i] = float32(2)


@refused
def parallel_index_assigned(a: Array[float32]):
    for i in sb.prange(len(a)):
        i = i + 1
        a[i] = float32(2)


@refused
def parallel_name_after(a: Array[float32]) -> float32:
    for i in sb.prange(len(a)):
        last = a[i]
    return last


@refused
def parallel_shared_field(world: World, a: ReadOnly[float32]):
    for i in sb.prange(len(a)):
        world.time = a[i]


@refused
def parallel_used_whole(a: Array[float32]):
    for i in sb.prange(len(a)):
        a[i] = math.sum(a)


@sb.kernel
def clear(a: Array[float32]):
    for i in range(len(a)):
        a[i] = float32(0)


@refused
def parallel_written_whole(a: Array[float32], b: ReadOnly[float32]):
    for i in sb.prange(len(b)):
        clear(a)


@refused
def parallel_two_names(world: World):
    first = world.bodies[0]
    for i in sb.prange(4):
        world.bodies[i].hp = first.hp


@refused
def parallel_not_a_loop(a: Array[float32]):
    n = sb.prange(3)


@refused
def parallel_unsafe_number(a: Array[float32], x: float32):
    for i in sb.prange(len(a)):
        a[i] = sb.unsafe_parallel(x)


@refused
def parallel_inner_variable_of_another_type(a: Array[float32], wide: bool):
    for i in sb.prange(len(a)):
        if wide:
            x = 1.5
            a[i] = x
        else:
            for x in sb.prange(3):
                a[i] = float32(x)


@refused
def parallel_array_of_run_time_size(a: Array[float32]):
    for i in sb.prange(len(a)):
        b = sb.zeros(i, float32)
        a[i] = float32(len(b))


@kernel
def made(n: int) -> float32:
    b = sb.zeros(n, float32)
    return b[0]


@refused
def parallel_call_that_makes_an_array(a: Array[float32]):
    for i in sb.prange(len(a)):
        a[i] = made(i)
