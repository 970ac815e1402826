"""Arrays: views of host memory, checked indices, exact messages for what does not fit."""

from __future__ import annotations

import typing

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samebits import types
from samebits.errors import ArgumentError, CompileError, Trap
from samebits.lang.annotations import (
    Access,
    ArrayAnnotation,
    FixedAnnotation,
    class_of_type,
    type_of_annotation,
)
from samebits.lang.arguments import unwrap, wrap
from samebits.lang.memory.arrays import Array, FixedArray, ReadOnly, check_array, zeros
from samebits.lang.memory.structs import struct
from samebits.lang.values.scalars import (
    SCALAR_CLASSES,
    float32,
    float64,
    int8,
    int32,
    uint8,
    uint64,
)
from samebits.lang.values.thread_state import managed_run
from samebits.lang.values.vectors import bool2, double3, float2, float3
from samebits.lang.values.weak import Int
from samebits.types import (
    BOOL,
    FLOAT,
    FLOAT32,
    FLOAT64,
    INT,
    INT32,
    NONE,
    UINT8,
    ArrayType,
    FixedArrayType,
    TupleType,
)

T = typing.TypeVar("T")
FLOAT3 = types.VECTORS["float3"]


@struct
class Point:
    at: float2
    n: int32


def view(array, element=FLOAT32, ndim=1, readonly=False):
    return wrap(array, ArrayType(element, ndim, readonly), "a")


@pytest.mark.parametrize("t", types.STRONG_SCALARS, ids=str)
def test_scalar_elements_are_read_and_written_in_place(t):
    memory = np.array([0, 1, 1, 0], t.dtype)
    a = view(memory, t)
    assert type(a[1]) is SCALAR_CLASSES[t]
    assert a[1] == (True if t is BOOL else 1)
    a[0] = a[1]
    a[3] = True if t is BOOL else 1
    assert memory.tolist() == [1, 1, 1, 1]
    memory[2] = 0
    assert not a[2]
    assert len(a) == 4
    assert a.shape == (4,)
    assert type(a.shape[0]) is Int


@pytest.mark.parametrize("index", [-1, 3, 2**40, Int(3), int32(-1), uint64(2**64 - 1), uint8(3)])
def test_an_index_outside_the_array_traps(index):
    a = view(np.zeros(3, np.float32))
    for call in (lambda: a[index], lambda: a.__setitem__(index, 1.0)):
        with managed_run(), pytest.raises(Trap) as trap:
            call()
        assert trap.value.kind == "index"


@pytest.mark.parametrize("index", [-1, -3, 0, 2, 3, -4, 2**40, int8(-2), np.int64(-1), uint8(3)])
def test_python_code_indexes_an_array_as_a_list(index):
    items = [5.0, 6.0, 7.0]
    a = view(np.array(items, np.float32))
    if -3 <= int(index) < 3:
        assert a[index] == items[int(index)]
        a[index] = 9.0
        items[int(index)] = 9.0
        assert list(a) == items
        return
    for call in (lambda: a[index], lambda: a.__setitem__(index, 1.0)):
        with pytest.raises(IndexError, match=rf"^index {index} is out of range for an array of 3$"):
            call()


@given(st.lists(st.integers(-99, 99), max_size=5), *[st.none() | st.integers(-9, 9)] * 2)
def test_python_code_slices_an_array_as_a_list(items, start, stop):
    assert list(view(np.array(items, np.float32))[start:stop]) == items[start:stop]


def test_python_code_counts_along_each_dimension():
    memory = np.arange(6, dtype=np.float32).reshape(2, 3)
    g = view(memory, ndim=2)
    assert (g[-1, -1], g[-2, 1], list(g[-1])) == (5, 1, [3, 4, 5])
    assert g[-1, -2:].memory.tolist() == [4, 5]
    assert g[-1:].memory.tolist() == [[3, 4, 5]]
    for index in ((2, 0), (0, -4)):
        with pytest.raises(IndexError, match="is out of range"):
            g[index]
    with pytest.raises(ArgumentError, match="a slice has no step"):
        g[::2]


@pytest.mark.parametrize("index", [0, Int(2), int32(1), uint64(2), np.int64(1)])
def test_any_integer_type_is_an_index(index):
    a = view(np.array([5, 6, 7], np.float32))
    assert a[index] == 5.0 + int(index)


