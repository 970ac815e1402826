"""Matrices are values, the same in every execution, with the documented order of operations."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import (
    Array,
    ReadOnly,
    bool2x2,
    bool3,
    bool3x4,
    double2x2,
    double3x3,
    float2,
    float2x2,
    float2x3,
    float3,
    float3x2,
    float3x3,
    float3x4,
    float4,
    float4x4,
    float32,
    int2x2,
    int3x2,
    int32,
    math,
    uint2x3,
)
from samebits.errors import ArgumentError, CompileError, Trap
from samebits.lang.values.classes import COMPOSITE_CLASSES
from samebits.types import BOOL, MATRICES, vector_of

MATRIX_CLASSES = {t: COMPOSITE_CLASSES[t] for t in MATRICES.values()}
M = float3x3(1, 2, 3, 4, 5, 6, 7, 8, 10)
SHAPES = [pytest.param(cls, id=t.name) for t, cls in MATRIX_CLASSES.items()]
OF_NUMBERS = [
    pytest.param(cls, id=t.name) for t, cls in MATRIX_CLASSES.items() if t.element is not BOOL
]
SQUARE = [
    pytest.param(cls, id=t.name)
    for t, cls in MATRIX_CLASSES.items()
    if t.rows == t.columns and t.element.is_float
]


def sample(cls: Any, seed: int = 0) -> np.ndarray[Any, Any]:
    """An array of the shape (columns, rows) that a matrix of `cls` has in memory."""
    t = cls.__sb_type__
    rng = np.random.default_rng([seed, t.length])
    if t.element.is_float:
        return rng.standard_normal(t.shape).astype(t.element.dtype)
    return rng.integers(0, 1 << 32, t.shape, np.uint64).astype(t.element.dtype)


def summed(products: Any) -> Any:
    """The sum from left to right, each step rounded or wrapped."""
    total = products[0]
    with np.errstate(over="ignore"):
        for product in products[1:]:
            total = total + product
    return total


def by_hand(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The product of matrices in memory order."""
    return np.array([summed([x * k for x, k in zip(a, column, strict=True)]) for column in b])


def same(a: Any, b: np.ndarray[Any, Any]) -> bool:
    array = np.asarray(a)
    return array.shape == b.shape and array.dtype == b.dtype and array.tobytes() == b.tobytes()


def test_numbers_are_given_row_by_row_and_kept_column_by_column() -> None:
    assert np.asarray(M).tolist() == [[1, 4, 7], [2, 5, 8], [3, 6, 10]]
    assert sb.all(M.c1 == float3(2, 5, 8))
    assert sb.all(M[1] == M.c1)
    assert M.c2.x == 3
    n = float2x3(float2(1, 4), float2(2, 5), float2(3, 6))
    assert same(n, np.asarray(float2x3(1, 2, 3, 4, 5, 6)))
    assert (len(n), len(float3x2(0))) == (3, 2)
    assert same(float2x2(7), np.full((2, 2), 7, np.float32))


@pytest.mark.parametrize("cls", SHAPES)
def test_a_matrix_survives_arrays_copies_and_pickles(cls: Any) -> None:
    a = sample(cls)
    m = cls(a)
    assert same(m, a)
    for other in (cls(*m), copy.copy(m), pickle.loads(pickle.dumps(m)), cls(m)):
        assert type(other) is cls
        assert same(other, a)


@pytest.mark.parametrize("cls", OF_NUMBERS)
def test_products_with_vectors_add_from_left_to_right(cls: Any) -> None:
    t = cls.__sb_type__
    a = sample(cls)
    column = COMPOSITE_CLASSES[vector_of(t.element, t.columns)](*a[:, 0])
    row = COMPOSITE_CLASSES[vector_of(t.element, t.rows)](*a[0])
    v, u = np.asarray(column), np.asarray(row)
    assert same(cls(a) @ column, by_hand(a, v[None])[0])
    assert same(row @ cls(a), np.array([summed(u * c) for c in a]))


@pytest.mark.parametrize("left", SHAPES)
def test_products_of_matrices_that_fit(left: Any) -> None:
    s = left.__sb_type__
    a = left(sample(left))
    for t, right in MATRIX_CLASSES.items():
        b = right(sample(right, 1))
        if s.element != t.element or s.columns != t.rows or t.element is BOOL:
            with pytest.raises(ArgumentError, match="mul of"):
                math.mul(a, b)
        else:
            assert same(a @ b, by_hand(sample(left), sample(right, 1)))


@pytest.mark.parametrize("cls", SHAPES)
def test_a_transpose_swaps_rows_and_columns(cls: Any) -> None:
    assert same(math.transpose(cls(sample(cls))), sample(cls).T.copy())


@pytest.mark.parametrize("cls", SQUARE)
def test_inverses_and_determinants_are_those_of_the_definition(cls: Any) -> None:
    a = sample(cls)
    wide = a.astype(np.float64).T
    eps = float(np.finfo(a.dtype).eps)
    condition = np.linalg.cond(wide)
    assert abs(float(math.determinant(cls(a))) - np.linalg.det(wide)) < 64 * eps * condition
    error = np.abs(np.asarray(math.inverse(cls(a))).T - np.linalg.inv(wide)).max()
    assert error < 64 * eps * condition * np.abs(np.linalg.inv(wide)).max()
    assert (np.asarray(math.inverse(cls.identity)) == np.asarray(cls.identity)).all()
    assert math.determinant(cls.identity) == 1


