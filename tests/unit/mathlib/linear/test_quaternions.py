"""Quaternions turn as their formulas say, and the same in every execution."""

# ruff: noqa: N803  (types as parameters)

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from tests.support.levels import LOWEST_AND_BEST

import samebits as sb
from samebits import (
    bool4,
    double3,
    dquaternion,
    float3,
    float3x3,
    float4,
    float32,
    float64,
    math,
    quaternion,
)
from samebits.errors import ArgumentError, CompileError
from samebits.lang.kernel import Kernel
from samebits.lang.values.classes import COMPOSITE_CLASSES
from samebits.mathlib.linear.quaternions import ROWS
from samebits.types import ScalarType, VectorType

KINDS = [
    pytest.param(quaternion, float3, float32, id="quaternion"),
    pytest.param(dquaternion, double3, float64, id="dquaternion"),
]
ORDERS = ["".join(order) for order in itertools.permutations("xyz")]
each = pytest.mark.parametrize(("Q", "V", "F"), KINDS)


def unit(Q: Any, seed: int) -> Any:
    numbers = np.random.default_rng(seed).standard_normal(4)
    dtype = Q.__sb_type__.element.dtype
    return math.normalize(Q(*numbers.astype(dtype)))


def distance(a: Any, b: Any) -> float:
    """The largest difference, in units of the type's rounding error."""
    a, b = np.asarray(a), np.asarray(b)
    return float(np.abs(a - b).max() / np.finfo(a.dtype).eps)


@each
def test_the_product_has_the_documented_order(Q: Any, V: Any, F: Any) -> None:
    a, b = unit(Q, 1), unit(Q, 2)
    expected = Q(
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    )
    assert sb.all(a @ b == expected)
    v = V(*(F(x) for x in (0.3, -1.7, 2.9)))
    t = math.cross(a.xyz, v) + math.cross(a.xyz, v)
    assert sb.all(a @ v == v + a.w * t + math.cross(a.xyz, t))
    assert sb.all(math.rotate(a, v) == a @ v)


@each
@pytest.mark.parametrize("order", ORDERS)
def test_euler_angles_are_three_turns_in_order(
    Q: Any,
    V: Any,
    F: Any,
    order: str,
) -> None:
    angles = V(*(F(x) for x in (0.3, -1.2, 2.5)))
    first, second, third = (
        math.axis_angle(V(*(F(axis == other) for other in "xyz")), getattr(angles, axis))
        for axis in order
    )
    found = getattr(math, f"euler_{order}")(angles)
    assert distance(found, third @ second @ first) <= 2


@each
@pytest.mark.parametrize("seed", range(12))
def test_a_matrix_and_its_quaternion_turn_alike(
    Q: Any,
    V: Any,
    F: Any,
    seed: int,
) -> None:
    q = unit(Q, seed)
    m = math.to_matrix(q)
    v = V(*(F(x) for x in (0.25, 1.5, -0.75)))
    assert distance(m @ v, q @ v) <= 8
    back = math.to_quaternion(m)
    assert distance(back if math.dot(back, q) > 0 else -back, q) <= 4


@each
@pytest.mark.parametrize("axis", range(3))
def test_half_turns_come_back_from_their_matrix(
    Q: Any,
    V: Any,
    F: Any,
    axis: int,
) -> None:
    q = Q(*(F(k == axis) for k in range(4)))
    assert sb.all(math.to_quaternion(math.to_matrix(q)) == q)


@each
def test_inverse_and_conjugate_turn_back(Q: Any, V: Any, F: Any) -> None:
    q = unit(Q, 3)
    assert distance(q @ math.inverse(q), Q.identity) <= 2
    assert distance(math.conjugate(q) @ q, Q.identity) <= 2
    assert distance(math.inverse(q * F(4)), math.conjugate(q) / F(4)) <= 2


@each
def test_interpolation_goes_the_shorter_way_at_constant_speed(
    Q: Any,
    V: Any,
    F: Any,
) -> None:
    axis = V(F(0), F(0.6), F(0.8))
    a, b = math.axis_angle(axis, F(0.2)), math.axis_angle(axis, F(1.4))
    for t in (0.0, 0.25, 0.5, 0.75, 1.0):
        expected = math.axis_angle(axis, F(0.2 + 1.2 * t))
        assert distance(math.slerp(a, b, F(t)), expected) <= 8
        assert distance(math.slerp(a, -b, F(t)), expected) <= 8
    assert distance(math.nlerp(a, -b, F(0.5)), math.slerp(a, b, F(0.5))) <= 4
    assert sb.all(math.slerp(a, a, F(0.3)) == math.nlerp(a, a, F(0.3)))