@pytest.mark.parametrize("index", [True, 1.0, float32(1), "0", None, slice("0")])
def test_anything_else_is_no_index(index):
    with pytest.raises(ArgumentError, match="an index is an integer"):
        view(np.zeros(3, np.float32))[index]


def test_two_dimensions_take_two_indices_or_give_a_row():
    memory = np.arange(6, dtype=np.float32).reshape(2, 3)
    g = view(memory, ndim=2)
    assert g[1, 2] == 5
    g[0, 1] = 9
    assert memory[0, 1] == 9
    row = g[1]
    row[0] = 8
    assert memory[1, 0] == 8
    assert len(row) == 3
    assert g.shape == (2, 3)
    for i, j in ((2, 0), (0, 3), (-1, 0), (0, -1)):
        with managed_run(), pytest.raises(Trap, match="is out of range"):
            g[i, j]
    with managed_run(), pytest.raises(Trap, match="is out of range"):
        g[2]
    with pytest.raises(ArgumentError, match="takes as many indices, got 3"):
        g[0, 0, 0]
    with pytest.raises(ArgumentError, match="takes as many indices, got 2"):
        row[0, 0]
    with pytest.raises(ArgumentError, match="a part cannot be assigned"):
        g[0] = row
    assert g[1, 1:].memory.tolist() == [4, 5]
    assert g[1:, :].shape == (1, 3)
    assert g[:, :][0, :1][0] == memory[0, 0]
    with pytest.raises(ArgumentError, match="does not lie in one piece"):
        g[:, 0]
    with pytest.raises(ArgumentError, match="a slice has no step"):
        row[::2]
    with managed_run(), pytest.raises(Trap, match="the bound `-1` of a slice"):
        row[:-1]
    with managed_run(), pytest.raises(Trap, match="the bound `4` of a slice"):
        row[:4]


def test_vector_elements_are_values_and_struct_elements_are_references():
    memory = np.arange(6, dtype=np.float32).reshape(2, 3)
    v = view(memory, FLOAT3)
    assert tuple(v[1]) == (3, 4, 5)
    v[0] = v[1] * 2.0
    assert memory[0].tolist() == [6, 8, 10]
    points = np.zeros(3, Point.dtype)
    p = view(points, Point.__sb_type__)
    p[1].n = 4
    p[2] = p[1]
    p[1].n = 5
    assert points["n"].tolist() == [0, 5, 4]
    with pytest.raises(ArgumentError, match="the element is Point; got float"):
        p[0] = 1.0
    flags = np.zeros((1, 2), np.bool_)
    view(flags, types.VECTORS["bool2"])[0] = bool2(False, True)
    assert flags.tolist() == [[False, True]]


def test_stores_make_nan_canonical_and_loads_too():
    memory = np.array([0xFFC00001, 0], np.uint32).view(np.float32)
    a = view(memory)
    a[1] = a[0]
    assert memory.view(np.uint32).tolist() == [0xFFC00001, 0x7FC00000]
    a[0] = -float32(float("nan"))
    assert memory.view(np.uint32)[0] == 0x7FC00000


def test_stores_of_another_type_name_the_conversion():
    a = view(np.zeros(2, np.float32))
    with pytest.raises(ArgumentError) as error:
        a[0] = float64(1)
    assert error.value.message == "the element is float32; got float64"
    assert error.value.fix == "write float32(x)"
    with pytest.raises(Trap, match="integer overflow"):
        view(np.zeros(2, np.uint8), UINT8)[0] = 256


def test_read_only_arrays_refuse_stores_also_through_rows_and_structs():
    frozen = np.zeros(2, np.float32)
    frozen.flags.writeable = False
    a = view(frozen, readonly=True)
    g = view(np.zeros((2, 2), np.float32), ndim=2, readonly=True)
    p = view(np.zeros(2, Point.dtype), Point.__sb_type__, readonly=True)
    v = view(np.zeros((2, 3), np.float32), FLOAT3, readonly=True)
    for call in (
        lambda: a.__setitem__(0, 1.0),
        lambda: g[0].__setitem__(0, 1.0),
        lambda: g.__setitem__((0, 0), 1.0),
        lambda: setattr(p[0], "n", 1),
        lambda: setattr(p[0], "at", float2(1)),
        lambda: p.__setitem__(0, p[1]),
        lambda: v.__setitem__(0, float3(1)),
    ):
        with pytest.raises(ArgumentError, match="is read-only memory"):
            call()


