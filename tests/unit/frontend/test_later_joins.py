"""A weak number's use is refused only where no later line gives its name a type for it."""

from __future__ import annotations

from tests.support.executions import refusal_of, same

import samebits as sb
from samebits import fix32, float64


@sb.kernel
def grown(v: fix32) -> fix32:
    u = 0.5
    w = u * v
    if u < v:
        u = w - 0.25
    return u


@sb.kernel
def quotient(x: float64) -> float64:
    n = 1
    d = n / 4
    n = n + 0.5
    return x * d * n


@sb.kernel
def never_grown(v: fix32) -> fix32:
    u = 0.5
    return u + v


def test_a_later_line_gives_a_weak_name_its_type() -> None:
    assert same(grown, fix32("3.5")) == fix32("1.5")
    assert same(grown, fix32("0.25")) == fix32("0.5")
    assert same(quotient, 3.0) == 3.0 * 0.25 * 1.5


def test_a_use_alone_gives_no_type() -> None:
    assert "float is not fix32" in refusal_of(never_grown, fix32("1")).message
