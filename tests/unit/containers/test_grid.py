"""Grids: every pair of points as the model, in every execution; the order that is stated."""

from __future__ import annotations

import pickle
from random import Random
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import double3, float2, float32, float64, int32

Plane = sb.Grid2[float2, 5, 4, 40]
Space = sb.Grid3[double3, 3, 4, 2, 30]


@sb.kernel
def near2(
    grid: Plane, points: sb.ReadOnly[float2], p: float2, radius: float32, found: sb.Array[int32]
) -> int:
    grid.place(float2(-1, -2), 1.5)
    for q in points:
        grid.insert(q)
    return grid.near(p, radius, found)


@sb.kernel
def near3(
    grid: Space, points: sb.ReadOnly[double3], p: double3, radius: float64, found: sb.Array[int32]
) -> int:
    grid.place(double3(-1, -2, 0), 0.75)
    grid.fill(points)
    return grid.near(p, radius, found)


@pytest.mark.parametrize(
    ("kernel", "grid", "kind", "sizes"),
    [(near2, Plane, np.float32, (5, 4)), (near3, Space, np.float64, (3, 4, 2))],
)
def test_a_grid_finds_what_is_near_in_the_stated_order(
    kernel: Any, grid: Any, kind: Any, sizes: tuple[int, ...]
) -> None:
    rng = Random(7)
    d = len(sizes)
    cell, origin = ((1.5, (-1, -2)), (0.75, (-1, -2, 0)))[d - 2]
    for case in range(40):
        count = rng.randrange(30)
        whole = case % 2 == 0
        draw = (lambda: float(rng.randrange(-4, 9))) if whole else (lambda: rng.uniform(-4, 9))
        points = np.array([[draw() for _ in range(d)] for _ in range(count)], kind).reshape(-1, d)
        p = np.array([draw() for _ in range(d)], kind)
        radius = kind(rng.choice([0, 1, 2.5, 20]))
        found = np.full(40, -1, np.int32)
        made = grid()
        args = (made, points, tuple(p), radius, found)
        sb.assert_same_bits(kernel, *args)
        n = kernel(*args)

        def cell_of(q: Any) -> tuple[int, ...]:
            place = [
                min(max(int(np.floor((x - o) / cell)), 0), size - 1)
                for x, o, size in zip(q, np.array(origin, kind), sizes, strict=True)
            ]
            return tuple(reversed(place))

        expected: list[int] = []
        for k, q in enumerate(points):
            total = (q[0] - p[0]) ** 2 + (q[1] - p[1]) ** 2
            total = total + (q[2] - p[2]) ** 2 if d == 3 else total
            if total <= radius * radius:
                expected.append(k)
        expected.sort(key=lambda k: (cell_of(points[k]), k))
        assert found[:n].tolist() == expected
        assert len(made) == count


def test_points_that_are_no_numbers_or_far_outside_do_no_harm() -> None:
    points = np.array([[np.nan, 1], [np.inf, -np.inf], [1e38, 0], [0, 0]], np.float32)
    for radius in (1, np.inf, np.nan):
        found = np.zeros(4, np.int32)
        sb.assert_same_bits(near2, Plane(), points, (0, 0), radius, found)


def test_no_room_traps() -> None:
    points = np.zeros((3, 2), np.float32)
    with pytest.raises(sb.Trap, match="more points are near than there is room for"):
        sb.assert_same_bits(near2, Plane(), points, (0, 0), 1, np.zeros(2, np.int32))
    with pytest.raises(sb.Trap, match="the grid is full"):
        sb.assert_same_bits(
            near2, Plane(), np.zeros((41, 2), np.float32), (0, 0), 1, np.zeros(2, np.int32)
        )


def test_memory_that_is_no_grid_reaches_no_other_memory() -> None:
    for link in (0, 3, 41, -5):
        grid = Plane([(0, 0), (1, 1)])
        grid.size = link
        for k in range(20):
            grid.heads[k] = link
        grid.links[2] = 3
        found = np.zeros(50, np.int32)
        try:
            sb.assert_same_bits(look, grid, found)
        except sb.Trap:
            assert link != 0


@sb.kernel
def look(grid: Plane, found: sb.Array[int32]) -> int:
    grid.try_insert(float2(1, 1))
    return grid.near(float2(0, 0), 3, found)


def test_python_uses_a_grid_as_a_sequence_of_points() -> None:
    grid = Plane([(0, 0), (1, 2)])
    assert len(grid) == 2
    assert sb.all(grid[1] == float2(1, 2))
    assert [p.x for p in grid] == [0, 1]
    found = np.zeros(4, np.int32)
    assert grid.near((1, 1), 1, found) == 1
    assert len(pickle.loads(pickle.dumps(grid))) == 2
    with pytest.raises(sb.CompileError, match="a point of Grid2 cannot be float32"):
        sb.Grid2[float32, 2, 2, 3]