def test_zeros_are_fresh_zeroed_and_of_any_element():
    a, b = zeros(4, float32), zeros(4, float32)
    a[0] = 1
    assert b[0] == 0
    assert zeros((2, 3), int32)[1, 2] == 0
    assert tuple(zeros(2, float3)[1]) == (0, 0, 0)
    assert zeros(2, Point)[1].n == 0
    assert zeros(2, bool)[0] is False
    assert zeros((2, 3, 1, 4), int32)[1, 2, 0, 3] == 0
    for shape in (0, (0, 2), (1, 2, 3, 4, 5)):
        with pytest.raises(ArgumentError, match="zeros takes one to four positive lengths"):
            zeros(shape, float32)
    with pytest.raises(ArgumentError, match="needs a fixed size, int has none"):
        zeros(3, int)


def test_arrays_are_iterated_and_none_compared():
    a = zeros(2, float32)
    a[1] = 3
    assert list(a) == [0, 3]
    assert type(next(iter(a))) is float32
    assert [row.shape for row in zeros((2, 3), float32)] == [(3,), (3,)]
    with pytest.raises(ArgumentError, match="not compared"):
        _ = a == a
    assert np.asarray(a).tolist() == [0, 3]


def misaligned():
    return np.zeros(17, np.uint8)[1:].view(np.float32)


def frozen():
    array = np.zeros(2, np.float32)
    array.flags.writeable = False
    return array


F1, F2 = ArrayType(FLOAT32, 1), ArrayType(FLOAT32, 2)
HEAD = "parameter 'a': expected Array[float32], an ndarray of np.float32"


@pytest.mark.parametrize(
    ("value", "t", "message", "fix"),
    [
        ([1.0], F1, f"{HEAD}; got list", "pass np.array(a, np.float32)"),
        (np.zeros(2), F1, f"{HEAD}; got float64", "pass a.astype(np.float32)"),
        (np.zeros(2, Point.dtype), F1, f"{HEAD}; got a structured dtype",
         "pass a.astype(np.float32)"),
        (np.zeros(2, ">f4"), F1, f"{HEAD} in native byte order; got >f4",
         "pass a.astype(np.float32)"),
        (np.zeros((2, 2), "f4"), F1, f"{HEAD} of shape (n,); got shape (2, 2)",
         "pass an array of shape (n,), for example by a.reshape(...)"),
        (np.zeros(2, "f4"), F2,
         "parameter 'a': expected Array[float32, 2], an ndarray of np.float32 of shape (n, m); "
         "got shape (2,)", "pass an array of shape (n, m), for example by a.reshape(...)"),
        (np.zeros((2, 4), "f4"), ArrayType(FLOAT3, 1),
         "parameter 'a': expected Array[float3], an ndarray of np.float32 of shape (n, 3); "
         "got shape (2, 4)", "pass an array of shape (n, 3), for example by a.reshape(...)"),
        (np.zeros(4, "f4")[::2], F1, f"{HEAD}, C-contiguous; got strides (8,)",
         "pass np.ascontiguousarray(a)"),
        (np.zeros((2, 3), "f4").T, F2,
         "parameter 'a': expected Array[float32, 2], an ndarray of np.float32, C-contiguous; "
         "got strides (4, 12)", "pass np.ascontiguousarray(a)"),
        (misaligned(), F1, f"{HEAD}, aligned; got misaligned memory", "pass a.copy()"),
        (frozen(), F1, f"{HEAD}, writable; got a read-only array",
         "pass a.copy(), or declare ReadOnly[float32]"),
        (np.zeros(2, "f4"), ArrayType(Point.__sb_type__, 1),
         "parameter 'a': expected Array[Point], an ndarray of Point.dtype; got float32",
         "pass a.astype(Point.dtype)"),
    ],
)  # fmt: skip
def test_an_array_that_does_not_fit_is_refused_with_an_exact_message(value, t, message, fix):
    with pytest.raises(ArgumentError) as error:
        check_array(value, t, "a")
    assert (error.value.message, error.value.fix) == (message, fix)


