"""Two arrays that change places around a parallel range: what the message says compiles."""

from __future__ import annotations

import numpy as np
from tests.support.executions import refusal_of, same

import samebits as sb
from samebits import float64


@sb.kernel
def in_one(a: sb.Array[float64], b: sb.Array[float64], n: int) -> None:
    src, dst = a, b
    for _ in range(n):
        for i in sb.prange(len(dst)):
            dst[i] = src[i] * 2
        src, dst = dst, src


@sb.kernel
def step(src: sb.ReadOnly[float64], dst: sb.Array[float64]) -> None:
    for i in sb.prange(len(dst)):
        dst[i] = src[i] * 2


@sb.kernel
def as_advised(a: sb.Array[float64], b: sb.Array[float64], n: int) -> None:
    src, dst = a, b
    for _ in range(n):
        step(src, dst)
        src, dst = dst, src


def test_the_advice_of_a_double_buffer_compiles() -> None:
    a, b = np.ones(4), np.zeros(4)
    assert "`step(src, dst)`" in (refusal_of(in_one, a, b, 3).fix or "")
    same(as_advised, a, b, 3)
    assert (a.tolist(), b.tolist()) == ([4.0] * 4, [8.0] * 4)
