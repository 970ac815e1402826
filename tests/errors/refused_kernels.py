"""Kernels that are not in the language: one function each, refused with its own message."""

# ruff: noqa
# pyright: reportUndefinedVariable=false
from __future__ import annotations

from typing import TypeVar

import numpy as np

import samebits as sb
from samebits import Array, ReadOnly, float2, float3, float32, float64, int32, int64, math
from samebits import half, uint8, uint32, uint64, uint3

T = TypeVar("T")
WEIGHTS = np.ones(4, np.float32)
OF_TWO_TYPES = (1, 2.5)
LIMIT = 300


@sb.struct
class Body:
    pos: float3
    hp: int32

    def alive(self) -> bool:
        return self.hp > 0


@sb.struct
class World:
    bodies: sb.FixedArray[Body, 4]
    first: Body
    time: float32


def plain(x):
    return x


@sb.kernel
def helper(x: float32) -> float32:
    return x


@sb.kernel
def hurt(b: Body) -> None:
    b.hp -= 1


@sb.kernel
def swap(x: T, y: T) -> T:
    return y


REFUSED = []


def refused(function):
    REFUSED.append(function)
    return function


@refused
def unknown_name(x: float32) -> float32:
    return x + gravity


@refused
def changes_type(a: ReadOnly[float3]) -> float3:
    acc = 0.0
    for i in range(len(a)):
        acc = acc + a[i]
    return acc


@refused
def literal_changes_type(x: int32) -> int32:
    y = x
    y = 0.5
    return y


@refused
def mixed_promotion(x: float32, n: int32) -> float32:
    return x * n


@refused
def tries(x: float32) -> float32:
    try:
        return x
    except ValueError:
        return x


@refused
def raises(x: float32) -> float32:
    raise ValueError("no")


@refused
def withs(x: float32) -> float32:
    with open("f"):
        return x


@refused
def list_literal(x: float32) -> float32:
    a = [x, x]
    return a[0]


@refused
def comprehension(a: ReadOnly[float32]) -> float32:
    return sum(a[i] for i in range(3))


@refused
def recursion(n: int) -> int:
    if n == 0:
        return 0
    return recursion_kernel(n - 1)


@refused
def loops_over_a_column(a: ReadOnly[float32, 2]) -> float32:
    total = float32(0)
    for x in a[:, 0]:
        total += x
    return total


@refused
def builtin_min(x: float32) -> float32:
    return min(x)


@refused
def builtin_sum(a: ReadOnly[float32]) -> float32:
    return sum(a, 1.0)


@refused
def power(x: float32) -> float32:
    return x**0.5


@refused
def number_or_number(n: int32) -> int32:
    m = n or 7
    n += m
    return n


@refused
def vector_condition(v: float3) -> float32:
    if v > 0:
        return v.x
    return v.y


@refused
def maybe_unassigned(flag: bool) -> int32:
    if flag:
        x = int32(1)
    return x


@refused
def loop_variable_after(n: int) -> int:
    for i in range(n):
        pass
    return i


@refused
def no_return_on_some_path(x: float32) -> float32:
    if x > 0:
        return x


@refused
def wrong_result(x: float64) -> float32:
    return x


@refused
def result_not_declared(x: float32):
    return x


@refused
def literal_too_large(x: uint8) -> uint8:
    return x + 300


@refused
def constant_too_large(x: uint8) -> uint8:
    return x + LIMIT


@refused
def remainder_of_two_integer_types(n: sb.int64, m: sb.uint64) -> sb.float64:
    return n % m


@refused
def index_by_a_quotient(a: sb.Array[float32], n: int) -> float32:
    return a[n / 2]


@refused
def bool_arithmetic(flag: bool, x: float32) -> float32:
    return x * flag


@refused
def signed_with_unsigned(a: uint64, b: int64) -> bool:
    return a < b


@refused
def vector_component_store(v: float3) -> float3:
    v.xy = float2(1)
    return v


@refused
def bad_swizzle(v: float2) -> float32:
    return v.z


@refused
def vector_mixes_types(v: float3, u: uint3) -> float3:
    return v * u


@refused
def vector_too_short(x: float32) -> float3:
    return float3(x, x)


@refused
def captured_array(i: int32) -> float32:
    return WEIGHTS[i]


@refused
def captured_tuple(i: int32) -> float64:
    return OF_TWO_TYPES[i] + 0.5


