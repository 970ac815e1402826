"""Kernels that take kernels are compiled for each that they are given, alike in every execution."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import add
from typing import Any, TypeVar

import numpy as np
import pytest
from tests.support.executions import refusal_of, same, trap_of

import samebits as sb
from samebits import Array, ReadOnly, float3, float32, float64, int32, math
from samebits.frontend.compile import compile_kernel, link
from samebits.lang.calls.kernel_parameters import taken
from samebits.lang.fingerprint import fingerprint
from samebits.lang.kernel import Kernel

T = TypeVar("T", float32, float64)
U = TypeVar("U")


@sb.struct
class Line:
    slope: float64

    def at(self, x: float64) -> float64:
        return self.slope * x

    @staticmethod
    def half(x: float64) -> float64:
        return x * 0.5


@sb.kernel
def square(x: float64) -> float64:
    return x * x


@sb.kernel
def reciprocal(x: float64) -> float64:
    return 1.0 / x if x > 0.0 else float64(1 // int(x))


@sb.kernel
def square32(x: float32) -> float32:
    return x * x


@sb.kernel
def generic(x: T) -> T:
    return x


@sb.kernel
def root(x: float64) -> float64:
    return sb.sqrt(x)


@sb.kernel
def one_of(x: T) -> bool:
    return x == x


@sb.kernel
def twice_generic(f: sb.Kernel[[T], T], x: T) -> T:
    return f(f(x))


@sb.kernel
def integrate(f: sb.Kernel[[float64], float64], a: float64, b: float64, n: int) -> float64:
    h = (b - a) / n
    total = 0.0
    for i in range(n):
        total += f(a + h * (i + 0.5))
    return total * h


@sb.kernel
def several(n: int) -> float64:
    first = integrate(square, 0.0, 1.0, n)
    second = integrate(n=n, b=2.0, a=1.0, f=reciprocal)
    return first + second + integrate(math.sin, 0, 1, n)


@sb.kernel
def passed_on(g: sb.Kernel[[float64], float64], n: int) -> float64:
    return integrate(g, g(0.25), g(2.0), n)


def scaled(by: float64) -> Kernel:
    @sb.kernel
    def times(x: float64) -> float64:
        return x * by

    return times


DOUBLE, TRIPLE = scaled(float64(2)), scaled(float64(3))
GIVEN = [square, reciprocal, DOUBLE, TRIPLE, Line.half, math.exp, math.atan]


@pytest.mark.parametrize("f", GIVEN)
def test_each_given_kernel_is_what_is_called(f: Any) -> None:
    found = same(integrate, f, 1.0, 2.0, 8)
    assert found == reduce(add, (f((i + 0.5) / 8 + 1) for i in range(8))) / 8
    assert same(passed_on, f, 3) == integrate(f, f(0.25), f(2.0), 3)


def test_calls_with_several_kernels_are_compared_together() -> None:
    calls = [(f, 0.5, 1.0, n) for n, f in enumerate(GIVEN, 1)]
    names = sb.assert_same_bits_each(integrate, calls, targets=["evaluate", "x86-64-v1"])
    assert "evaluate" in names


def test_kernels_give_kernels() -> None:
    assert same(several, 4) == (
        integrate(square, 0.0, 1.0, 4) + integrate(reciprocal, 1.0, 2.0, 4)
        + integrate(math.sin, 0.0, 1.0, 4)
    )  # fmt: skip


def test_traps_are_those_of_the_given_kernel() -> None:
    assert trap_of(integrate, reciprocal, -1.0, 1.0, 4) == ("zero", "1 // int(x)")


@sb.kernel
def generic_with(x: T, f: sb.Kernel[[T], T], a: Array[T]) -> T:
    a[0] = f(x)
    return a[0] + x


def test_a_type_variable_of_the_others_may_stand_in_it() -> None:
    assert same(generic_with, float32(3), square32, np.zeros(1, np.float32)) == 12
    assert same(generic_with, float64(3), square, np.zeros(1)) == 12
    with pytest.raises(sb.ArgumentError, match=r"takes a kernel \(float32\) -> float32, but"):
        generic_with(float32(3), square, np.zeros(1, np.float32))


@sb.kernel
def heavier(a: ReadOnly[Line], i: int32, j: int32) -> bool:
    return a[i].slope > a[j].slope


@sb.kernel
def lighter(a: ReadOnly[Line], i: int32, j: int32) -> bool:
    return a[i].slope < a[j].slope


@sb.kernel
def fill(v: float3, w: Line, out: Array[float64]) -> None:
    out[0] = float64(v.x) + w.slope
    w.slope = 7.0


@sb.kernel
def best(a: ReadOnly[Line], before: sb.Kernel[[ReadOnly[Line], int32, int32], bool]) -> int32:
    found = 0
    for i in range(len(a)):
        if before(a, int32(i), int32(found)):
            found = i
    return int32(found)


@sb.kernel
def filled(f: sb.Kernel[[float3, Line, Array[float64]], None], out: Array[float64]) -> float64:
    line = Line(2.0)
    f(float3(1.5, 0, 0), line, out)
    return line.slope


def test_arrays_vectors_and_structs_are_passed() -> None:
    lines = np.zeros(4, Line.dtype)
    lines["slope"] = 2, 9, -1, 3
    assert (same(best, lines, heavier), same(best, lines, lighter)) == (1, 2)
    out = np.zeros(1)
    assert same(filled, fill, out) == 7
    assert out[0] == 3.5


@sb.kernel
def with_default(x: float64, f: sb.Kernel[[float64], float64] = square) -> float64:
    return f(x)


@sb.kernel
def without_it(x: float64) -> float64:
    return with_default(x) + with_default(x, DOUBLE)


def test_a_parameter_for_a_kernel_may_have_a_default() -> None:
    assert same(with_default, 3.0) == 9
    assert same(with_default, 3.0, f=TRIPLE) == 9
    assert same(without_it, 3.0) == 15


@sb.kernel
def in_parallel(f: sb.Kernel[[float64], float64], out: Array[float64]) -> None:
    for i in sb.prange(len(out)):
        out[i] = f(float64(i))


def test_a_parallel_body_calls_it() -> None:
    out = np.zeros(9)
    same(in_parallel, square, out)
    assert out.tolist() == [float(i * i) for i in range(9)]


# Instances --------------------------------------------------------------------------------------


def test_instances_have_names_and_keys_of_their_own() -> None:
    names: set[str] = set()
    keys: set[str] = set()
    for f in GIVEN:
        kernel, _ = taken(integrate, (f, 0.0, 1.0, 3), {})
        types = kernel.fixed_types
        assert types is not None
        names.add(compile_kernel(kernel, types).function.name)
        keys.add(fingerprint(kernel, types))
        assert taken(integrate, (f, 0.0, 1.0, 3), {})[0] is kernel
    assert len(names) == len(keys) == len(GIVEN)


def test_an_instance_has_no_pointer_to_a_function() -> None:
    kernel, _ = taken(integrate, (square, 0.0, 1.0, 3), {})
    module = link(compile_kernel(kernel, kernel.fixed_types or ()))
    names = [name.replace(f"{square.function.__module__}.", "") for name in module.functions]
    assert names == ["square", "integrate<f=square>"]


def test_inspect_takes_the_kernel_among_the_types() -> None:
    found = sb.inspect(integrate, types=[square, float64, float64, int])
    assert "integrate(f=square, a: float64, b: float64, n: int) -> float64" in str(found)
    with pytest.raises(sb.ArgumentError, match="takes kernels, which are not given"):
        sb.inspect(integrate)


@sb.job
class Sampled(sb.ParallelFor):
    out: sb.WriteOnly[float64]

    def execute(self, index: int32) -> None:
        self.out[index] = integrate(square, 0.0, float64(index), 4)


def test_jobs_call_instances() -> None:
    out = np.zeros(5)
    Sampled(out=out).schedule(5).complete()
    assert out.tolist() == [integrate(square, 0.0, float(i), 4) for i in range(5)]


# Functions without types of their own -----------------------------------------------------------


@sb.kernel
def mapped(f: sb.Kernel[[int32], int32], a: Array[int32]) -> None:
    for i in range(len(a)):
        a[i] = f(a[i])


@sb.kernel
def folded(f: sb.Kernel[[int32, int32], int32], a: ReadOnly[int32]) -> int32:
    r = a[0]
    for i in range(1, len(a)):
        r = f(r, a[i])
    return r


@sb.kernel
def of_vectors(f: sb.Kernel[[float3, float3], float32], v: float3) -> float32:
    return f(v, v * 2.0)


@sb.kernel
def of_lines(f: sb.Kernel[[Line, float64], float64], line: Line) -> float64:
    return f(line, 3.0)


@sb.kernel
def least_and_greatest(a: ReadOnly[int32]) -> int32:
    return folded(min, a) + folded(max, a) * int32(100)


@sb.kernel
def squared(x: T) -> T:
    return x * x


@sb.kernel
def inverse(x: U) -> int32:
    return int32(8 // int(x))


@sb.kernel
def gives_others(n: int) -> float64:
    return (
        integrate(sb.sqrt, 0.0, 1.0, n) + integrate(abs, -1.0, 1.0, n)
        + integrate(squared, 0.0, 2.0, n) + of_lines(Line.at, Line(2.0))
    )  # fmt: skip


def test_intrinsics_and_builtins_are_given() -> None:
    assert same(integrate, sb.sqrt, 0.0, 1.0, 4) == same(integrate, root, 0.0, 1.0, 4)
    assert same(integrate, abs, -1.0, 1.0, 4) == same(integrate, sb.abs, -1.0, 1.0, 4) == 1.0
    numbers = np.array([3, -7, 5], np.int32)
    assert same(folded, sb.min, numbers) == same(folded, min, numbers) == -7
    assert same(folded, max, numbers) == 5
    assert same(least_and_greatest, numbers) == 493
    same(mapped, sb.abs, numbers)
    assert numbers.tolist() == [3, 7, 5]
    assert same(of_vectors, math.dot, float3(1, 2, 3)) == 28


def test_generic_kernels_and_methods_are_given() -> None:
    assert same(integrate, squared, 0.0, 1.0, 4) == same(integrate, square, 0.0, 1.0, 4)
    assert same(of_lines, Line.at, Line(2.0)) == 6
    assert same(gives_others, 4) > 0
    with pytest.raises(sb.Trap) as caught:
        same(mapped, inverse, np.array([2, 0], np.int32))
    assert caught.value.span is not None
    assert caught.value.span.function == "inverse"


@pytest.mark.parametrize("function", [sb.popcount, max, one_of, math.length])
def test_a_function_that_does_not_take_the_types_is_named(function: Any) -> None:
    error = refusal_of(integrate, function, 0.0, 1.0, 3)
    name = function.__name__
    assert error.message.startswith(f"{name} is given for a kernel (float64) -> float64, but ")
    assert error.span is not None
    assert error.span.function == "integrate"
    with pytest.raises(sb.CompileError, match=f"{name} is given for a kernel"):
        integrate.managed(function, 0.0, 1.0, 3)


def test_a_function_without_types_takes_those_of_no_type_variable() -> None:
    with pytest.raises(sb.ArgumentError, match="and sqrt has no types"):
        twice_generic(sb.sqrt, float32(1))


# What is refused --------------------------------------------------------------------------------


def plain(x: float) -> float:
    return x


@sb.kernel
def pair(x: T, y: T) -> T:
    return x + y


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (square32, "takes a kernel (float64) -> float64, but square32 is (float32) -> float32"),
        (fill, "fill is (float3, Line, Array[float64]) -> None"),
        (integrate, "and integrate takes kernels itself"),
        (Line.at, "but at is (Line, float64) -> float64"),
        (Line(1.0).at, "and Line.at is a method of one struct"),
        (pair, "and pair has 2 parameters"),
        (math.atan2, "and math.atan2 takes 2 numbers"),
        (plain, "not plain"),
        (lambda x: x, "not <lambda>"),
        (3.5, "not 3.5"),
    ],
)
def test_what_can_not_be_given_is_refused(given: Any, words: str) -> None:
    calls: list[Callable[..., Any]] = [
        integrate, integrate.managed, lambda *a: sb.evaluate(integrate, *a), integrate.check_races,
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(sb.ArgumentError) as caught:
            call(given, 0.0, 1.0, 3)
        assert words in caught.value.message


@sb.kernel
def gives_another(n: int) -> float64:
    return integrate(square32, 0.0, 1.0, n)


@sb.kernel
def gives_a_number(n: int) -> float64:
    return integrate(n, 0.0, 1.0, n)


@sb.kernel
def gives_a_method(n: int) -> float64:
    line = Line(2.0)
    return integrate(line.at, 0.0, 1.0, n)


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        (gives_another, "takes a kernel (float64) -> float64, but square32 is (float32)"),
        (gives_a_number, "takes a kernel (float64) -> float64, but this is a Python int"),
        (gives_a_method, "'at' is a method of Line, and no value"),
    ],
)
def test_what_a_kernel_can_not_give_is_refused(kernel: Any, words: str) -> None:
    assert words in refusal_of(kernel, 3).message
    with pytest.raises(sb.ArgumentError):
        kernel.managed(3)


@sb.kernel
def assigned(f: sb.Kernel[[float64], float64]) -> float64:
    f = square
    return f(1.0)


@sb.kernel
def kept(f: sb.Kernel[[float64], float64]) -> float64:
    g = f
    return g(1.0)


def test_a_kernel_is_no_value() -> None:
    assert "is a kernel, which is not assigned" in refusal_of(assigned, square).message
    with pytest.raises(sb.CompileError, match="which is not assigned"):
        assigned.managed(square)
    assert "is not a value in a kernel" in refusal_of(kept, square).message


def test_fields_elements_and_simulations_take_none() -> None:
    with pytest.raises(sb.CompileError, match="is no value's type"):

        @sb.struct
        class Holder:
            f: sb.Kernel[[float64], float64]

    with pytest.raises(sb.CompileError, match="is no value's type"):

        @sb.job
        class Holding(sb.ParallelFor):
            f: sb.Kernel[[float64], float64]

            def execute(self, index: int32) -> None:
                self.f(1.0)

    with pytest.raises(sb.CompileError, match="takes a list of parameter types and a result"):
        sb.Kernel[float64]