def test_arrays_that_fit_pass():
    check_array(np.zeros(0, np.float32), F1, "a")
    check_array(np.zeros((0, 3), np.float32), ArrayType(FLOAT3, 1), "a")
    check_array(frozen(), ArrayType(FLOAT32, 1, True), "a")
    check_array(np.zeros((2, 2, 3), np.float32), ArrayType(FLOAT3, 2), "a")
    assert len(view(np.zeros(0, np.float32))) == 0
    assert len(view(np.zeros(0, Point.dtype), Point.__sb_type__)) == 0


@pytest.mark.parametrize(
    ("value", "t", "expected"),
    [
        (1, FLOAT32, float32(1)), (0.1, FLOAT32, float32(0.1)),
        (np.float32(2), FLOAT32, float32(2)),
        (2, FLOAT64, float64(2)), (np.float64(2), FLOAT64, float64(2)), (3, INT32, int32(3)),
        (np.int32(3), INT32, int32(3)), (Int(3), UINT8, uint8(3)), (np.int16(3), INT, Int(3)),
        (2, FLOAT, 2.0), (np.float64(2), FLOAT, 2.0), (True, BOOL, True), (np.True_, BOOL, True),
    ],
)  # fmt: skip
def test_scalars_from_python_take_the_parameters_class(value, t, expected):
    result = wrap(value, t, "x")
    assert type(result) is type(expected)
    assert result == expected


@pytest.mark.parametrize(
    ("value", "t", "message"),
    [
        (np.float64(1), FLOAT32, "parameter 'x': expected float32; got float64"),
        (np.int32(1), FLOAT32, "parameter 'x': expected float32; got int32"),
        (np.int64(1), INT32, "parameter 'x': expected int32; got int64"),
        (1.0, INT32, "parameter 'x': expected int32; got float"),
        (True, INT32, "parameter 'x': expected int32; got bool"),
        (1, BOOL, "parameter 'x': expected bool; got int"),
        (np.int32(1), FLOAT, "parameter 'x': expected float; got int32"),
        (1.0, INT, "parameter 'x': expected int; got float"),
        ("1", FLOAT32, "parameter 'x': expected float32; got str"),
        (256, UINT8, "parameter 'x': 256 does not fit uint8 (0 to 255)"),
        (2**63, INT, f"parameter 'x': {2**63} does not fit int ({-(2**63)} to {2**63 - 1})"),
        ((1, 2), FLOAT3, "parameter 'x': expected float3, 3 components; got 2"),
        ((1, 2, np.float64(3)), FLOAT3, "parameter 'x[2]': expected float32; got float64"),
        (double3(1), FLOAT3, "parameter 'x' is float3; got double3"),
        (1.0, FLOAT3, "parameter 'x': expected float3; got float"),
        (np.zeros(3), FLOAT3,
         "parameter 'x': expected float3, shape (3,) of np.float32; got shape (3,) of float64"),
        (3, Point.__sb_type__, "parameter 'x': expected Point; got int"),
        (zeros(3, float64), F1, "parameter 'x': expected Array[float32]; got Array[float64]"),
    ],
)  # fmt: skip
def test_values_from_python_that_do_not_fit_are_refused(value, t, message):
    with pytest.raises(ArgumentError) as error:
        wrap(value, t, "x")
    assert error.value.message == message


def test_vectors_and_structs_come_from_what_hosts_have():
    for value in ((1, 2.0, 3), np.array([1, 2, 3], np.float32), float3(1, 2, 3)):
        result = wrap(value, FLOAT3, "v")
        assert type(result) is float3
        assert tuple(result) == (1, 2, 3)
    memory = np.zeros(3, Point.dtype)
    for value in (memory[1:2], memory[1:2].reshape(())):
        wrap(value, Point.__sb_type__, "p").n += 1
    assert memory["n"].tolist() == [0, 2, 0]
    with pytest.raises(ArgumentError, match="one element of Point"):
        wrap(memory, Point.__sb_type__, "p")
    frozen_point = np.zeros(1, Point.dtype)
    frozen_point.flags.writeable = False
    with pytest.raises(ArgumentError, match="writable"):
        wrap(frozen_point, Point.__sb_type__, "p")


