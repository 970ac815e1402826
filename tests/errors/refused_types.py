"""Values of types that do not go together, each refused with its own message."""

# ruff: noqa
# pyright: reportUndefinedVariable=false
from __future__ import annotations

import samebits as sb
from samebits import Array, ReadOnly, float2, float3, float32, half, int32, int64, math, uint8
from tests.errors.refused_kernels import refused


@refused
def matrix_by_star(m: sb.float3x3, v: float3) -> float3:
    return m * v


@refused
def quaternion_by_star(q: sb.quaternion, v: float3) -> float3:
    return v * q


@refused
def vectors_of_two_lengths(a: float2, b: float3) -> float3:
    return a + b


@refused
def augmented_changes_type(x: int32) -> int32:
    x += 0.5
    return x


@refused
def augmented_element(a: Array[int32], n: int64) -> None:
    a[0] *= n + 1


@refused
def int_becomes_float(total: int, a: float) -> float:
    """Of a parameter."""
    total = total * a
    return total


@refused
def float_becomes_int(n: int32) -> int32:
    total = 0.5
    total = n
    return total


@refused
def half_times_float(h: ReadOnly[half], x: float32) -> float32:
    return h[0] * x


@refused
def half_beside_literal(h: half) -> half:
    return 2 * h


@refused
def half_added_in_place(h: Array[half]) -> None:
    h[0] += 1


@refused
def half_compared(h: half) -> bool:
    return h == h


@refused
def half_negated(h: half) -> half:
    return -h


@refused
def half_in_function(h: half) -> float32:
    return math.sin(h)


@refused
def half_in_builtin(h: half, x: float32) -> float32:
    return math.max(x, h)


@refused
def half_from_float(h: Array[half], x: float32) -> None:
    h[0] = x


@refused
def float_from_half(h: half) -> float32:
    return h


@refused
def half_as_condition(h: half) -> bool:
    if h:
        return True
    return False


@refused
def half_beside_number_in_select(h: half, c: bool) -> half:
    return math.select(c, h, 0.0)


@refused
def half_as_fixed_point(h: half) -> sb.fix32:
    return sb.fix32(h)


@refused
def fixed_point_as_half(x: sb.fix32) -> half:
    return half(x)


@refused
def half_as_int(h: half) -> int:
    return int(h)


@refused
def half_summed(h: ReadOnly[half]) -> float32:
    return math.sum(h)


@refused
def bytes_beside_one_another(a: ReadOnly[uint8]) -> int:
    return a[0] | a[1] << 8


@refused
def a_shift_of_all_bits(x: int32) -> int32:
    return x >> 32
