"""Names and ternaries whose types have no join, each refused with its own message."""

# ruff: noqa
# pyright: reportUndefinedVariable=false
from __future__ import annotations

from samebits import Array, ReadOnly, fix32, float3, float32, float64, int32, uint8
from tests.errors.refused_kernels import refused


@refused
def sum_of_bytes(a: ReadOnly[uint8]) -> int:
    total = 0
    for i in range(len(a)):
        total += a[i]
    return total


@refused
def greatest_of_bytes(a: ReadOnly[uint8]) -> int:
    best = 0
    for i in range(len(a)):
        if a[i] > best:
            best = a[i]
    return best


@refused
def flag_from_zero(a: ReadOnly[float32]) -> bool:
    found = 0
    for i in range(len(a)):
        found = a[i] > 1
    return found


@refused
def loop_variable_of_another_type(n: int, x: float32) -> float32:
    for i in range(n):
        i = i * x
    return x


@refused
def literal_too_large_for_its_name(a: ReadOnly[int32]) -> int32:
    best = a[0]
    best = 5_000_000_000
    return best


@refused
def weak_float_in_a_fixed_name(a: fix32, x: float) -> fix32:
    best = a
    best = x
    return best


@refused
def ternary_of_flag_and_number(flag: bool, x: float32) -> float32:
    y = (x > 0) if flag else 0
    return x


@refused
def carry_of_bytes(digits: Array[uint8], f: int) -> int:
    carry = 0
    for i in range(len(digits)):
        v = digits[i] * f + carry
        digits[i] = v % 10
        carry = v // 10
    return carry


@refused
def type_from_a_later_line(x: float64, n: int32) -> float64:
    s = 0
    s = s + x
    s = n
    return s


@refused
def half_of_a_counter(n: int) -> int:
    n = n / 2
    return n


@refused
def annotated_name_of_another_type(x: float64) -> float32:
    y: float32 = 0.5
    y = x
    return y


@refused
def unpacked_name_of_another_type(n: int32, x: float64) -> float64:
    u, w = n, x
    w, u = u, w
    return w


@refused
def array_for_a_number(x: float64, a: Array[float64]) -> float64:
    x = a
    return x[0]


@refused
def vector_of_another_length(v: float3) -> float3:
    w = v
    w = v.xy
    return w
