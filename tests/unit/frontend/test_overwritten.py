"""A name of a struct that is read once its memory has been written over is warned of."""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
import pytest
from tests.support.executions import same

import samebits as sb
from samebits import float64
from samebits.frontend.compile import compile_kernel


@sb.struct
class Body(sb.Struct):
    x: float64 = 0.0
    hp: float64 = 0.0


@sb.struct
class World(sb.Struct):
    first: Body = sb.zero
    second: Body = sb.zero
    bodies: sb.FixedArray[Body, Literal[4]] = sb.zero


Bodies = sb.Array[Body]


def caught(kernel: Any) -> list[tuple[str, str]]:
    """The first line and the fix of each warning."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        compile_kernel(kernel, kernel.fixed_types)
    texts = [str(w.message) for w in found]
    return [(text.split("\n", 1)[0], text.rpartition("fix: ")[2]) for text in texts]


@sb.kernel
def swap(a: Bodies) -> None:
    t = a[0]
    a[0] = a[1]
    a[1] = t


@sb.kernel
def swap_of_two_indices(a: Bodies, i: int, j: int) -> None:
    t = a[i]
    a[i] = a[j]
    a[j] = t


@sb.kernel
def swap_fields(w: World) -> None:
    t = w.first
    w.first = w.second
    w.second = t


@sb.kernel
def insertion_sort(w: World) -> None:
    for i in range(1, 4):
        key = w.bodies[i]
        j = i - 1
        while j >= 0 and w.bodies[j].x > key.x:
            w.bodies[j + 1] = w.bodies[j]
            j -= 1
        w.bodies[j + 1] = key


@sb.kernel
def rotate(a: Bodies) -> None:
    last = a[-1]
    for k in range(len(a) - 1):
        i = len(a) - 1 - k
        a[i] = a[i - 1]
    a[0] = last


@sb.kernel
def step(b: Body) -> Body:
    return Body(b.x + 1.0, b.hp)


@sb.kernel
def moved(a: Bodies, i: int) -> float64:
    old = a[i]
    a[i] = step(a[i])
    return a[i].x - old.x


@sb.kernel
def swap_in_a_part(a: Bodies) -> None:
    part = a[1:]
    t = a[2]
    part[1] = part[0]
    part[0] = t


@sb.kernel
def swap_by_a_second_name(a: Bodies) -> None:
    b = a
    t = b[0]
    a[0] = a[1]
    a[1] = t


@sb.kernel
def stored_by_a_second_name(a: Bodies) -> None:
    t = a[0]
    u = t
    a[0] = a[1]
    a[1] = u


@sb.kernel
def in_rows(a: sb.Array2D[Body], i: int, j: int) -> None:
    row = a[i]
    t = row[j]
    a[i, j] = a[i, 0]
    row[0] = t


@sb.kernel
def of_a_loop(a: Bodies, i: int) -> None:
    for body in a:
        a[0] = a[1]
        a[i] = body


@sb.kernel
def of_a_counted_loop(a: Bodies) -> float64:
    total = 0.0
    for i, body in enumerate(a):
        a[i] = step(a[i])
        total += body.hp
    return total


@sb.kernel
def of_pairs(a: Bodies, b: Bodies) -> None:
    for mine, other in zip(a, reversed(b), strict=False):
        b[0] = mine
        b[1] = other


@sb.kernel
def of_an_outer(worlds: sb.Array[World]) -> None:
    t = worlds[0].bodies[1]
    worlds[0] = worlds[1]
    worlds[1].bodies[1] = t


@pytest.mark.parametrize(
    ("kernel", "first", "fix"),
    [
        (
            swap,
            "'t' refers to a[0], which may be written over here, and is read at line {}",
            "write `a[0], a[1] = a[1], a[0]` for the three lines",
        ),
        (
            swap_of_two_indices,
            "'t' refers to a[i], which may be written over here, and is read at line {}",
            "write `a[i], a[j] = a[j], a[i]` for the three lines",
        ),
        (
            swap_fields,
            "'t' refers to w.first, which may be written over here, and is read at line {}",
            "write `w.first, w.second = w.second, w.first` for the three lines",
        ),
        (
            insertion_sort,
            "'key' refers to w.bodies[i], which may be written over here, and is read at line {}",
            "write `key = w.bodies[i].copy()` at line {}",
        ),
        (
            rotate,
            "'last' refers to a[-1], which may be written over here, and is read at line {}",
            "write `last = a[-1].copy()` at line {}",
        ),
        (
            moved,
            "'old' refers to a[i], which may be written over here, and is read at line {}",
            "write `old = a[i].copy()` at line {}",
        ),
        (
            swap_in_a_part,
            "'t' refers to a[2], which may be written over here, and is read at line {}",
            "write `t = a[2].copy()` at line {}",
        ),
        (
            swap_by_a_second_name,
            "'t' refers to a[0], which may be written over here, and is read at line {}",
            "write `t = b[0].copy()` at line {}",
        ),
        (
            stored_by_a_second_name,
            "'u' refers to a[0], which may be written over here, and is read at line {}",
            "write `u = t.copy()` at line {}",
        ),
        (
            in_rows,
            "'t' refers to a[i, j], which may be written over here, and is read at line {}",
            "write `t = row[j].copy()` at line {}",
        ),
        (
            of_a_loop,
            "'body' refers to an element of a, which may be written over here, and is read at line "
            "{}",
            "write `own = body.copy()` first in the loop at line {}, and `own` for `body`",
        ),
        (
            of_a_counted_loop,
            "'body' refers to a[i], which may be written over here, and is read at line {}",
            "write `own = body.copy()` first in the loop at line {}, and `own` for `body`",
        ),
        (
            of_pairs,
            "'other' refers to an element of b, which may be written over here, and is read at "
            "line {}",
            "write `own = other.copy()` first in the loop at line {}, and `own` for `other`",
        ),
        (
            of_an_outer,
            "'t' refers to worlds[0].bodies[1], which may be written over here, and is read at "
            "line {}",
            "write `t = worlds[0].bodies[1].copy()` at line {}",
        ),
    ],
    ids=lambda case: getattr(case, "__name__", ""),
)
def test_a_struct_that_would_be_lost_is_told_of(kernel: Any, first: str, fix: str) -> None:
    start = kernel.function.__code__.co_firstlineno
    fifth = (swap_in_a_part, swap_by_a_second_name, stored_by_a_second_name, in_rows,
             of_a_counted_loop)  # fmt: skip
    lasts = dict.fromkeys(fifth, 5)
    last = start + (lasts | {insertion_sort: 8, rotate: 6}).get(kernel, 4)
    third = (insertion_sort, *fifth)
    bound = start + dict.fromkeys(third, 3).get(kernel, 2)
    assert caught(kernel) == [(first.format(last), fix.format(bound))]


@sb.kernel
def swap_as_advised(a: Bodies) -> None:
    a[0], a[1] = a[1], a[0]


@sb.kernel
def sort_as_advised(a: Bodies) -> None:
    for i in range(1, len(a)):
        key = a[i].copy()
        j = i - 1
        while j >= 0 and a[j].x > key.x:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key


def test_what_is_advised_loses_nothing() -> None:
    bodies = np.array([(3, 0), (1, 1), (2, 2)], Body.dtype)
    swapped, ordered = bodies.copy(), bodies.copy()
    same(swap_as_advised, swapped)
    same(sort_as_advised, ordered)
    assert swapped["hp"].tolist() == [1, 0, 2]
    assert ordered["hp"].tolist() == [1, 2, 0]
    assert not caught(swap_as_advised)
    assert not caught(sort_as_advised)


@sb.kernel
def respawn(a: Bodies) -> None:
    for i in range(len(a)):
        body = a[i]
        body.x += 1.0
        if body.hp <= 0:
            a[i] = Body(hp=10.0)
            continue
        body.x += body.hp


@sb.kernel
def of_another(a: Bodies) -> float64:
    first = a[0]
    a[1] = step(first)
    a[2] = first
    return first.x


@sb.kernel
def in_other_branches(a: Bodies, i: int, up: bool) -> None:
    body = a[i]
    if up:
        a[i - 1] = a[i - 2]
    else:
        a[i + 1] = body


@sb.kernel
def of_other_arrays(a: Bodies, b: Bodies, i: int) -> None:
    body = a[i]
    b[i] = step(body)
    b[i + 1] = body


@sb.kernel
def only_stored(a: Bodies, i: int) -> None:
    body = a[i]
    a[i + 1] = body
    a[i + 2] = body


@sb.kernel
def fields_alone(a: Bodies, i: int) -> float64:
    body = a[i]
    a[i].x = 2.0
    a[i + 1] = Body()
    return body.x


@sb.kernel
def filled_after(a: Bodies, i: int) -> float64:
    body = a[i]
    a[i] = Body()
    body.x = 4.0
    return body.x + a[i].x


@sb.kernel
def bound_again(a: Bodies, i: int) -> float64:
    body = a[i]
    a[i] = step(body)
    body = a[i]
    return body.x


@sb.kernel
def of_the_next(a: Bodies, i: int) -> float64:
    body = a[i]
    i += 1
    a[i] = step(body)
    return body.x


@sb.kernel
def another_part(a: Bodies) -> None:
    part = a[2:]
    t = a[1]
    part[0] = step(t)
    a[0] = t


@sb.kernel
def a_name_that_moves(a: Bodies, b: Bodies) -> None:
    now = a
    now, other = b, a
    t = now[0]
    other[0] = step(t)
    other[1] = t


@sb.kernel
def elements_that_go(a: Bodies) -> None:
    for i, body in enumerate(a):
        body.x += 1.0
        if body.hp <= 0:
            a[i] = Body(hp=10.0)
            continue
        body.x += body.hp


@sb.kernel
def into_another(a: Bodies, b: Bodies) -> None:
    for i, body in enumerate(a):
        b[i] = step(body)
        b[i + 1] = body


@sb.kernel
def the_inner_alone(worlds: sb.Array[World]) -> float64:
    world = worlds[0]
    worlds[0].first = Body()
    return world.second.x


@pytest.mark.parametrize(
    "kernel",
    [
        respawn, of_another, in_other_branches, of_other_arrays, only_stored, fields_alone,
        filled_after, bound_again, of_the_next, another_part, a_name_that_moves, elements_that_go,
        into_another, the_inner_alone,
    ],
)  # fmt: skip
def test_nothing_else_is_told_of(kernel: Any) -> None:
    assert caught(kernel) == []