def test_the_inverse_of_what_has_none_is_not_finite() -> None:
    found = np.asarray(math.inverse(float2x2(1, 2, 2, 4)))
    assert not np.isfinite(found).any()


def test_the_inverse_of_two_by_two_divides_each_component() -> None:
    a, b, c, d = (float32(x) for x in (0.3, 1.7, -2.1, 0.9))
    det = a * d - b * c
    expected = np.array([[d / det, -c / det], [-b / det, a / det]])
    assert same(math.inverse(float2x2(a, b, c, d)), expected)


@sb.struct
class Holder:
    flag: bool
    m: float3x3
    many: sb.FixedArray[float2x3, 2]
    wide: double3x3


@sb.kernel
def everything(m: float3x3, n: float2x3, v: float3, f: float4x4) -> tuple[float3x3, float2, float4]:
    k = m @ M - math.transpose(m) * 2.0 + float3x3.identity / v.x
    k @= m
    k += 1.0
    if v.y > 0.0:
        k = float3x3(v, k[1], k.c0)
    w = math.mul(n, v) + v.xy
    r = k if math.determinant(k) > 1.0 else math.inverse(k)
    return -math.abs(r), w, math.inverse(f) @ float4(v @ m, 1.0) + f[3] * float32(len(n))


@sb.kernel
def in_memory(h: Holder, a: Array[float2x3], b: ReadOnly[float3x3], i: int32) -> float3x2:
    h.m = h.m @ b[i]
    h.many[1] = a[i]
    a[i] = h.many[0] + a[0] * 2.0
    h.wide = double3x3(h.m) @ h.wide
    h.flag = sb.any(h.many[1].c2 > 0.0)
    local = sb.zeros(4, float2x3)
    for k in range(4):
        local[k] = a[i] * float32(k)
    return math.transpose(local[3])


@pytest.mark.parametrize("seed", range(4))
def test_every_execution_gives_the_same_values(seed: int) -> None:
    v = float3(*np.random.default_rng(seed).standard_normal(3).astype(np.float32))
    sb.assert_same_bits(
        everything,
        float3x3(sample(float3x3, seed)),
        float2x3(sample(float2x3, seed)),
        v,
        float4x4(sample(float4x4, seed)),
    )


def test_every_execution_leaves_the_same_memory() -> None:
    rng = np.random.default_rng(5)
    a = rng.standard_normal((4, 3, 2)).astype(np.float32)
    b = rng.standard_normal((4, 3, 3)).astype(np.float32)
    h = Holder(m=M, wide=double3x3.identity)
    sb.assert_same_bits(in_memory, h, a, b, 2)
    before = a.copy()
    result = in_memory(h, a, b, 2)
    assert same(h.m, by_hand(np.asarray(M), b[2]))
    assert same(h.many[1], before[2])
    assert same(a[2], before[0] * np.float32(2))
    assert same(result, (a[2] * np.float32(3)).T.copy())
    with pytest.raises(Trap):
        in_memory(h, a, b, 4)


@sb.struct
class Counts:
    hits: uint2x3
    moves: sb.FixedArray[int3x2, 2]
    seen: bool2x2


@sb.kernel
def counted(
    c: Counts, a: int2x2, b: int2x2, masks: Array[bool3x4], x: float3x4, y: float3x4
) -> tuple[int2x2, bool2x2, float3x4, double2x2]:
    less = a < b
    c.seen = (c.seen & less) | ~(a == b) ^ bool2x2.identity
    c.hits = c.hits * 2654435761 + uint2x3(1)
    c.hits ^= c.hits >> 15
    c.moves[1] = -c.moves[0] @ a - c.moves[1] // 3
    chosen = sb.select(masks[0], x, y)
    masks[0] = (x > y) | (masks[0] != masks[1])
    if sb.any(masks[0]) and not sb.all(less):
        a = sb.select(less, a @ b, sb.min(a, b)) + int2x2.identity
    return math.transpose(a), less, chosen, a / b


@pytest.mark.parametrize("seed", range(4))
def test_integers_and_bools_are_the_same_in_every_execution(seed: int) -> None:
    c = Counts(hits=uint2x3(sample(uint2x3, seed)))
    c.moves[0] = int3x2(sample(int3x2, seed))
    masks = np.array([sample(bool3x4, seed), sample(bool3x4, seed + 4)])
    values = [cls(sample(cls, seed + k)) for k, cls in enumerate((int2x2, int2x2))]
    x, y = (float3x4(sample(float3x4, seed + k)) for k in range(2))
    compared = sb.assert_same_bits(counted, c, *values, masks, x, y)
    assert compared
    before = masks.copy()
    found = counted(c, *values, masks, x, y)
    a, b = (np.asarray(v).astype(np.int64) for v in values)
    assert same(found[1], a < b)
    assert same(found[2], np.where(before[0], np.asarray(x), np.asarray(y)))
    assert same(masks[0], (np.asarray(x) > np.asarray(y)) | (before[0] != before[1]))


