"""What a kernel may not do is refused in managed runs as in compiled ones; copies are the same."""

from __future__ import annotations

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
def copies(a: Array[Body]) -> float64:
    p, q = a[0], a[1]
    p.x = p.x + 10.0
    p, q = q, p
    q.y, p.y = p.y, q.y
    return p.x * 100.0 + q.x + p.y * 3.0 + q.y


def test_structs_unpacked_into_names_are_copies() -> None:
    a = np.zeros(2, Body.dtype)
    a["x"], a["y"] = (1.0, 2.0), (3.0, 4.0)
    before = a.copy()
    assert same(copies, a) == 200.0 + 11.0 + 9.0 + 4.0
    assert np.array_equal(a, before)


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
    return p[0] + q[0]


def test_views_unpacked_into_names_stay_views() -> None:
    assert same(views, np.zeros((2, 3))) == 10.0
    assert "these would be references" in refusal_of(fixed_arrays, Pair()).message
