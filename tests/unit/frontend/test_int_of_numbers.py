"""`int(x)` of bools, integers and floats: CPython's, or a trap where int64 has no such number."""

from __future__ import annotations

import math as python_math
import typing

import numpy as np
import pytest
from tests.support.executions import same, trap_of

import samebits as sb
from samebits import float32, float64, int32, int64, math, uint64

T = typing.TypeVar("T", float32, float64, uint64, int32)
_EDGE = 2.0**63


@sb.kernel
def whole(x: T) -> int:
    return int(x)


@sb.kernel
def whole_of_a_float(x: float) -> int:
    return int(x)


@sb.kernel
def cell(x: float64, size: float64) -> tuple[int, int, int, int]:
    q = x / size
    return int(math.floor(q)), int(math.ceil(q)), int(math.trunc(q)), int(math.round(q))


@pytest.mark.parametrize(
    "x", [0.0, -0.0, 0.99, -0.99, 1e-310, 123456789.75, -2.5, np.nextafter(_EDGE, 0), -_EDGE]
)
def test_a_float_is_cut_off_as_cpython_does(x: float) -> None:
    assert same(whole, float64(x)) == same(whole_of_a_float, x) == int(x)
    narrow = np.float32(x)
    if narrow < _EDGE:
        assert same(whole, float32(narrow)) == int(narrow)


@pytest.mark.parametrize(
    "x", [_EDGE, np.nextafter(-_EDGE, -np.inf), 1e300, np.inf, -np.inf, np.nan]
)
def test_what_no_int64_holds_traps(x: float) -> None:
    assert trap_of(whole, float64(x))[0] == "overflow"
    assert trap_of(whole_of_a_float, x)[0] == "overflow"
    if x != np.nextafter(-_EDGE, -np.inf):
        assert trap_of(whole, float32(x))[0] == "overflow"


def test_integers_keep_their_value_or_trap() -> None:
    assert same(whole, uint64(2**63 - 1)) == 2**63 - 1
    assert trap_of(whole, uint64(2**63))[0] == "overflow"
    assert trap_of(whole, uint64(2**64 - 1))[0] == "overflow"
    assert same(whole, int32(-7)) == -7


def test_the_cells_of_a_grid() -> None:
    for x in (-7.5, -0.1, 0.0, 3.3, 1e6 + 0.5):
        q = x / 0.75
        wanted = (python_math.floor(q), python_math.ceil(q), int(q), round(q))
        assert same(cell, x, 0.75) == wanted


def test_it_is_an_index_and_a_count() -> None:
    @sb.kernel
    def histogram(a: sb.Array[int64], x: sb.ReadOnly[float32]) -> None:
        for i in range(len(x)):
            a[int(x[i] * 4.0)] += 1

    counts = np.zeros(4, np.int64)
    histogram(counts, np.array([0.1, 0.3, 0.99, 0.26, 0.25], np.float32))
    assert counts.tolist() == [1, 3, 0, 1]
    with pytest.raises(sb.Trap, match="index"):
        histogram(counts, np.array([1.0], np.float32))

    @sb.kernel
    def literal() -> int:
        n = 0
        for i in range(int(2.9)):
            n += i
        return n + int(-1.5)

    assert same(literal) == 0
