"""Loops that are not in the language, each refused with its own message."""

# ruff: noqa
# pyright: reportUndefinedVariable=false, reportGeneralTypeIssues=false
from __future__ import annotations

import samebits as sb
from samebits import Array, ReadOnly, float2, float32, int32
from tests.errors.refused_kernels import Body, refused


@refused
def loops_over_number(n: int) -> int:
    total = 0
    for i in n:
        total += i
    return total


@refused
def loops_over_vector(v: float2) -> float32:
    total = float32(0)
    for x in v:
        total += x
    return total


@refused
def loops_over_structs_without_a_name(hp: int32) -> int32:
    total = int32(0)
    for body in sb.zeros(4, Body):
        total += body.hp + hp
    return total


@refused
def assigns_the_array_of_its_loop(n: int32) -> int32:
    a = sb.zeros(4, int32)
    total = n
    for x in a:
        a = sb.zeros(4, int32)
        total += x
    return total


@refused
def pair_under_one_name(a: ReadOnly[float32]) -> float32:
    total = float32(0)
    for pair in enumerate((a, a)):
        total += pair[1][0]
    return total


@refused
def vector_under_two_names(points: ReadOnly[float2]) -> float32:
    total = float32(0)
    for x, y in points:
        total += x * y
    return total


@refused
def three_names_for_two(a: ReadOnly[float32], b: ReadOnly[float32]) -> float32:
    total = float32(0)
    for x, y, z in zip(a, b):
        total += x * y * z
    return total


@refused
def loops_into_an_element(a: Array[float32]) -> None:
    for a[0] in a:
        pass


@refused
def reads_discarded(a: ReadOnly[float32]) -> float32:
    total = float32(0)
    for _ in a:
        total += _
    return total


@refused
def strict_zip(a: ReadOnly[float32], b: ReadOnly[float32]) -> float32:
    total = float32(0)
    for x, y in zip(a, b, strict=True):
        total += x * y
    return total


@refused
def reversed_enumerate(a: ReadOnly[float32]) -> float32:
    total = float32(0)
    for i, x in reversed(enumerate(a)):
        total += x / float32(i)
    return total


@refused
def enumerate_outside_a_loop(a: ReadOnly[float32]) -> None:
    enumerate(a)


@refused
def element_of_another_type(a: ReadOnly[float32], n: int32) -> int32:
    x = n
    for x in a:
        pass
    return x


@refused
def range_to_a_float(n: sb.float64) -> int:
    last = 0
    for i in range(n):
        last = i
    return last
