"""Structs are references, as Python's objects are; no kernel can tell a copy from an alias."""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.support.executions import refusal_of, same, trap_of

import samebits as sb
from samebits import Array, float2, float32, int32


@sb.struct
class Part:
    a: int32
    v: float2


@sb.struct
class Whole:
    parts: sb.FixedArray[Part, 3]
    first: Part
    shape: sb.FixedArray[float32, 3]
    grid: sb.FixedArray[int32, 2, 2]

    def bump(self, n: int32) -> int32:
        self.first.a += n
        return self.first.a

    def both(self) -> int32:
        return self.bump(1) * 10 + self.bump(2)


@sb.kernel
def through_references(w: Whole) -> int32:
    part = w.parts[1]
    part.a = 5
    part.v = float2(1, 2)
    part = w.first
    part.a += 7
    return w.parts[1].a


def test_a_name_of_a_parameters_part_is_that_part() -> None:
    w = Whole()
    assert same(through_references, w) == 5
    assert (w.parts[1].v.y, w.first.a) == (2, 7)


@sb.kernel
def write_then_read(x: Part, y: Part) -> int32:
    x.a = 1
    y.a += 10
    return x.a


@sb.kernel
def aliased(w: Whole) -> tuple[int32, int32]:
    local = Part(a=3)
    return write_then_read(w.first, w.first), write_then_read(local, local)


def test_two_parameters_may_be_one_object() -> None:
    assert same(aliased, Whole()) == (11, 11)
    part = Part()
    assert write_then_read(part, part) == write_then_read.managed(part, part) == 11


@sb.kernel
def copies(w: Whole) -> tuple[int32, int32, int32]:
    mine = w.first.copy()
    mine.a = 100
    w.parts[0] = w.first
    w.first.a = 9
    w.parts[2] = mine
    mine.a = 7
    return w.parts[0].a, w.parts[2].a, mine.a


def test_assignment_into_memory_and_copy_take_the_bytes() -> None:
    w = Whole()
    w.first.a = 4
    assert same(copies, w) == (4, 100, 7)


@sb.kernel
def rotated(w: Whole) -> None:
    w.parts[0], w.parts[1] = w.parts[1].copy(), w.parts[0].copy()


def test_copies_swap_two_structs() -> None:
    w = Whole()
    w.parts[0].a, w.parts[1].a = 1, 2
    same(rotated, w)
    assert (w.parts[0].a, w.parts[1].a) == (2, 1)


@sb.kernel
def swapped_references(w: Whole) -> None:
    w.parts[0], w.parts[1] = w.parts[1], w.parts[0]


@sb.kernel
def renamed_references(w: Whole) -> None:
    (p, q), _ = (w.parts[1], w.parts[0]), 1
    p.a, q.a = q.a, p.a


@sb.kernel
def moved_round(parts: sb.Array[Part], w: Whole, i: int32, j: int32) -> None:
    parts[i], w.first, parts[j] = w.first, parts[j], Part(a=parts[i].a + 1)


def test_structs_that_are_swapped_are_copied_first() -> None:
    w = Whole()
    w.parts[0].a, w.parts[1].a = 1, 2
    same(swapped_references, w)
    assert (w.parts[0].a, w.parts[1].a) == (2, 1)
    parts = np.zeros(3, Part.dtype)
    parts["a"] = 1, 2, 3
    same(moved_round, parts, w, 0, 2)
    assert (parts["a"].tolist(), w.first.a) == ([0, 2, 2], 3)
    assert trap_of(moved_round, parts, w, 0, 3) == ("index", "parts[j]")


def test_names_inside_a_tuple_refer_as_others_do() -> None:
    w = Whole()
    w.parts[0].a, w.parts[1].a = 1, 2
    same(renamed_references, w)
    assert (w.parts[0].a, w.parts[1].a) == (2, 1)


@sb.kernel
def make(n: int32) -> tuple[Part, Part]:
    one = Part(a=n)
    return one, Part(a=n + 1)


@sb.kernel
def made() -> tuple[int32, int32]:
    x, y = make(1)
    z, x = make(x.a + y.a)
    x.a += 1
    return x.a, z.a


@sb.kernel
def returned_twice() -> tuple[Part, Part]:
    one = Part(a=1)
    return one, one


@sb.kernel
def returned_with_its_part() -> tuple[Whole, Part]:
    whole = Whole()
    return whole, whole.parts[1]


def test_results_are_objects_of_their_own() -> None:
    assert same(made) == (5, 3)
    for kernel in (returned_twice, returned_with_its_part):
        assert "both results would be the same object" in refusal_of(kernel).message


@sb.kernel
def methods(w: Whole) -> tuple[int32, int32]:
    return w.both(), Whole(first=w.first).bump(5)


def test_methods_change_their_struct() -> None:
    w = Whole()
    assert same(methods, w) == (13, 8)
    assert (w.both(), w.first.a) == (46, 6)


@sb.kernel
def counted(log: Array[int32]) -> Whole:
    log[0] += 1
    w = Whole()
    w.shape[1] = 4
    return w


@sb.kernel
def field_named_shape(log: Array[int32], w: Whole) -> tuple[float32, int]:
    w.shape[2] = w.grid.shape[0] + w.shape.shape[0]
    return counted(log).shape[1] + w.shape[2], len(w.shape)


def test_a_field_may_be_named_shape() -> None:
    log = np.zeros(1, np.int32)
    assert same(field_named_shape, log, Whole()) == (9, 3)
    assert log[0] == 1


@sb.kernel
def in_a_loop(n: int) -> int32:
    total = int32(0)
    for i in range(n):
        part = Part()
        part.a += int32(i)
        total += part.a
    return total


@sb.kernel
def grid_sum(w: Whole) -> int32:
    total = int32(0)
    for y in range(w.grid.shape[0]):
        for x in range(w.grid.shape[1]):
            w.grid[y, x] = int32(y * 10 + x)
            total += w.grid[y, x]
    return total


def test_new_structs_are_zero_and_grids_are_row_major() -> None:
    assert same(in_a_loop, 5) == 10
    w: Any = Whole()
    assert same(grid_sum, w) == 22
    assert w.memory["grid"].tolist() == [[0, 1], [10, 11]]


@sb.kernel
def overlapping(a: Array[Part], b: Array[Part]) -> None:
    a[0] = b[0]


def test_a_copy_between_overlapping_memory_takes_what_was_there_before() -> None:
    results: list[list[int]] = []
    for run in (overlapping, overlapping.managed):
        words = np.arange(4, dtype=np.int32)
        run(words[1:4].view(Part.dtype), words[0:3].view(Part.dtype))
        results.append(words.tolist())
    assert results == [[0, 0, 1, 2]] * 2
