"""`%`, `//` and `divmod` of floats: CPython's bits for its own floats, NumPy's for float32
and float64, in every execution."""

from __future__ import annotations

import itertools
import struct
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import Trap, float3, float32, float64

PLACES = [0.0, -0.0, 1.0, -1.0, 5.5, -5.5, 0.1, -0.3, 3.0, 7.0, 1e300, -1e-310, 1e-45, 16777217.0,
          float("inf"), -float("inf"), float("nan")]  # fmt: skip
DRAWN = np.random.default_rng(1).normal(size=(800, 2)) * [100, 1]
PAIRS = [*itertools.product(PLACES, PLACES), *map(tuple, DRAWN.tolist())]


@sb.kernel
def of_float32(x: float32, y: float32) -> tuple[float32, float32]:
    return x // y, x % y


@sb.kernel
def of_float64(x: float64, y: float64) -> tuple[float64, float64]:
    return divmod(x, y)


@sb.kernel
def of_pythons(x: float, y: float) -> tuple[float, float]:
    return x // y, x % y


@sb.kernel
def wrapped(v: float3, turns: int) -> float3:
    v %= 6.25
    return v // 0.3 + float32(turns % 2.5)


@sb.kernel
def of_integers(x: sb.int32, n: int) -> tuple[sb.int32, sb.int32, int, int]:
    a, b = divmod(x, sb.int32(3))
    c, d = divmod(n, 7)
    return a, b, c, d


def bits(values: Any) -> list[str]:
    """Of NaNs it does not matter which."""
    return ["nan" if v != v else struct.pack("<d", v).hex() for v in map(float, values)]


@pytest.mark.parametrize(("kernel", "numpys"), [(of_float32, np.float32), (of_float64, np.float64)])
def test_numpys_bits(kernel: Any, numpys: Any) -> None:
    with np.errstate(all="ignore"):
        for x, y in PAIRS:
            wanted = divmod(numpys(x), numpys(y))
            assert bits(kernel(x, y)) == bits(wanted), (x, y)


def test_pythons_bits_and_its_refusal_to_divide_by_zero() -> None:
    for x, y in PAIRS:
        if y == 0:
            for run in (of_pythons, of_pythons.managed):
                with pytest.raises(Trap, match="division by zero") as caught:
                    run(x, y)
                assert caught.value.span is not None
        else:
            assert bits(of_pythons(x, y)) == bits(divmod(x, y)), (x, y)


@pytest.mark.parametrize("kernel", [of_float32, of_float64, of_pythons])
def test_every_execution_agrees(kernel: Any) -> None:
    for x, y in PAIRS[::7]:
        if y != 0 or kernel is not of_pythons:
            assert sb.assert_same_bits(kernel, x, y)


def test_vectors_mixed_types_and_integers() -> None:
    assert sb.assert_same_bits(wrapped, float3(1, -4, 70.5), 7)
    assert tuple(wrapped(float3(1, -4, 7), 7)) == (5.0, 9.0, 4.0)
    assert sb.assert_same_bits(of_integers, -8, -8)
    assert of_integers(-8, -8) == (-3, 1, -2, 6)
    q, r = divmod(float3(5, -5, 1), 3)
    assert (tuple(q), tuple(r)) == ((1, -2, 0), (2, 1, 1))


def test_plain_python_has_the_same() -> None:
    for x, y in PAIRS[::11]:
        assert bits(divmod(float32(x), float32(y))) == bits(of_float32(x, y))
    assert type(7 % float32(2.5)) is float32
    assert type(sb.int32(7) % 2.5) is float64
