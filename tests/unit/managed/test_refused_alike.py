"""What CPython would go on with is refused in a managed run where a compiled one refuses it."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.executions import same

import samebits as sb
from samebits import fix32, int32


@sb.struct
class Pair(sb.Struct):
    a: sb.FixedArray[int32, 3] = sb.zero
    b: sb.FixedArray[int32, 3] = sb.zero
    weight: fix32 = sb.zero


@sb.kernel
def fields(s: Pair) -> int32:
    p, s.b = s.a, s.a
    p[0] = 5
    return s.a[0] + s.b[0]


@sb.kernel
def locals_(s: Pair) -> int32:
    x = sb.zeros(3, int32)
    s.weight, y = fix32(2), x
    y[0] = 4
    return x[0] + s.a[0]


@sb.kernel
def calls_it(s: Pair) -> int32:
    return fields(s)


@sb.kernel
def added(s: Pair) -> fix32:
    u = 0.5
    return u + s.weight


@sb.kernel
def compared(v: fix32) -> bool:
    u = 0.5
    return v < u


@sb.kernel
def made_inside(x: float) -> fix32:
    return fix32(2) * x


@pytest.mark.parametrize(
    ("kernel", "given"),
    [
        (fields, Pair()), (locals_, Pair()), (calls_it, Pair()), (added, Pair()),
        (compared, fix32(2)), (made_inside, 0.5),
    ],
)  # fmt: skip
def test_a_managed_run_refuses_as_the_compiler_does(kernel: Any, given: Any) -> None:
    found: list[tuple[str, object, str | None]] = []
    for run in (kernel, kernel.managed, lambda *args: sb.evaluate(kernel, *args)):
        with pytest.raises(sb.CompileError) as caught:
            run(given)
        found.append((caught.value.message, caught.value.span, caught.value.fix))
    assert len(set(found)) == 1


@sb.kernel
def views(s: Pair) -> int32:
    p, q = s.a[0:2], s.b[:]
    p[0] = 5
    q[1] = 2
    return s.a[0] + s.b[1]


@sb.kernel
def literal_beside(v: fix32) -> fix32:
    u = 0.5
    u = u + v
    return u + 0.5


def test_views_and_literals_are_fine() -> None:
    assert same(views, Pair()) == 7
    assert same(literal_beside, fix32(1)) == 2


@sb.kernel
def under_a_debugger(s: Pair) -> int32:
    p, q = s.a[0], s.b[0]
    debugger()
    return p + q


def debugger() -> None:
    seen.append(1)


seen: list[int] = []


def test_what_else_is_refused_is_left_to_the_run() -> None:
    assert under_a_debugger.managed(Pair()) == 0
    assert seen == [1]