def test_comparing_gives_a_matrix_of_bools() -> None:
    assert same(float2x3(1, 2, 3, 4, 5, 6) >= float2x3(2), np.array([[0, 1], [1, 1], [1, 1]], bool))
    assert same(M == M, np.ones((3, 3), bool))
    nan = float2x2(float("nan"))
    assert not sb.any(nan == nan)
    assert sb.all(nan != nan)


def test_assigning_a_matrix_copies_it() -> None:
    h = Holder(m=M)
    kept = h.m
    h.m = float3x3(0)
    assert same(kept, np.asarray(M))


def test_an_array_of_another_shape_is_refused_with_the_shape_to_pass() -> None:
    a = np.zeros((4, 3, 2), np.float32)
    flat = np.zeros((4, 9), np.float32)
    with pytest.raises(ArgumentError, match=r"shape \(n, 3, 3\); got shape \(4, 9\)"):
        in_memory(Holder(), a, flat, 1)
    with pytest.raises(ArgumentError, match="float3x3"):
        everything((1.0,) * 9, float2x3(0), float3(0), float4x4(0))
    with pytest.raises(ArgumentError, match="2 columns of 3"):
        float3x2(np.zeros((3, 2), np.float32))


@sb.kernel
def ordered(a: bool2x2) -> bool2x2:
    return a < a


@sb.kernel
def added(a: bool2x2) -> bool2x2:
    return a @ a


@sb.kernel
def unlike(a: float2x2, b: float2x3) -> bool2x2:
    return a == b


@sb.kernel
def whole_inverse(a: int2x2) -> int2x2:
    return math.inverse(a)


@sb.kernel
def mismatched(a: float2x3, b: float2x3) -> float2x3:
    return a @ b


@sb.kernel
def short(a: float2) -> float2x2:
    return float2x2(a, 1.0)


@sb.kernel
def sine(a: float2x2) -> float2x2:
    return math.sin(a)


@sb.kernel
def lane_select(a: float3x3, c: bool3) -> float3x3:
    return sb.select(c, a, a)


@sb.kernel
def fifth(a: float2x2) -> float2:
    return a.c4


@sb.kernel
def no_identity() -> float2x3:
    return float2x3.identity


@sb.kernel
def stored(a: float2x2) -> float2x2:
    a.c0 = float2(0)
    return a


REFUSED = [
    (ordered, "`<` is not there for bool2x2"),
    (added, "`@` of bool2x2 and bool2x2 is not there"),
    (unlike, "float2x2 and float2x3"),
    (whole_inverse, "inverse"),
    (mismatched, "`@` of float2x3 and float2x3 is not there"),
    (short, "float2x2() is made of 2 float2 columns, or of 4 numbers row by row"),
    (sine, "sin() works on numbers and vectors, but this is float2x2"),
    (lane_select, "select() by bool3 of float3x3: the shapes differ"),
    (fifth, "float2x2 has no column 'c4'"),
    (no_identity, "has no 'identity'"),
]


@pytest.mark.parametrize(("kernel", "message"), REFUSED)
def test_what_a_matrix_has_not_is_refused_by_the_compiler(kernel: Any, message: str) -> None:
    arguments = [VALUES[t.name] for t in kernel.fixed_types]
    with pytest.raises(CompileError) as caught:
        kernel(*arguments)
    assert message in caught.value.message
    assert caught.value.fix


VALUES = {
    "float2x2": float2x2(0),
    "float2x3": float2x3(0),
    "float2": float2(0),
    "float3x3": float3x3(0),
    "bool3": bool3(True),
    "bool2x2": bool2x2(True),
    "int2x2": int2x2(0),
}


def test_columns_are_not_assigned() -> None:
    with pytest.raises(CompileError):
        stored(float2x2(0))
    with pytest.raises(ArgumentError, match="immutable"):
        M.c0 = float3(0)


@pytest.mark.parametrize(
    "refused",
    [
        lambda: float2x2(0) == M,
        lambda: bool2x2(True) < bool2x2(True),
        lambda: bool2x2(True) + bool2x2(True),
        lambda: sb.select(bool2x2(True), M, M),
        lambda: sb.select(bool2x2(True), float4(0), float4(1)),
        lambda: math.inverse(int2x2(1)),
        lambda: float2x2(float2(0), 1),
        lambda: math.sin(M),
        lambda: math.dot(M, M),
        lambda: sb.select(bool3(True), M, M),
        lambda: sb.bitcast(sb.uint32, M),
        lambda: M + double3x3(0),
        lambda: float4(float2x2(0)),
        lambda: math.transpose(float3(0)),
        lambda: math.determinant(float2x3(0)),
    ],
)
def test_what_a_matrix_has_not_is_refused_in_python(refused: Any) -> None:
    with pytest.raises(ArgumentError):
        refused()
