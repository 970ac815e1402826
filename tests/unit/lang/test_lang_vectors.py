"""Vectors: construction, swizzles, element-wise operators and what they refuse."""

from __future__ import annotations

import copy
import itertools
import operator
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import samebits as sb
from samebits.bits import bits_to_float
from samebits.errors import ArgumentError, Trap
from samebits.lang.values.matrices import float2x2
from samebits.lang.values.scalars import SCALAR_CLASSES, float32, float64, int32, uint32
from samebits.lang.values.thread_state import managed_run
from samebits.lang.values.vectors import (
    COMPOSITE_CLASSES,
    Vector,
    bool2,
    bool3,
    double2,
    double3,
    float2,
    float3,
    float4,
    int2,
    int3,
    uint3,
)
from samebits.lang.values.weak import Int
from samebits.types import BOOL, VECTORS

VECTOR_CLASSES = {t: COMPOSITE_CLASSES[t] for t in VECTORS.values()}
NUMERIC = [cls for t, cls in VECTOR_CLASSES.items() if t.element.is_float or t.element.is_int]


def bits(v):
    """Class and the bytes of every component."""
    element = v.__sb_type__.element
    assert all(type(x) is SCALAR_CLASSES[element] for x in v)
    return type(v), [np.asarray(x).tobytes() for x in v]


@pytest.mark.parametrize("cls", NUMERIC, ids=lambda c: c.__name__)
@pytest.mark.parametrize(
    "name",
    [
        "add",
        "sub",
        "mul",
        "truediv",
        "floordiv",
        "mod",
        "and_",
        "or_",
        "xor",
        "lshift",
        "rshift",
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge",
    ],
)
def test_operators_act_on_each_component_as_on_scalars(cls, name):
    function = getattr(operator, name)
    t = cls.__sb_type__
    a = cls(*range(5, 5 + t.length))
    b = cls(*range(1, 1 + t.length))
    if t.element.is_float and name in ("and_", "or_", "xor", "lshift", "rshift"):
        with pytest.raises(ArgumentError), managed_run():
            function(a, b)
        return
    scalar = a.x
    for x, y in ((a, b), (a, scalar), (scalar, b), (a, 2), (2, b), (a, Int(2))):
        xs = tuple(x) if isinstance(x, Vector) else (x,) * t.length
        ys = tuple(y) if isinstance(y, Vector) else (y,) * t.length
        result = function(x, y)
        assert tuple(result) == tuple(map(function, xs, ys))
        assert bits(result)[0].__sb_type__.length == t.length


def test_result_classes_follow_the_elements():
    assert type(int3(1) / 2) is double3
    assert type(int3(1) < 2) is bool3
    assert type(float3(1) == float3(1)) is bool3
    assert type(~bool2(True, False)) is bool2
    assert tuple(~bool2(True, False)) == (False, True)
    assert tuple(bool2(True, False) & bool2(True, True)) == (True, False)
    assert tuple(bool2(True, False) ^ True) == (False, True)


@pytest.mark.parametrize("cls", VECTOR_CLASSES.values(), ids=lambda c: c.__name__)
def test_every_swizzle_picks_its_components_in_order(cls):
    t = cls.__sb_type__
    v = cls(*((1, 0, 1, 0) if t.element is BOOL else (1, 2, 3, 4))[: t.length])
    for count in (2, 3, 4):
        for picks in itertools.product(range(t.length), repeat=count):
            result = getattr(v, "".join("xyzw"[i] for i in picks))
            assert tuple(result) == tuple(v[i] for i in picks)
            assert result.__sb_type__.element is t.element
            assert len(result) == count


def test_unknown_components_and_swizzles_are_attribute_errors():
    for name in ("w", "xw", "xyzzy", "r", "xyxyx"):
        with pytest.raises(AttributeError, match="has no component or swizzle"):
            getattr(float3(1), name)


def test_constructors_concatenate_splat_and_convert():
    v = float3(1, 2.5, int32(3))
    assert bits(v) == bits(float3(float2(1, 2.5), 3)) == bits(float3(1, float2(2.5, 3)))
    assert bits(float3(2)) == bits(float3(2, 2, 2))
    assert bits(float4(float2(1, 2), float2(3, 4))) == bits(float4(1, 2, 3, 4))
    assert tuple(int3(float3(1.9, -1.9, float("nan")))) == (1, -1, 0)
    assert tuple(uint3(int3(-1, 0, 1))) == (2**32 - 1, 0, 1)
    assert bits(float3(double3(0.1))) == bits(float3(0.1))
    assert bits(float3(np.array([1, 2.5, 3]))) == bits(v)
    assert tuple(bool2(0, 2)) == (False, True)


