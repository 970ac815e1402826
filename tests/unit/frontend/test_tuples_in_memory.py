"""Loops over tuples of structs and arrays, whose name refers to each in turn."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest
from tests.support.executions import refusal_of, same

import samebits as sb
from samebits import float64, math


@sb.struct
class Body(sb.Struct):
    x: float64 = 0.0
    mass: float64 = 0.0

    def push(self, by: float64) -> None:
        self.x += by / self.mass


@sb.struct
class World(sb.Struct):
    left: Body = sb.zero
    right: Body = sb.zero
    ways: sb.FixedArray[float64, Literal[3]] = sb.zero


HOME, AWAY = Body(3.0, 4.0), Body(1.0, 2.0)
PLACES = (HOME, AWAY)


@sb.kernel
def of_parameters(a: Body, b: Body) -> float64:
    total = 0.0
    for body in (a, b, a):
        body.push(2.0)
        total = total * 10.0 + body.x
    return total


@sb.kernel
def of_locals(x: float64) -> float64:
    a, b = Body(x, 2.0), Body(x + 1.0, 4.0)
    total = 0.0
    for body in [a, b]:
        body.push(1.0)
        total += body.mass
    return total * 100.0 + a.x * 10.0 + b.x


@sb.kernel
def of_an_iteration(n: int) -> float64:
    total = 0.0
    for k in range(n):
        a, b = Body(float64(k), 1.0), Body(2.0, 1.0)
        for i, body in enumerate((a, b)):
            body.x += float64(i)
            total += body.x
    return total


@sb.kernel
def of_fields(world: World) -> float64:
    total = 0.0
    for body, mass in ((world.left, 2.0), (world.right, 3.0)):
        body.mass = mass
    for one, two in zip(
        (world.left, world.right), reversed((world.left, world.right)), strict=False
    ):
        total = total * 10.0 + one.mass - two.mass * 2.0
    return total


@sb.kernel
def of_constants(x: float64) -> float64:
    total = 0.0
    for place in (HOME, AWAY):
        total += place.x * x
    for place in PLACES:
        total = total * 10.0 + place.mass
    return total


@sb.kernel
def of_arrays(a: sb.Array[float64], b: sb.Array[float64], world: World) -> float64:
    own, total = sb.zeros(2, float64), 0.0
    for values in (a, b[1:], a):
        for i in range(len(values)):
            values[i] += 1.0
            total += values[i]
    for part in (world.ways, world.ways):
        part[2] += 2.0
    for local in (own, own):
        local[1] += 3.0
    for any_length in (own, a):
        any_length[1] += 1.0
    return total * 100.0 + world.ways[2] * 10.0 + own[1]


@sb.kernel
def given_away(a: Body, b: Body) -> Body:
    for body in (a, b):
        if body.x > 1.0:
            return body.copy()
    return a.copy()


def test_each_is_referred_to_and_changed_in_its_own_memory() -> None:
    assert same(of_parameters, Body(1.0, 1.0), Body(5.0, 2.0)) == 3 * 100 + 6 * 10 + 5
    assert same(of_locals, 1.0) == 600 + 15 + 2.25
    assert same(of_an_iteration, 3) == (0 + 1 + 2) + 3 * 3
    assert same(of_fields, World()) == (2 - 6) * 10 + (3 - 4)
    assert same(of_constants, 2.0) == (8 * 10 + 4) * 10 + 2
    assert same(of_arrays, np.ones(2), np.ones(3), World()) == (4 + 4 + 6) * 100 + 40 + 7
    assert same(given_away, Body(1.0), Body(7.0, 2.0)).x == 7


@sb.kernel
def either(a: Body, b: Body, values: sb.Array[float64], flag: bool) -> float64:
    body = a if flag else b
    body.x += 1.0
    part = values[1:] if flag else values[:1]
    part[0] += 5.0
    return (a if body.x > 3.0 else b).x + math.sum(part)


@sb.kernel
def later(a: Body, b: Body, flag: bool) -> float64:
    if flag:
        body = a
    else:
        body = b
    body.mass = 7.0
    first = body.x
    body = b
    body.x = first + 1.0
    return a.mass * 100.0 + b.mass * 10.0 + b.x


def test_a_name_refers_to_one_of_several() -> None:
    for flag in (True, False):
        given = Body(1.0), Body(5.0), np.ones(3), flag
        assert same(either, *given) == (5 + 6 + 1 if flag else 1 + 6)
        assert same(later, Body(1.0, 1.0), Body(5.0, 2.0), flag) == (722 if flag else 176)


def test_one_struct_given_twice_is_changed_twice() -> None:
    both = Body(1.0, 1.0)
    compiled = of_parameters(both, both)
    again = Body(1.0, 1.0)
    assert compiled == of_parameters.managed(again, again) == (3 * 10 + 5) * 10 + 7


@sb.kernel
def new_ones(x: float64) -> float64:
    total = 0.0
    for body in (Body(x), Body(2.0)):
        total += body.x
    return total


@sb.kernel
def assigned_again(x: float64) -> float64:
    a, b, total = Body(x), Body(2.0), 0.0
    for body in (a, b):
        total += body.x
        a = Body(5.0)
    return total


@sb.kernel
def kept_for_the_next(n: int, first: Body) -> float64:
    last, total = first, 0.0
    for k in range(n):
        a = Body(float64(k))
        total += last.x
        for body in (a, a):
            last = body
    return total


@sb.kernel
def writes_a_constant(a: Body) -> float64:
    for body in (a, HOME):
        body.x = 1.0
    return a.x


@sb.kernel
def a_struct_and_a_number(a: Body) -> float64:
    for _ in (a, 1.0):
        pass
    return a.x


@sb.kernel
def a_struct_and_another(a: Body, b: World) -> float64:
    for _ in (a, b):
        pass
    return a.x


@pytest.mark.parametrize(
    ("kernel", "given", "message", "fix"),
    [
        (new_ones, (1.0,), "takes each Body by its name", "give each a name on a line of its own"),
        (assigned_again, (1.0,), "which is assigned more than once", "use another name where 'a'"),
        (
            kept_for_the_next,
            (2, Body()),
            "'last' would refer to memory of 'a', which each iteration makes anew",
            "make 'a' before the loop, or keep a copy, `last = a.copy()`",
        ),
        (writes_a_constant, (Body(),), "'HOME' is a constant from outside", "own = HOME.copy()"),
        (a_struct_and_a_number, (Body(),), "or structs or arrays alone", "the body as a kernel"),
        (
            a_struct_and_another,
            (Body(), World()),
            "have different types: Body and World",
            "generic",
        ),
    ],
    ids=lambda case: getattr(case, "__name__", ""),
)
def test_what_would_not_be_pythons_is_refused(
    kernel: Any, given: tuple[Any, ...], message: str, fix: str
) -> None:
    refusal = refusal_of(kernel, *given)
    assert message in refusal.message
    assert fix in (refusal.fix or "")