def test_read_only_managed_arrays_stay_so():
    a = view(np.zeros(2, np.float32), readonly=True)
    with pytest.raises(ArgumentError, match=r"expected Array\[float32\]; got ReadOnly\[float32\]"):
        wrap(a, F1, "a")
    b = wrap(zeros(2, float32), ArrayType(FLOAT32, 1, True), "b")
    assert b.readonly


def test_results_take_their_declared_type():
    assert type(unwrap(1, FLOAT32)) is float32
    assert unwrap((1, 2.0), TupleType((INT32, FLOAT64))) == (int32(1), float64(2))
    assert unwrap(None, NONE) is None
    with pytest.raises(ArgumentError, match="the result is float32; got float64"):
        unwrap(float64(1), FLOAT32)
    with pytest.raises(ArgumentError, match="the result is None; got int"):
        unwrap(1, NONE)


def test_annotations_mean_types():
    assert type_of_annotation(float32) is FLOAT32
    assert (type_of_annotation(int), type_of_annotation(float)) == (INT, FLOAT)
    assert (type_of_annotation(bool), type_of_annotation(None)) == (BOOL, NONE)
    assert type_of_annotation(Array[float3, 2]) == ArrayType(FLOAT3, 2)
    assert type_of_annotation(ReadOnly[Point]) == ArrayType(Point.__sb_type__, 1, True)
    assert type_of_annotation(FixedArray[uint8, 4]) == FixedArrayType(UINT8, (4,))
    assert type_of_annotation(tuple[float32, int]) == TupleType((FLOAT32, INT))
    assert type_of_annotation(Array[T], {T: INT32}) == ArrayType(INT32, 1)
    assert Array[T] == ArrayAnnotation(T, 1, Access.READ_WRITE)
    assert FixedArray[float32, 2, 3] == FixedAnnotation(float32, (2, 3))
    assert repr(ReadOnly[float32, 2]) == "ReadOnly[float32, 2]"
    assert class_of_type(FLOAT32) is float32
    assert class_of_type(FLOAT3) is float3
    assert class_of_type(Point.__sb_type__) is Point


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: type_of_annotation(T), "the type variable T has no type here"),
        (lambda: type_of_annotation(np.float32), "numpy.float32 is not a type of the language"),
        (lambda: type_of_annotation(Array), "Array is not a type of the language"),
        (lambda: type_of_annotation(list[int]), "list[int] is not a type of the language"),
        (lambda: type_of_annotation(3), "3 is not a type of the language"),
        (lambda: type_of_annotation([]), "[] is not a type of the language"),
        (lambda: type_of_annotation(float32(1)), "float32(1.0) is not a type of the language"),
        (lambda: type_of_annotation(Array[int]),
         "an array's element needs a fixed size, int has none"),
        (lambda: type_of_annotation(Array[Array[float32]]),
         "an array's element cannot be Array[float32]"),
        (lambda: type_of_annotation(FixedArray[FixedArray[float32, 2], 3]),
         "a fixed array's element cannot be a fixed array"),
        (lambda: Array[float32, 5], "Array has one to four dimensions, got 5"),
        (lambda: FixedArray[float32],
         "FixedArray takes a type and one to four positive lengths, got [float32]"),
        (lambda: FixedArray[float32, 0],
         "FixedArray takes a type and one to four positive lengths, got [float32, 0]"),
        (lambda: type_of_annotation(FixedArray[float32, 10**5, 10**5]),
         "FixedArray[float32, 100000, 100000] takes 40,000,000,000 bytes; "
         "a field may take 2,147,483,647"),
        (lambda: Array(float32), "Array is an annotation, which takes brackets"),
        (lambda: FixedArray(float32, 3), "FixedArray is an annotation, which takes brackets"),
    ],
)  # fmt: skip
def test_what_means_no_type_is_refused(call, message):
    with pytest.raises(CompileError) as error:
        call()
    assert error.value.message == message


def test_the_size_of_an_array_type_is_exact_however_large() -> None:
    assert FixedArrayType(FLOAT32, (1 << 40, 1 << 40)).size == 1 << 82