@pytest.mark.parametrize(
    "parts", [(), (1, 2), (1, 2, 3, 4), (float2(1, 2),), (float4(1),), (np.zeros(2),)]
)
def test_a_wrong_number_of_components_is_refused(parts):
    with pytest.raises(ArgumentError, match="float3 has 3 components"):
        float3(*parts)


def test_a_component_out_of_range_traps():
    with pytest.raises(Trap, match="integer overflow"):
        int3(2**31)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: float3(1) + float64(1), "'+' of float3 and float64: the element types differ"),
        (lambda: float64(1) + float3(1), "'+' of float3 and float64: the element types differ"),
        (lambda: float3(1) + int3(1), "'+' of float3 and int3: the types differ"),
        (lambda: float3(1) + float2(1), "'+' of float3 and float2: the lengths differ"),
        (lambda: float3(1) * int32(1), "'*' of float3 and int32: the element types differ"),
        (lambda: int3(1) * 0.5, "'*' of int3 and float: the element types differ"),
        (lambda: bool3(True) + bool3(True), "'+' takes numbers, got bool3"),
        (lambda: bool3(True) < bool3(True), "'<' takes numbers, got bool3"),
        (lambda: -bool3(True), "'-' takes numbers, got bool3"),
    ],
)
def test_mixed_types_are_refused(call, message):
    with pytest.raises(ArgumentError) as error:
        call()
    assert error.value.message == message
    assert error.value.fix


def test_vectors_are_values():
    v = float3(1, 2, 3)
    with pytest.raises(ArgumentError) as error:
        v.x = 5
    assert error.value.fix == "make a new one: v = float3(value, v.y, v.z)"
    with pytest.raises(ArgumentError, match="neither true nor false"):
        bool(v == v)
    with pytest.raises(TypeError):
        hash(v)
    assert bits(pickle.loads(pickle.dumps(v))) == bits(copy.copy(v)) == bits(v)


def test_constant_indices_read_components_and_others_trap():
    v = float3(1, 2, 3)
    assert (v[0], v[Int(1)], v[2]) == (v.x, v.y, v.z)
    for index in (-1, 3):
        with managed_run(), pytest.raises(Trap, match="is out of range"):
            v[index]


def test_python_code_indexes_a_vector_and_a_matrix_as_a_list():
    v, m = float3(1, 2, 3), float2x2(1, 2, 3, 4)
    assert (v[-1], v[-3], m[-1][-1]) == (3, 1, 4)
    for call in (lambda: v[3], lambda: v[-4], lambda: m[2], lambda: m[-3]):
        with pytest.raises(IndexError, match="is out of range"):
            call()


def test_numpys_own_scalars_leave_the_operator_to_the_vector():
    assert bits(np.float32(2) * float3(1)) == bits(float3(2))
    assert bits(float32(2) * float3(1)) == bits(float3(2))
    assert np.asarray(float3(1, 2, 3)).dtype == np.float32
    assert np.asarray(double2(1, 2)).dtype == np.float64
    assert repr(float3(1, 2, 3)) == "float3(1.0, 2.0, 3.0)"
    assert repr(bool2(True, False)) == "bool2(True, False)"
    assert repr(int2(1, -2)) == "int2(1, -2)"


@given(*[st.lists(st.integers(0, 2**32 - 1), min_size=3, max_size=3)] * 2)
def test_float3_arithmetic_has_the_bits_of_its_scalars(a, b):
    v, w = (float3(*(bits_to_float(x, 32) for x in part)) for part in (a, b))
    for function in (operator.add, operator.sub, operator.mul, operator.truediv):
        expected = [function(x, y).tobytes() for x, y in zip(v, w, strict=True)]
        assert bits(function(v, w))[1] == expected


def test_uint_vectors_wrap():
    assert tuple(uint3(0) - 1) == (2**32 - 1,) * 3
    assert type((uint3(0) - uint32(1)).x) is uint32


@sb.kernel
def _cubed(v: float3) -> float3:
    return v**3


@sb.kernel
def _matrix_to_the_fifth(m: sb.float2x2) -> sb.float2x2:
    return m**5


def test_powers_are_those_of_kernels():
    v, m = float3(1.1, -2.7, 1e-20), sb.float2x2(1.3, 0.7, -0.1, 3.0)
    assert bits(v**3) == bits(_cubed(v))
    assert bits(v**1) == bits(v)
    assert repr(m**5) == repr(_matrix_to_the_fifth(m))
    assert tuple(int2(7, -3) ** 2) == (49, 9)
    for wrong in (0, -1, 1025, 0.5, v):
        with pytest.raises(ArgumentError, match="takes a constant Python int"):
            v**wrong
    with pytest.raises(ArgumentError, match="of two quaternions"):
        sb.quaternion(0, 0, 0, 1) ** 2
    with pytest.raises(ArgumentError, match="combine bool vectors"):
        bool2(True, False) ** 2
