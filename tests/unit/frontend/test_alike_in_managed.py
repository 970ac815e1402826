"""What a kernel may not do is refused in managed runs as in compiled ones; copies are the same."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from tests.support.executions import refusal_of, same

import samebits as sb
from samebits import Array, float64, int32

TABLE = sb.table([1, 2, 3], int32)


class Plain:
    LIMIT = 7


@sb.struct
class Body:
    LIMIT = 7
    x: float64
    y: float64


@sb.kernel
def three(x: float64) -> float64:
    return sb.max(x, 1.0, 2.0)  # type: ignore[call-arg]


@sb.kernel
def of_none(x: float64) -> bool:
    return sb.any()  # type: ignore[call-arg]


@sb.kernel
def by_name(x: float64) -> float64:
    return sb.round(x, digits=2)  # type: ignore[call-arg]


@sb.kernel
def to_a_struct(x: float64) -> float64:
    Body.LIMIT = 3
    return x


@sb.kernel
def to_a_class(x: float64) -> float64:
    Plain.LIMIT += 3
    return x


@sb.kernel
def to_a_table(x: float64) -> float64:
    a, TABLE[0] = x, int32(3)
    return a


@pytest.mark.parametrize("kernel", [three, of_none, by_name, to_a_struct, to_a_class, to_a_table])
def test_refused_alike(kernel: Any) -> None:
    error = refusal_of(kernel, 1.5)
    with pytest.raises(sb.CompileError) as caught:
        kernel.managed(1.5)
    assert caught.value.span == error.span
    assert Body.LIMIT == Plain.LIMIT == 7
    assert TABLE[0] == 1


@sb.kernel
def renamed(a: Array[Body]) -> float64:
    p, q = a[0], a[1]
    p.x = p.x + 10.0
    p, q = q, p
    q.y, p.y = p.y, q.y
    return p.x * 100.0 + q.x + p.y * 3.0 + q.y


def test_structs_unpacked_into_names_are_references() -> None:
    a = np.zeros(2, Body.dtype)
    a["x"], a["y"] = (1.0, 2.0), (3.0, 4.0)
    assert same(renamed, a) == 200.0 + 11.0 + 9.0 + 4.0
    assert (a["x"].tolist(), a["y"].tolist()) == ([11.0, 2.0], [4.0, 3.0])


@sb.kernel
def collide(a: Array[Body], i: int, j: int) -> float64:
    p, q = a[i], a[j]
    (p.x, q.x), p.y = (q.x, p.x), 9.0
    p, q, n = q, a[0], 3
    p.y += float64(n)
    q.x -= 0.5
    return p.y


def test_a_write_to_what_names_of_a_tuple_refer_to_is_not_lost() -> None:
    a = np.zeros(3, Body.dtype)
    a["x"] = 1.0, 2.0, 3.0
    assert same(collide, a, 1, 2) == 3.0
    assert (a["x"].tolist(), a["y"].tolist()) == ([0.5, 3.0, 2.0], [0.0, 9.0, 3.0])


@sb.kernel
def owners(n: int) -> float64:
    p, q, r = Body(x=1.0), Body(x=3.0), Body(x=5.0)
    for _ in range(n):
        p, q, r = q, r, p
        p.x += 10.0
    return p.x * 10000.0 + q.x * 100.0 + r.x


def test_names_that_own_their_structs_change_places() -> None:
    assert same(owners, 0) == 10305.0
    assert same(owners, 2) == 150113.0


@sb.kernel
def owner_of_another(a: Array[Body]) -> float64:
    p, q = Body(x=1.0), Body(x=3.0)
    p, q = a[0], p
    return p.x + q.x


@sb.kernel
def owners_of_one(a: Array[Body]) -> float64:
    p, q = Body(x=1.0), a[0].copy()
    p, q = q, q
    return p.x + q.x


@sb.kernel
def owner_that_stays(a: Array[Body]) -> float64:
    p, q, r = Body(x=1.0), a[0].copy(), Body()
    p, r = q, p
    return p.x + q.x + r.x


@pytest.mark.parametrize("kernel", [owner_of_another, owners_of_one, owner_that_stays])
def test_names_of_what_a_call_makes_are_refused(kernel: Any) -> None:
    message = refusal_of(kernel, np.zeros(1, Body.dtype)).message
    assert re.search(
        "mean the same object|refer to other memory|memory of this call's own", message
    )


@sb.kernel
def views(a: Array[float64, 2]) -> float64:
    r, s = a[0], a[1, 1:]
    r[0] = 5.0
    s[1] = r[0] + a[0, 0]
    return a[1, 2]


@sb.struct
class Pair:
    a: sb.FixedArray[float64, 3]
    b: sb.FixedArray[float64, 3]


@sb.kernel
def fixed_arrays(s: Pair) -> float64:
    p, q = s.a, s.b
    p[0] = 2.0
    p, q = q, p
    return p[0] + q[0] * 10.0 + s.a[0]


def test_views_and_arrays_unpacked_into_names_stay_what_they_are() -> None:
    assert same(views, np.zeros((2, 3))) == 10.0
    assert same(fixed_arrays, Pair()) == 22.0