@each
def test_look_rotation_turns_z_forward_and_keeps_up_up(
    Q: Any,
    V: Any,
    F: Any,
) -> None:
    forward = math.normalize(V(F(1), F(2), F(-3)))
    q = math.look_rotation(forward, V(F(0), F(1), F(0)))
    assert distance(q @ V(F(0), F(0), F(1)), forward) <= 8
    up = q @ V(F(0), F(1), F(0))
    assert up.y > 0
    assert abs(float(math.dot(up, math.cross(forward, V(F(0), F(1), F(0)))))) < 1e-6


LIBRARY = [
    pytest.param(kernel, id=f"{name}-{number}")
    for number, row in enumerate(ROWS)
    for name, kernel in row.items()
]


@pytest.mark.parametrize("kernel", LIBRARY)
def test_every_execution_gives_the_same(kernel: Kernel) -> None:
    random = np.random.default_rng(4)
    arguments: list[Any] = []
    for t in kernel.fixed_types or ():
        if isinstance(t, ScalarType):
            arguments.append(t.dtype.type(random.random()))
        else:
            assert isinstance(t, VectorType)
            numbers = random.standard_normal(t.shape).astype(t.element.dtype)
            arguments.append(COMPOSITE_CLASSES[t](numbers))
    sb.assert_same_bits(kernel, *arguments, targets=LOWEST_AND_BEST)


@sb.kernel
def in_a_kernel(q: quaternion, r: quaternion, v: float3, m: float3x3) -> tuple[quaternion, float3]:
    spin = math.slerp(q, math.normalize(r), 0.25) @ math.euler_zxy(v)
    if math.dot(spin, quaternion.identity) < 0.0:
        spin = -spin
    turned = quaternion(spin.xyz * 0.5, spin.w) @ v
    other = math.to_quaternion(m) @ math.conjugate(q) + quaternion(float4(v, 1.0)) * 0.5
    return math.normalize(other - spin), turned + math.to_matrix(other) @ v


@pytest.mark.parametrize("seed", range(4))
def test_a_kernel_of_quaternions_is_the_same_everywhere(seed: int) -> None:
    v = float3(*np.random.default_rng(seed).standard_normal(3).astype(np.float32))
    m = math.to_matrix(unit(quaternion, seed + 9))
    sb.assert_same_bits(in_a_kernel, unit(quaternion, seed), unit(quaternion, seed + 5), v, m)


def test_it_is_read_and_built_as_a_vector_of_four() -> None:
    q = quaternion(float3(1, 2, 3), 4)
    assert (q.x, q.w, q[2], len(q)) == (1, 4, 3, 4)
    assert type(q.xyz) is float3
    assert sb.all(float4(q) == float4(1, 2, 3, 4))
    assert type(quaternion(float4(q))) is type(q + q) is type(-q) is type(q * 2.0) is quaternion
    assert type(q == q) is bool4
    assert repr(q) == "quaternion(1.0, 2.0, 3.0, 4.0)"
    assert type(dquaternion(q)) is dquaternion


@sb.kernel
def starred(q: quaternion, r: quaternion) -> quaternion:
    return q * r


@sb.kernel
def with_a_vector(q: quaternion, v: float4) -> quaternion:
    return q + v


@pytest.mark.parametrize(
    ("kernel", "other", "message"),
    [
        (starred, quaternion.identity, "`*` of two quaternions is not there"),
        (with_a_vector, float4(0), "quaternion and float4"),
    ],
)
def test_what_might_mean_two_things_is_refused(kernel: Any, other: Any, message: str) -> None:
    with pytest.raises(CompileError) as caught:
        kernel(quaternion.identity, other)
    assert message in caught.value.message
    with pytest.raises(ArgumentError):
        kernel.managed(quaternion.identity, other)


def test_python_refuses_the_product_of_components() -> None:
    q = quaternion.identity
    for refused in (lambda: q * q, lambda: q / q, lambda: q @ float4(0), lambda: math.sin(q)):
        with pytest.raises(ArgumentError):
            refused()
