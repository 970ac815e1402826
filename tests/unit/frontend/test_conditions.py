"""Numbers as conditions: true where they are not 0, as in CPython, wherever only that counts."""

from __future__ import annotations

import itertools
import math as host
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import float16, float32, float64, int8, int32, uint32


@sb.kernel
def conditions(
    n: int, u: uint32, x: float32, y: float64, b: bool, a: sb.ReadOnly[int8]
) -> tuple[int, bool]:
    r = 0
    if n:
        r += 1
    if u & 1:
        r += 2
    elif x:
        r += 4
    if (x or y) and not n:
        r += 8
    while n:
        n //= 2
        r += 16
        if not n or u:
            break
    else:
        r += 500
    r += 1000 if x else 2000
    if not (u and b):
        r += 10_000
    for v in a:
        if v and not b:
            r += 100_000
    assert r or b, "nothing"
    k = 3
    while 1:
        k -= 1
        if not k:
            return r, not u
    return -1, False


@sb.kernel(denormals="flush")
def flushed(a: sb.Array[float32], x: float32, d: sb.Array[float64]) -> int:
    r = 0
    if a[0] or x:
        r += 1
    if not a[1] * 0.5:
        r += 2
    return r + (4 if d[0] else 8)


@sb.kernel
def guarded(n: int32) -> int:
    match n:
        case 1 | 2 if n & 1:
            return 1
        case _ if n:
            return 2
        case _:
            return 3


def test_a_number_is_true_if_it_is_not_0() -> None:
    a = np.array([0, 1, -128], np.int8)
    floats = (0.0, -0.0, 1e-45, -1.5, host.nan, host.inf)
    calls = itertools.product((0, 3, 17), (0, 1, 6), floats, (0.0, 2.0), (True, False), [a])
    sb.assert_same_bits_each(conditions, list(calls))
    assert conditions(5, uint32(0), float32(host.nan), 0.0, False, a)[0] == 211_053
    sb.assert_same_bits_each(guarded, [(n,) for n in range(4)])
    assert [guarded(n) for n in range(4)] == [3, 1, 2, 2]


def test_a_number_that_flushes_to_0_is_false() -> None:
    args = np.array([1e-40, 1.5e-38], np.float32), float32(1e-40), np.array([1e-310])
    sb.assert_same_bits(flushed, *args)
    assert flushed(*args) == 2 + 8


@sb.kernel
def chosen(x: float64) -> float64:
    return x or 1.0


@sb.kernel
def chosen_bool(n: int32, b: bool) -> bool:
    c = b and n  # type: ignore[assignment]
    return c  # type: ignore[return-value]


@sb.kernel
def half(h: float16) -> int:
    return 1 if h else 0


@sb.kernel
def singleton(n: int32) -> int:
    match n:
        case True:
            return 1
        case _:
            return 2


@pytest.mark.parametrize(
    ("kernel", "args", "message", "fix"),
    [
        (
            chosen,
            (1,),
            "`or` whose value is used is of bools, but this is float64",
            "`x != 0`; for",
        ),
        (
            chosen_bool,
            (1, True),
            "`and` whose value is used is of bools, but this is int32",
            "n !=",
        ),
        (half, (float16(1),), "a condition is a bool, but this is float16", "float32(h) != 0"),
        (singleton, (1,), "`==` on int32 and bool: a bool is not a number here", ""),
    ],
)
def test_what_would_mean_something_else_is_refused(
    kernel: Any, args: tuple[Any, ...], message: str, fix: str
) -> None:
    with pytest.raises(sb.CompileError) as caught:
        kernel(*args)
    assert caught.value.message == message
    assert fix in (caught.value.fix or "")
