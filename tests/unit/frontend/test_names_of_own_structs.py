"""Second names of structs in a call's own memory, which are the same structs, as in Python."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest
from tests.support.executions import refusal_of, same

import samebits as sb
from samebits import float64


@sb.struct
class Body(sb.Struct):
    x: float64 = 0.0
    y: float64 = 0.0

    def push(self, by: float64) -> None:
        self.x += by


@sb.struct
class World(sb.Struct):
    sun: Body = sb.zero
    bodies: sb.FixedArray[Body, Literal[3]] = sb.zero


@sb.kernel
def second_name(x: float64) -> float64:
    a = Body(x)
    b = a
    b.x = 5.0
    a.y = 2.0
    b.push(1.0)
    return a.x * 10.0 + b.y


@sb.kernel
def of_a_list(n: int) -> float64:
    items = sb.List[Body, 8]()
    for i in range(n):
        items.append(Body(float64(i)))
    total = 0.0
    for body in items:
        body.x += 1.0
        total += body.x
    first = items[0]
    items[0] = Body(9.0)
    first.y = 3.0
    for k, body in enumerate(reversed(items)):
        body.push(float64(k))
    return total * 1000.0 + items[0].x * items[0].y + first.x + items[n - 1].x


@sb.kernel
def of_arrays(n: int) -> float64:
    own = sb.zeros(4, Body)
    for body in own:
        body.x = 2.0
    one = own[1]
    one.x += 1.0
    other = own[2] if n > 2 else own[3]
    other.x += 10.0
    world = World()
    for body in world.bodies:
        body.y = 1.0
    sun, parts = world.sun, world.bodies
    sun.x = 7.0
    parts[2].x = 4.0
    p, q = own[0], own[1]
    p.x, q.x = q.x, p.x
    total = own[0].x + own[1].x * 10.0 + own[2].x * 100.0 + own[3].x * 1000.0
    return total * 100.0 + world.sun.x * 10.0 + world.bodies[2].x * world.bodies[2].y


@sb.kernel
def in_each_iteration(n: int) -> float64:
    total = 0.0
    for i in range(n):
        a = Body(float64(i))
        b = a
        b.x += 1.0
        total += a.x
        for _ in range(2):
            c = b
            c.x += 1.0
            total = total * 3.0 + a.x
    return total


@sb.kernel
def given_back(x: float64) -> Body:
    a = Body(x)
    b = a
    b.y = 3.0
    return b


@sb.kernel
def of_a_result(x: float64) -> float64:
    a = given_back(x)
    b = a
    b.x += 1.0
    return a.x * 10.0 + b.y


@sb.kernel
def read_in_parallel(values: sb.Array[float64]) -> float64:
    a = Body(2.0)
    b = a
    b.x = 3.0
    for i in sb.prange(len(values)):
        values[i] += b.x + a.x
    return values[0]


def test_a_second_name_is_the_same_struct() -> None:
    assert same(second_name, 1.0) == 62
    assert same(of_a_list, 3) == 6000 + (9 + 2) * 3 + 11 + 3
    assert same(of_arrays, 3) == (3 + 20 + 1200 + 2000) * 100 + 70 + 4
    assert same(of_arrays, 1) == (3 + 20 + 200 + 12000) * 100 + 70 + 4
    total = 0.0
    for i in range(3):
        total = ((total + i + 1) * 3 + i + 2) * 3 + i + 3
    assert same(in_each_iteration, 3) == total
    assert same(of_a_result, 1.0) == 23
    assert same(read_in_parallel, np.ones(4)) == 7


@sb.kernel
def the_best(n: int) -> float64:
    items = sb.List[Body, 8]()
    for i in range(n):
        items.append(Body(float64(i * 5 % 7), 1.0))
    best = items[0]
    for body in items:
        if body.x > best.x:
            best = body
    best.y = 9.0
    total = 0.0
    for body in items:
        total = total * 10.0 + body.y
    return total


def test_a_name_moves_on_among_the_items_of_a_list() -> None:
    assert same(the_best, 5) == 11119


@sb.kernel
def assigned_again(x: float64) -> float64:
    a = Body(x)
    b = a
    a = Body(2.0)
    return b.x + a.x


@sb.kernel
def assigned_in_branches(x: float64) -> float64:
    if x > 2:
        a = Body(1.0)
    else:
        a = Body(2.0)
    b = a
    return b.x


@sb.kernel
def exchanged(x: float64) -> float64:
    a, b = Body(x), Body(2.0)
    c = a
    a, b = b, a
    return c.x + a.x - b.x


@sb.kernel
def kept(x: float64) -> float64:
    total, last, k = 0.0, Body(x), 0
    while k < 3:
        own = sb.zeros(2, Body)
        total += last.x
        last = own[1]
        last.x = 1.0
        k += 1
    return total


@sb.kernel
def kept_by_a_loop(x: float64, last: sb.Array[Body]) -> float64:
    total, one = 0.0, last[0]
    for k in range(3):
        own = sb.zeros(2, Body)
        total += one.x
        for body in own:
            one = body
            one.x = x + float64(k)
    return total


@sb.kernel
def both(x: float64) -> tuple[Body, Body]:
    a = Body(x)
    b = a
    return a, b


@sb.kernel
def new_or_old(x: float64) -> float64:
    a = Body(x)
    if x > 2:
        b = a
    else:
        b = Body(3.0)
    return b.x


@sb.kernel
def without_a_name(x: float64) -> float64:
    total = x
    for body in sb.zeros(3, Body):
        total += body.x
    return total


@pytest.mark.parametrize(
    ("kernel", "message", "fix"),
    [
        (assigned_again, "'a', which is assigned more than once", "use another name where 'a'"),
        (assigned_in_branches, "'a', which is assigned more than once", "use another name"),
        (exchanged, "'a', which is assigned more than once", "use another name where 'a'"),
        (kept, "'last' owns its Body", "write `own[1].copy()`"),
        (kept_by_a_loop, "memory of 'own', which each iteration makes anew", "make 'own' before"),
        (both, "two results would be the same object", "`.copy()`"),
        (
            new_or_old,
            "'b' refers to memory of 'a'; it can't hold a new Body",
            "start with `b = a.copy()`",
        ),
        (without_a_name, "in what has no name, sb.zeros(3, Body)", "`a = sb.zeros(3, Body)`"),
    ],
    ids=lambda case: getattr(case, "__name__", ""),
)
def test_what_would_not_be_the_same_struct_is_refused(kernel: Any, message: str, fix: str) -> None:
    given = (1.0, np.zeros(1, Body.dtype)) if kernel is kept_by_a_loop else (1.0,)
    refusal = refusal_of(kernel, *given)
    assert message in refusal.message
    assert fix in (refusal.fix or "")
