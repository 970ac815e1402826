"""Arrays of three and four dimensions: parameters, local arrays, fields and tables."""

from __future__ import annotations

import typing
from typing import Any

import numpy as np
import pytest
from tests.support.executions import same, trap_of

import samebits as sb
from samebits import float3, float32, int32, int64
from samebits.errors import ArgumentError, CompileError

CUBE = sb.table([[[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [10, 11, 12]]], int32)
SQUARE = sb.table(np.arange(6).reshape(2, 3), int32)
T = typing.TypeVar("T")


@sb.struct
class Chunk:
    blocks: sb.FixedArray[int32, 2, 3, 4]
    light: sb.FixedArray[float32, 2, 1, 2, 2]


@sb.kernel
def total(a: sb.ReadOnly[int32, 3]) -> int64:
    n = int64(0)
    for plane in a:
        for row in plane:
            for x in row:
                n = n * 3 + int64(x)
    return n


def cube() -> Any:
    return np.arange(24, dtype=np.int32).reshape(2, 3, 4)


def test_parameters_have_up_to_four_dimensions() -> None:
    @sb.kernel
    def use(a: sb.Array[int32, 3], b: sb.Array[float32, 4], i: int, j: int, k: int) -> int64:
        d, h, w = a.shape
        a[i, j, k] += int32(len(b) * 1000 + b.shape[3])
        b[i, 0, 1, k] = float32(a[-1, j, -2])
        plane, row = a[i], a[i, j]
        plane[0, 0] = row[k] + int32(1)
        part = a[:, :][i, 1:, :]
        part[1, 3] = int32(w * 100 + h * 10 + d)
        return total(a) + total(a[1:]) + int64(b[1][0, 1, 1:][0])

    a, b = cube(), np.zeros((2, 1, 2, 3), np.float32)
    same(use, a, b, 1, 2, 1)
    assert a[1, 2].tolist() == [20, 2024, 22, 432]
    assert a[1, 0, 0] == 2025
    assert b[1, 0, 1].tolist() == [0, 22, 0]


@pytest.mark.parametrize("at", [(2, 0, 0), (0, 3, 0), (0, 0, 4), (-1, 0, 0), (0, 0, 2**63 - 1)])
def test_each_index_is_checked(at: tuple[int, int, int]) -> None:
    @sb.kernel
    def get(a: sb.ReadOnly[int32, 3], i: int, j: int, k: int) -> int32:
        return a[i, j, k]

    assert trap_of(get, cube(), *at) == ("index", "a[i, j, k]")
    assert same(get, cube(), 1, 2, 3) == 23


def test_local_arrays_fields_and_tables_have_up_to_four_dimensions() -> None:
    @sb.kernel
    def use(chunk: Chunk, k: int32) -> int64:
        local = sb.zeros((2, 2, 2, 3), int32)
        for i in range(2):
            for j in range(2):
                for m in range(3):
                    local[i, j, 1, m] = CUBE[i, j, m] + SQUARE[i, m]
        chunk.blocks[1, 2, k] = local[1, -1, 1, 2]
        chunk.light[1, 0, 1, 0] = float32(chunk.blocks[1, 2][k])
        n = total(CUBE) + total(local[1]) + total(chunk.blocks) * len(CUBE) + CUBE.shape[2]
        for row in SQUARE:
            n = n * 5 + int64(row[-1])
        for plane in CUBE[1:]:
            n += int64(plane[1, 0]) + total(local[0, :1])
        return n

    chunk = Chunk()
    chunk.blocks = cube().tolist()
    same(use, chunk, 3)
    assert chunk.memory["blocks"][1, 2].tolist() == [20, 21, 22, 17]
    assert chunk.memory["light"].ravel().tolist() == [0, 0, 0, 0, 0, 0, 17, 0]
    with pytest.raises(ArgumentError, match="got 2 elements of other lengths"):
        chunk.blocks = np.zeros((2, 4, 3)).tolist()


def test_vectors_generics_and_parallel_ranges_take_more_dimensions() -> None:
    @sb.kernel
    def biggest(a: sb.ReadOnly[T, 3], floor: T) -> T:
        best = floor
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                for k in range(a.shape[2]):
                    best = sb.max(best, a[i, j, k])
        return best

    @sb.kernel
    def lift(points: sb.Array[float3, 3], by: float32) -> None:
        for i in sb.prange(len(points)):
            for row in points[i]:
                for k in range(len(row)):
                    row[k] += float3(by)
            points[i, 0, 0].x = by

    assert same(biggest, cube(), int32(-5)) == 23
    points = np.zeros((3, 2, 2, 3), np.float32)
    same(lift, points, 0.5)
    assert float(points.sum()) == 0.5 * 36


def test_other_shapes_are_refused() -> None:
    @sb.kernel
    def use(a: sb.Array[int32, 3]) -> int32:
        return a[0, 0, 0]

    with pytest.raises(ArgumentError, match=r"Array\[int32, 3\].* of shape \(n, m, k\); got"):
        use(np.zeros((2, 2), np.int32))
    with pytest.raises(CompileError, match="one to four dimensions"):
        sb.Array[int32, 5]
    with pytest.raises(CompileError, match="one to four positive lengths"):
        sb.FixedArray[int32, 1, 1, 1, 1, 1]
    with pytest.raises(ArgumentError, match="the rows of a table have one length"):
        sb.table([[1, 2], [3]], int32)
    with pytest.raises(ArgumentError, match="the rows of a table have one length"):
        sb.table([[1, 2], 3], int32)
    with pytest.raises(ArgumentError, match="at least one value"):
        sb.table([[], []], int32)
    with pytest.raises(ArgumentError, match="one to four dimensions"):
        sb.table(np.zeros((1, 1, 1, 1, 1)), int32)
