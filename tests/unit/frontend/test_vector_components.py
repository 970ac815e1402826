"""Assignment to components of vectors: of names, fields and elements, in every execution."""

from __future__ import annotations

import numpy as np
from tests.support.executions import refusal_of, same, trap_of

import samebits as sb
from samebits import float3, float32, float64, int3, int32


@sb.struct
class Point:
    x: float32
    y: float32


@sb.struct
class Body:
    pos: float3
    trail: sb.FixedArray[float3, 2]
    corner: Point

    def move(self, dt: float32) -> None:
        self.pos.x += dt
        self.trail[1].z -= self.pos.x


@sb.kernel
def names(v: float3, flag: bool) -> float3:
    v.x = 2.0
    v.y += v.x * 3
    if flag:
        v.z, v.x = v.x, v.z
    for i in range(3):
        v.z += float32(i)
    w = float3(1)
    w.x = w.y = v.z
    return v + w


def test_components_of_names() -> None:
    assert tuple(same(names, (1, 2, 3), True)) == (8, 13, 6)
    assert tuple(same(names, (1, 2, 3), False)) == (8, 14, 7)


@sb.kernel
def places(a: sb.Array[float3], grid: sb.Array[float3, 2], body: Body, n: int) -> None:
    a[n].x = 5
    a[n].y *= 2.0
    a[0].x, a[1].y = a[1].y, a[0].x
    grid[n, 0].z = a[1].y
    body.corner.x = body.corner.y = 8.0
    body.corner.y -= 1
    body.move(0.5)
    local = sb.zeros(2, float3)
    local[1].y = 3
    body.pos.y = local[1].y


def test_components_of_fields_and_elements() -> None:
    a, grid, body = np.ones((2, 3), np.float32), np.zeros((2, 1, 3), np.float32), Body()
    same(places, a, grid, body, 1)
    assert a.tolist() == [[2, 1, 1], [5, 1, 1]]
    assert grid[1, 0].tolist() == [0, 0, 1]
    assert (tuple(body.pos), tuple(body.trail[1])) == ((0.5, 3, 0), (0, 0, -0.5))
    assert (body.corner.x, body.corner.y) == (8, 7)
    assert trap_of(places, a, grid, body, 2) == ("index", "a[n]")


@sb.kernel
def counted(hits: sb.Array[int32]) -> int32:
    hits[0] += 1
    return hits[0]


@sb.kernel
def order(a: sb.Array[float3], hits: sb.Array[int32]) -> None:
    a[counted(hits)].x = float32(counted(hits))
    a[counted(hits)].y += float32(counted(hits))


def test_each_part_is_evaluated_once_and_the_value_first() -> None:
    a, hits = np.zeros((6, 3), np.float32), np.zeros(1, np.int32)
    same(order, a, hits)
    assert (a[2, 0], a[3, 1], hits[0]) == (1, 4, 4)


@sb.kernel
def whole(v: int3, n: int) -> int3:
    v.y = n
    return v


def test_a_number_that_does_not_fit_traps() -> None:
    assert tuple(same(whole, (1, 2, 3), 9)) == (1, 9, 3)
    assert trap_of(whole, (1, 2, 3), 1 << 40) == ("overflow", "v.y")


@sb.kernel
def parallel(a: sb.Array[float3]) -> None:
    for i in sb.prange(len(a)):
        a[i].x += float32(i)
        a[i].z = a[i].x * 2


@sb.kernel
def races(a: sb.Array[float3]) -> None:
    for i in sb.prange(len(a)):
        a[0].x += float32(i)


def test_in_parallel_ranges_elements_are_the_iterations_own() -> None:
    a = np.ones((40, 3), np.float32)
    same(parallel, a)
    assert a[39].tolist() == [40, 1, 80]
    assert trap_of(races, np.ones((40, 3), np.float32))[0] == "own"


@sb.kernel
def flushing(v: float3, x: float32) -> float3:
    v.x = x
    v.y *= x
    return v


def test_components_flush_as_names_do() -> None:
    flush = sb.kernel(denormals="flush")(flushing.function)
    assert tuple(same(flush, (1, 1e-20, 0), 1e-40)) == (0, 0, 0)


@sb.kernel
def unassigned(flag: bool) -> float3:
    if flag:
        v = float3(1)
    v.x = 1.0
    return v


@sb.kernel
def strict(v: float3, x: float64) -> float3:
    v.x = x
    return v


def test_what_is_no_such_place_is_refused() -> None:
    assert "may be unassigned" in refusal_of(unassigned, True).message
    assert refusal_of(strict, (1, 2, 3), 1).fix == "write float32(x)"


@sb.kernel
def beside(a: sb.Array[float3], body: Body) -> None:
    a[0].x = 1.0
    body.pos.y += 1.0


def test_nans_beside_a_component_stay_as_they_are_in_memory() -> None:
    a, body = np.zeros((1, 3), np.float32), Body()
    a.view(np.uint32)[0, 1] = 0x7F800001
    body.memory["pos"].view(np.uint32)[2] = 0x7F800001
    same(beside, a, body)
    assert a.view(np.uint32)[0, 1] == 0x7F800001
