"""NaNs of stores that wait for one test: canonical before anything sees their bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import double3, float32, float64, int64
from samebits.errors import Trap
from samebits.lang.kernel import Kernel

INF = float("inf")


@sb.kernel
def then_bits(a: sb.Array[float64], b: sb.Array[int64], x: float64) -> int64:
    seen = int64(0)
    for _ in range(2):
        a[0] = x - x
        seen = b[0]
        b[1] = seen
    return seen


@sb.kernel
def then_another(a: sb.Array[float64], b: sb.Array[float64], x: float64) -> None:
    for _ in range(2):
        a[0] = x - x
        b[0] = 1.0
        a[1] = 2.0
        b[1] = x - x


@sb.kernel
def then_half_of_it(a: sb.Array[float64], b: sb.Array[float32], x: float64) -> None:
    for _ in range(2):
        a[0] = x - x
        b[1] = float32(1.0)
        b[2] = float32(x - x)


@sb.kernel
def then_whole_number(a: sb.Array[float64], b: sb.Array[int64], x: float64, n: int64) -> None:
    for _ in range(2):
        a[0] = x - x
        b[0] = n


@sb.kernel
def then_trap(a: sb.Array[float64], x: float64, n: int) -> None:
    for i in range(4):
        a[0] = x - x
        a[1] = x - x
        a[i * n] = 1.0


@sb.struct
class Body:
    place: double3
    speed: double3
    mass: float64


@sb.kernel
def then_copy(bodies: sb.Array[Body], x: float64) -> None:
    for i in range(len(bodies) - 1):
        bodies[i].place = double3(1.0, x - x, 2.0)
        bodies[i].mass = x - x
        bodies[i + 1] = bodies[i]


@sb.kernel
def pulled(bodies: sb.Array[Body], dt: float64) -> None:
    for i in range(len(bodies)):
        a = bodies[i]
        for j in range(i + 1, len(bodies)):
            b = bodies[j]
            d = a.place - b.place
            a.speed -= d * (b.mass * dt)
            b.speed += d * (a.mass * dt)
    for i in range(len(bodies)):
        body = bodies[i]
        body.place += body.speed * dt


@sb.kernel
def many(a: sb.Array[float64], b: sb.Array[float64], x: float64) -> None:
    for i in range(3):
        for k in range(2):
            a[0] = b[1] * x
            a[1] = b[2] - x
            a[2] = x - x
            b[0] = a[1] + x
            b[1] = -a[2]
            b[2] = abs(a[0]) * float64(k)
            a[3] = b[0] * 2.0
            a[4] = float64(i)
            b[3] = a[4] - x
            b[4] = a[3] / x


def outcome(run: Any, memory: Any, args: list[Any]) -> Any:
    before = memory.copy()
    try:
        found: Any = run(*args)
    except Trap as trap:
        found = trap.message
    after = memory.tobytes()
    memory[...] = before
    return found, after


@pytest.mark.parametrize("x", [INF, -INF, float("nan"), 1.5, -0.0])
@pytest.mark.parametrize("shift", [0, 1, 3])
@pytest.mark.parametrize(
    ("kernel", "other", "rest"),
    [
        (then_bits, np.int64, ()),
        (then_another, np.float64, ()),
        (then_half_of_it, np.float32, ()),
        (then_whole_number, np.int64, (-1,)),
        (then_whole_number, np.int64, (0x7FF0_0000_0000_0001,)),
        (many, np.float64, ()),
    ],
)
def test_overlapping_arrays_hold_what_managed_leaves(
    kernel: Kernel, other: Any, rest: tuple[Any, ...], x: float, shift: int
) -> None:
    memory = np.array([1.0, -2.0, INF, 0.5, 3.0, -INF, 4.0, 5.0, 6.0])
    args = [memory[:5], memory.view(other)[shift:], x, *rest]
    assert outcome(kernel, memory, args) == outcome(kernel.managed, memory, args)


@pytest.mark.parametrize("n", [0, 1, 3, 9])
def test_a_trap_finds_canonical_memory(n: int) -> None:
    memory = np.ones(5)
    found = outcome(then_trap, memory, [memory, INF, n])
    assert found == outcome(then_trap.managed, memory, [memory, INF, n])


@pytest.mark.parametrize("x", [INF, 2.0])
def test_copies_of_structs_are_canonical(x: float) -> None:
    bodies = np.zeros(4, Body.dtype)
    args = [bodies, x]
    assert outcome(then_copy, bodies, args) == outcome(then_copy.managed, bodies, args)


@pytest.mark.parametrize("count", range(6))
@pytest.mark.parametrize("odd", [1.0, INF, float("nan"), 1e308])
def test_fields_of_structs_are_canonical(count: int, odd: float) -> None:
    bodies = np.zeros(count, Body.dtype)
    for i in range(count):
        bodies[i] = ([i, 1.0, odd], [-i, odd, 0.25], 0.5 + i)
    for dt in (0.5, odd):
        args = [bodies, dt]
        assert outcome(pulled, bodies, args) == outcome(pulled.managed, bodies, args)
