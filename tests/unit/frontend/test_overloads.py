"""Calls of math functions in kernels: types of the arguments, vectors, several results."""

from __future__ import annotations

from typing import Any

import pytest

import samebits as sb
from samebits import double2, double3, float2, float3, float32, float64, int3, int32
from samebits.lang.overloads import Overloads
from samebits.types import FLOAT32, FLOAT64


@sb.kernel
def less32(a: float32, b: float32) -> float32:
    return a - b


@sb.kernel
def less64(a: float64, b: float64) -> float64:
    return a - b


@sb.kernel
def blend32(a: float32, b: float32, c: float32) -> float32:
    return a * b + c


@sb.kernel
def blend64(a: float64, b: float64, c: float64) -> float64:
    return a * b + c


@sb.kernel
def scale32(x: float32, n: int32) -> float32:
    return x * float32(n)


@sb.kernel
def scale64(x: float64, n: int32) -> float64:
    return x * float64(n)


@sb.kernel
def parts32(x: float32) -> tuple[float32, int32]:
    return x - sb.floor(x), int32(sb.floor(x))


@sb.kernel
def parts64(x: float64) -> tuple[float64, int32]:
    return x - sb.floor(x), int32(sb.floor(x))


less = Overloads("less", 2, {FLOAT32: less32, FLOAT64: less64}, "a - b")
blend = Overloads("blend", 3, {FLOAT32: blend32, FLOAT64: blend64}, "a * b + c")
scale = Overloads("scale", 2, {FLOAT32: scale32, FLOAT64: scale64}, "x * n")
parts = Overloads("parts", 1, {FLOAT32: parts32, FLOAT64: parts64}, "Fraction and whole part.")


@sb.kernel
def single_and_double(x: float32, y: float64) -> tuple[float64, float64, float64]:
    return less(x, y), less(y, x), blend(x, y, x)


def test_mixed_floats_promote_to_float64() -> None:
    assert single_and_double(0.1, 0.2)[0] == float64(float32(0.1)) - 0.2
    sb.assert_same_bits(single_and_double, 0.1, 0.2)


@sb.kernel
def with_literals(x: float32, w: float) -> tuple[float32, float32, float32, float64, float64]:
    return less(x, 0.1), less(2, x), less(x, w), less(0.1, 3), less(w, 0.1)


def test_weak_numbers_take_the_other_type_and_alone_are_float64() -> None:
    found = with_literals(0.5, 0.1)
    assert found[0] == float32(0.5) - float32(0.1)
    assert found[3] == 0.1 - 3
    sb.assert_same_bits(with_literals, 0.5, 0.1)


@sb.kernel
def on_vectors(v: float3, w: float3, x: float32) -> tuple[float3, float3, float3, float3]:
    return less(v, w), less(v, x), less(0.1, v), blend(x, v, 2)


def test_vectors_go_by_component_and_scalars_repeat() -> None:
    found = on_vectors((1, 2, 3), (4, 6, 8), 0.5)
    assert [*found[0]] == [-3, -4, -5]
    assert [*found[3]] == [2.5, 3, 3.5]
    sb.assert_same_bits(on_vectors, (1, 2, 3), (4, 6, 8), 0.5)


@sb.kernel
def with_integers(
    x: float32, v: double3, n: int32, k: int3, w: int
) -> tuple[float32, float32, double3, double3, float32]:
    return scale(x, n), scale(x, 3), scale(v, n), scale(v, k), scale(x, w)


@sb.kernel
def repeated(x: float32, k: int3) -> float3:
    return scale(x, k)


def test_an_integer_argument_converts_as_in_any_call_and_by_component() -> None:
    arguments = (0.5, (1, 2, 3), 7, (1, 2, 3), 5)
    assert [*with_integers(*arguments)[3]] == [1, 4, 9]
    sb.assert_same_bits(with_integers, *arguments)
    assert [*repeated(2, (1, 2, 3))] == [2, 4, 6]
    sb.assert_same_bits(repeated, 2, (1, 2, 3))


@sb.kernel
def two_results(x: float32, y: float64, v: double3) -> tuple[float32, int32, int32, double3, int3]:
    a, n = parts(x)
    _, m = parts(y)
    f, k = parts(v)
    return a, n, m, f, k


def test_several_results_are_a_tuple_also_of_vectors() -> None:
    found = two_results(-1.25, 7.5, (1.5, 2.25, -0.5))
    assert found[:3] == (0.75, -2, 7)
    assert ([*found[3]], [*found[4]]) == ([0.5, 0.25, 0.5], [1, 2, -1])
    sb.assert_same_bits(two_results, -1.25, 7.5, (1.5, 2.25, -0.5))


@sb.kernel
def integer_for_float(x: float32, n: int32) -> float32:
    return less(x, n)


@sb.kernel
def float_for_integer(x: float32) -> float32:
    return scale(x, x)


@sb.kernel
def narrow_vector(v: float3, x: float64) -> float3:
    return less(v, x)


@sb.kernel
def unlike_vectors(v: float3, w: float2) -> float3:
    return less(v, w)


@sb.kernel
def vector_of_other_floats(v: float2, w: double2) -> float2:
    return less(v, w)


@sb.kernel
def too_few(x: float32) -> float32:
    return less(x)


@sb.kernel
def flag(x: float32, on: bool) -> float32:
    return less(x, on)


REFUSED = [
    (integer_for_float, "less() takes a float or a vector of floats, but this is int32",
     "write float32(n)"),
    (float_for_integer, "argument 2 of scale() is int32, but this is float32", "write int32(x)"),
    (narrow_vector, "a scalar beside a vector is float32, but this is float64", "write float32(x)"),
    (unlike_vectors, "less() on float3 and float2", "convert it to float3"),
    (vector_of_other_floats, "less() on float2 and double2", "convert it to float2"),
    (too_few, "less() takes 2 arguments by position", "write less(x, a)"),
    (flag, "less() takes a float or a vector of floats, but this is bool", "write float32(on)"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kernel", "message", "fix"), REFUSED, ids=lambda v: getattr(v, "__name__", "")
)
def test_what_does_not_fit_is_named_with_what_to_write(kernel: Any, message: str, fix: str) -> None:
    values = {"v": (1, 2, 3), "w": (1, 2), "x": 1, "n": 1, "on": True}
    if kernel is vector_of_other_floats:
        values["v"] = (1, 2)
    with pytest.raises(sb.CompileError) as found:
        kernel(*(values[p.name] for p in kernel.parameters))
    assert found.value.message == message
    assert found.value.fix == fix
