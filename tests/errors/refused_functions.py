"""Calls, kernels as parameters, recursion and characters that are not in the language."""

# ruff: noqa
# pyright: reportUndefinedVariable=false, reportGeneralTypeIssues=false
from __future__ import annotations

from typing import TypeVar

import samebits as sb
from samebits import Array, float32, float64, int32, int64, math, uint8
from tests.errors.refused_kernels import Body, refused

T = TypeVar("T", int64, float64)


@sb.kernel
def halved(x: float32) -> float32:
    return x * 0.5


@sb.kernel
def generic(x: T) -> bool:
    return x > x


@sb.kernel
def applied(f: sb.Kernel[[float64], float64], x: float64) -> float64:
    return f(x)


@sb.kernel(recursion=8)
def bounded(n: int) -> int:
    return 0 if n == 0 else unbounded_kernel(n - 1)


@refused
def unbounded(n: int) -> int:
    return bounded(n)


unbounded_kernel = sb.kernel(unbounded)


@sb.kernel(recursion=8)
def other_types(x: T, n: int) -> float64:
    return float64(x) if n == 0 else other_types(float64(x), n - 1)


@sb.kernel(recursion=4000)
def too_large(n: int) -> int64:
    a = sb.zeros(64, int64)
    a[n] = int64(n)
    return a[n] if n == 0 else too_large(n - 1)


@sb.kernel(recursion=8)
def in_a_parallel_body(out: Array[int32]) -> None:
    for i in sb.prange(len(out)):
        out[i] = 1
        in_a_parallel_body(out)


@refused
def recurses_with_other_types(n: int) -> float64:
    return other_types(int64(1), n)


@refused
def recurses_beyond_the_stack(n: int) -> int64:
    return too_large(n)


@refused
def recurses_from_a_parallel_body(out: Array[int32]) -> None:
    in_a_parallel_body(out)


@refused
def gives_a_kernel_of_other_types(x: float64) -> float64:
    return applied(halved, x)


@refused
def gives_a_generic_kernel(x: float64) -> float64:
    return applied(generic, x)


@refused
def gives_a_number(x: float64) -> float64:
    return applied(x, x)


@refused
def gives_a_method(body: Body, x: float64) -> float64:
    return applied(body.alive, x)


@refused
def gives_an_intrinsic(x: float64) -> float64:
    return applied(sb.popcount, x)


@refused
def gives_a_function_of_two(x: float64) -> float64:
    return applied(math.atan2, x)


@refused
def character_beside_a_float(x: float64) -> bool:
    return x == "a"


@refused
def character_that_does_not_fit(c: uint8) -> bool:
    return c == "€"


@refused
def ord_of_a_number(c: uint8) -> int:
    return ord(c)
