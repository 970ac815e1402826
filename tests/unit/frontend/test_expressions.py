"""Operators, conversions and vectors give what NumPy or plain arithmetic give."""

from __future__ import annotations

import numpy as np
import pytest
from tests.support.executions import refusal_of, same

import samebits as sb
from samebits import (
    bool3,
    double2,
    double3,
    float2,
    float3,
    float32,
    float64,
    int3,
    int8,
    int32,
    int64,
    math,
    uint3,
    uint8,
    uint32,
    uint64,
)


@sb.kernel
def weak(n: int, x: float) -> tuple[int, int, int, float, float]:
    return n // -3, n % -3, (n << 2) ^ (n >> 1) | 1, n * x - 1, x / (n + 0.5)


@pytest.mark.parametrize("n", [-7, 0, 5])
def test_python_numbers_compute_as_in_python(n: int) -> None:
    x = 0.1
    assert same(weak, n, x) == (
        n // -3, n % -3, (n << 2) ^ (n >> 1) | 1, n * x - 1, x / (n + 0.5)
    )  # fmt: skip


@sb.kernel
def counted(a: bool, x: int32, v: int3) -> tuple[int, double3]:
    return int(a) * 3 - int(x > 2) + int(not a), v / 2 + v / x


@pytest.mark.parametrize("a", [False, True])
def test_bools_count_and_vectors_of_integers_divide(a: bool) -> None:
    number, quotients = same(counted, a, int32(3), int3(1, -7, 2**31 - 1))
    assert number == (2 if a else 0)
    values = np.array([1, -7, 2**31 - 1])
    assert np.array(tuple(quotients)).tolist() == (values / 2 + values / 3).tolist()


@sb.kernel
def mixed(a: int32, b: float32, c: uint8) -> tuple[float64, float64, int32, float32, int32]:
    return a / 2, a * b, a * c, b + 1, a - 1


def test_types_mix_as_in_numpy_2() -> None:
    a, b, c = np.int32(7), np.float32(0.1), np.uint8(200)
    wanted = (a / 2, a * b, a * c, b + 1, a - 1)
    found = same(mixed, a, b, c)
    assert [(v, v.dtype) for v in found] == [(v, v.dtype) for v in wanted]


@sb.kernel
def wrapped(a: int8, b: uint32, n: int8) -> tuple[int8, int8, uint32, uint32, int8, int8]:
    return a + a, -a, b - 1, ~b, a << n, a >> n


def test_fixed_width_integers_wrap() -> None:
    assert same(wrapped, -128, 0, 9) == (0, -128, 2**32 - 1, 2**32 - 1, 0, -1)


@sb.kernel
def converted(x: float64, n: int64) -> tuple[int8, uint8, int32, uint8, float32, int32, uint64]:
    return int8(x), uint8(x), int32(x), uint8(n), float32(n), int32(3.99), uint64(int64(-1))


def test_conversions_saturate_wrap_and_round_once() -> None:
    n = (1 << 24) + 1 + 255
    assert same(converted, -300.7, n) == (-128, 0, -300, 0, np.float32(n), 3, 2**64 - 1)
    assert same(converted, float("nan"), 0)[:3] == (0, 0, 0)


@sb.kernel
def compared(a: int32, b: float32, n: int) -> tuple[bool, bool, bool, bool, bool]:
    return a < 3, a == n, b != b, 0 < b <= 1, 1 < n < 10 and not (n == 5 or n == 6)


def test_comparisons_chain() -> None:
    assert same(compared, 2, 1.0, 2) == (True, True, False, True, True)
    assert same(compared, 3, float("nan"), 5) == (False, False, True, False, False)


@sb.kernel
def bools(a: bool, b: bool) -> tuple[bool, bool, bool, bool, bool]:
    return a & b, a | b, a ^ b, a == b, not a or b


def test_bools_combine() -> None:
    for a in (False, True):
        for b in (False, True):
            assert same(bools, a, b) == (a & b, a | b, a ^ b, a == b, not a or b)


@sb.kernel
def ternaries(x: float32, n: int) -> tuple[float32, int, float3]:
    v = float3(x) if x > 0 else float3(0, x, 1)
    return x if x > 1 else -x, 1 if n > 2 else 2 if n > 1 else 3, v


def test_ternaries_choose() -> None:
    x, n, v = same(ternaries, -2.0, 2)
    assert (x, n, tuple(v)) == (2, 2, (0, -2, 1))


@sb.kernel
def vectors(v: float3, w: float3, k: float32) -> tuple[float3, float3, float3, float32, float2]:
    return v + w * k, 2 / v - 1, -v.zyx, math.dot(v, w), float2(v.y, w[2])


def test_vectors_compute_component_by_component() -> None:
    v, w, k = np.array([1, 2, 3], "f4"), np.array([0.1, 0.2, 0.3], "f4"), np.float32(0.7)
    a, b, c, d, e = same(vectors, tuple(map(float, v)), w, k)
    assert np.array_equal(tuple(a), v + w * k)
    assert np.array_equal(tuple(b), np.float32(2) / v - np.float32(1))
    assert np.array_equal(tuple(c), -v[::-1])
    assert d == v[0] * w[0] + v[1] * w[1] + v[2] * w[2]
    assert tuple(e) == (v[1], w[2])


@sb.kernel
def built(p: float2, n: int3) -> tuple[float3, float3, float3, uint3, double2]:
    return float3(p, 1), float3(2, p), float3(n), uint3(n), double2(0.1)


def test_vectors_are_built_from_parts() -> None:
    found = same(built, (0.5, 0.25), (1, -2, 3))
    assert [tuple(v) for v in found] == [
        (0.5, 0.25, 1), (2, 0.5, 0.25), (1, -2, 3), (1, 2**32 - 2, 3), (0.1, 0.1)
    ]  # fmt: skip


@sb.kernel
def masks(v: float3, w: float3) -> tuple[bool3, bool, bool, float3]:
    m = (v < w) & ~(v == 0) | (w != w)
    return m, sb.any(m), sb.all(m), sb.select(m, v, w)


def test_bool_vectors_choose_components() -> None:
    m, some, every, chosen = same(masks, (0, 1, 5), (1, 2, 3))
    assert (tuple(m), some, every) == ((False, True, False), True, False)
    assert tuple(chosen) == (1, 1, 3)


@sb.kernel
def functions(x: float32, n: uint32) -> tuple[float32, float32, float32, uint32, uint32, uint32]:
    return (
        sb.clamp(x, -1, 1), sb.round(x), sb.copysign(2.0, x),
        sb.popcount(n), sb.rotl(n, 33), sb.bitcast(uint32, x),
    )  # fmt: skip


def test_functions_of_the_language() -> None:
    assert same(functions, -2.5, 0x80000001) == (-1, -2, -2, 2, 3, 0xC0200000)


@sb.kernel
def one_result(x: float32) -> tuple[float32]:
    return (x,)


@sb.kernel
def no_tuple(x: float32) -> tuple[float32]:
    return x


@sb.kernel
def stray_tuple(x: float32) -> float32:
    return (x,)


@sb.kernel
def array_result() -> sb.FixedArray[float32, 4]:
    return sb.zeros(4, float32)


def test_a_result_has_the_declared_shape() -> None:
    assert same(one_result, 1.5) == (1.5,)
    assert refusal_of(no_tuple, 1.5).fix == "write `-> float32`"
    assert refusal_of(stray_tuple, 1.5).fix == "write `-> tuple[float32]`"
    assert refusal_of(array_result).message == "a kernel can't return float32[4]"