@refused
def calls_plain_function(x: float32) -> float32:
    return plain(x)


@refused
def wrong_argument_type(x: float64) -> float32:
    return helper(x)


@refused
def missing_argument(x: float32) -> float32:
    return helper()


@refused
def unknown_keyword(x: float32) -> float32:
    return helper(y=x)


@refused
def generic_of_two_types(x: float32, y: float64) -> float32:
    return swap(x, y)


@refused
def generic_of_literals() -> float32:
    return swap(0.0, 1.0)


@refused
def writes_read_only(a: ReadOnly[float32]) -> None:
    a[0] = 1.0


@refused
def passes_read_only_on(bodies: ReadOnly[Body]) -> None:
    hurt(bodies[0])


@refused
def unknown_field(b: Body) -> float32:
    return b.mass


@refused
def unknown_method(b: Body) -> bool:
    return b.dead()


@refused
def alias_of_owner(w: World) -> None:
    a = Body(hp=1)
    b = a
    a = Body(hp=b.hp)


@refused
def returns_reference(w: World) -> Body:
    return w.first


@refused
def swaps_structs(w: World) -> None:
    (a, w.bodies[0]), n = (w.bodies[1], w.bodies[0]), 1


@refused
def rebinds_parameter(a: Body, b: Body) -> None:
    a = b


@refused
def component_from_the_end(v: float3) -> float32:
    return v[-1]


@refused
def float_index(a: ReadOnly[float32], x: float32) -> float32:
    return a[x]


@refused
def slice_with_a_step(a: ReadOnly[float32]) -> float32:
    return helper(a[1:3:2])


@refused
def too_many_indices(a: ReadOnly[float32]) -> float32:
    return a[0, 1]


@refused
def slice_assigned(a: Array[float32]) -> None:
    a[1:] = 1.0
    a[0] = 1.0


@refused
def local_array_of_half_a_size(n: float32) -> float32:
    a = sb.zeros(n / 2, float32)
    return a[0]


@refused
def local_array_too_large() -> float32:
    a = sb.zeros(1_000_000, float64)
    return float32(a[0])


@refused
def annotated_local(x: float32) -> float32:
    y: int32 = 0.5
    return x + y


@refused
def string_value(x: float32) -> float32:
    name = "x"
    return x


@refused
def statement_without_effect(x: float32) -> float32:
    x + 1
    return x


@refused
def ternary_of_two_types(flag: bool, x: float32, d: float64) -> float32:
    y = x if flag else d
    return y


@refused
def step_is_zero(n: int) -> int:
    k = 0
    for i in range(0, n, 0):
        k = i
    return k


@refused
def wrong_unpacking(x: float32) -> float32:
    a, b, c = x, x
    return a


@refused
def bitcast_of_other_width(x: float32) -> uint64:
    return sb.bitcast(uint64, x)


@refused
def sqrt_of_int(n: int32) -> float32:
    return sb.sqrt(n)


@refused
def sin_of_int(n: int32) -> float32:
    return math.sin(n)


@refused
def int_of_vector(v: float3) -> int:
    return int(v)


@refused
def popcount_of_python_int(n: int) -> int:
    return sb.popcount(n)


@refused
def compares_int_with_float(n: int, x: float) -> bool:
    return n < x


@refused
def lambda_inside(x: float32) -> float32:
    f = lambda y: y
    return f(x)


@refused
def assigns_module_constant(n: int) -> int:
    global LIMIT
    return n


@refused
def unicode_source(x: float32) -> float32:
    """Säule"""; größe = x; return größe + unbekannt  # fmt: skip


recursion_kernel = sb.kernel(recursion)


from samebits.mathlib.primitives import muladd


@refused
def sum_that_may_be_fused(a: float64, b: float64) -> float64:
    return muladd(a, b, 1.0)


import math as host_math


@refused
def calls_host_math(x: float64) -> float64:
    return host_math.sin(x)


@refused
def calls_numpy(x: float64) -> float64:
    return np.arctan2(x, x)


@refused
def inverse_square(x: float32) -> float32:
    return (x + 1) ** -2


@refused
def variable_power(x: float32, n: int) -> float32:
    return x**n


@refused
def power_of_an_element(a: Array[float32]):
    a[0] **= 3


@refused
def variable_power_of_an_int(x: int32, n: int) -> int32:
    return x**n
