"""`/` of a fixed-width integer and a Python int, which need not fit that integer's type."""

from __future__ import annotations

import typing
from typing import Any

import pytest
from tests.support.executions import same

import samebits as sb
from samebits import float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64

T = typing.TypeVar("T")
WIDTHS: tuple[Any, ...] = (int8, int16, int32, int64, uint8, uint16, uint32, uint64)
INTS = (0, -1, 256, 1 << 32, -(1 << 63), (1 << 63) - 1)


@sb.kernel
def quotient(x: T, n: int) -> float64:
    return x / n


@sb.kernel
def reflected(x: T, n: int) -> float64:
    return n / -x


@sb.kernel
def of_literals(x: T) -> float64:
    q = x / 256 + 70000 / x + x / -(1 << 40) + x / ((1 << 63) - 1)
    q /= 2
    return q + x / (1 << 70)


@pytest.mark.parametrize("cls", WIDTHS)
def test_a_quotient_beside_any_int_is_that_of_the_floats(cls: Any) -> None:
    for n in INTS:
        assert cls(5) / n == float64(5) / float64(n)
        assert n / cls(5) == float64(n) / float64(5)
        same(quotient, cls(5), n)
        same(reflected, cls(5), n)
    same(of_literals, cls(5))


def test_whole_quotients_keep_the_type() -> None:
    with pytest.raises(sb.Trap, match="256 does not fit uint8"):
        uint8(5) // 256
