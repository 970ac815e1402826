"""Views that are not in the language, each refused with its own message."""

# ruff: noqa
# pyright: reportUndefinedVariable=false
from __future__ import annotations

import samebits as sb
from samebits import Array, ReadOnly, float32, int32, math
from tests.errors.refused_kernels import World, refused


@refused
def view_of_a_local_assigned_again(n: int) -> float32:
    scratch = sb.zeros(4, float32)
    part = scratch[1:]
    for _ in range(n):
        scratch = sb.zeros(4, float32)
    return part[0]


@sb.kernel
def made() -> World:
    return World()


@refused
def view_of_no_name() -> int32:
    bodies = made().bodies[1:]
    return bodies[0].hp


@refused
def view_of_another_type(a: Array[float32], b: ReadOnly[float32]) -> float32:
    part = a[1:]
    part = b[1:]
    return part[0]


@refused
def block_of_columns(a: ReadOnly[float32, 2]) -> int:
    block = a[1:, 1:]
    return len(block)


@refused
def slice_by_a_float(a: ReadOnly[float32], x: float32) -> int:
    return len(a[x:])


@refused
def slice_of_a_number(n: int32) -> int:
    return len(n[1:])


@refused
def parallel_slice_written(a: Array[float32]) -> None:
    for i in sb.prange(len(a) - 1):
        part = a[i + 1 :]
        part[0] = float32(1)


@refused
def parallel_slice_read(a: Array[float32]) -> None:
    for i in sb.prange(len(a)):
        a[i] = math.sum(a[:2])


@refused
def parallel_slice_of_two(a: Array[float32], b: Array[float32]) -> None:
    part = b[1:]
    for i in sb.prange(len(a)):
        a[i] = part[1:][0]
    part = a[1:]
