"""Neighbours, exponents, kinds of floats, `fmin` and its like, `remquo`: against NumPy and
fractions, by bits, in every execution."""

from __future__ import annotations

import math as python_math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import float2, float32, float64, int32, math
from samebits.bits import float_to_bits

NP: Any = np
"""Without its types, which know no canonical NaN."""
TYPES = [np.float32, np.float64]
types = pytest.mark.parametrize("dtype", TYPES)


def hard(dtype: Any, n: int, seed: int) -> Any:
    """Numbers where something changes, their neighbours, and any patterns."""
    info, word = np.finfo(dtype), np.uint32 if dtype is np.float32 else np.uint64
    sizes = [0.0, 0.5, 1.0, 1.5, 2.5, 3.0, 2.0 ** (info.nmant - 1) + 0.5, 2.0**info.nmant, np.inf,
             info.smallest_subnormal, info.tiny, info.max, np.nan]  # fmt: skip
    some = np.array(sizes, dtype)
    with np.errstate(all="ignore"):
        some = np.concatenate([some, *(np.nextafter(some, dtype(to)) for to in (-np.inf, np.inf))])
    draw = np.random.default_rng(seed)
    any_ = draw.integers(0, np.iinfo(word).max, n, word, endpoint=True).view(dtype)
    near = draw.normal(size=n).astype(dtype)
    return np.concatenate([some, -some, any_, near])


def pairs(dtype: Any) -> tuple[Any, Any]:
    x = hard(dtype, 40, 1)
    return NP.repeat(x, len(x)), NP.tile(x, len(x))


def same(found: Any, wanted: Any, dtype: Any) -> None:
    wanted = NP.asarray(NP.where(NP.isnan(wanted), dtype(np.nan), wanted), dtype)
    assert found.dtype == dtype
    assert found.tobytes() == wanted.tobytes()


@types
def test_kinds_neighbours_and_exponents(dtype: Any) -> None:
    x = hard(dtype, 2000, 2)
    with np.errstate(all="ignore"):
        assert np.array_equal(math.isnan(x), np.isnan(x))
        assert np.array_equal(math.isinf(x), np.isinf(x))
        assert np.array_equal(math.isfinite(x), np.isfinite(x))
        assert np.array_equal(math.signbit(x), np.signbit(x) & ~np.isnan(x))
        assert math.isnan(x).dtype == np.bool_
        same(math.nextup(x), np.nextafter(x, dtype(np.inf)), dtype)
        same(math.nextdown(x), np.nextafter(x, dtype(-np.inf)), dtype)
        a, b = pairs(dtype)
        same(math.nextafter(a, b), np.nextafter(a, b), dtype)
        _, n = np.frexp(x)
    finite = np.isfinite(x) & (x != 0)
    wanted = NP.where(finite, (n - 1).astype(dtype), np.where(x == 0, -np.inf, np.abs(x)))
    same(math.logb(x), wanted, dtype)
    special = np.where(np.isinf(x), 2**31 - 1, -(2**31))
    assert np.array_equal(math.ilogb(x), np.where(finite, n - 1, special))
    assert math.ilogb(x).dtype == np.int32


@types
def test_the_lesser_the_greater_and_how_much(dtype: Any) -> None:
    a, b = pairs(dtype)
    with np.errstate(all="ignore"):
        low, high = math.min(a, b), math.max(a, b)
        one = np.isnan(a) | np.isnan(b)
        number = NP.where(np.isnan(a), b, a)
        same(math.fmin(a, b), NP.where(one, number, low), dtype)
        same(math.fmax(a, b), NP.where(one, number, high), dtype)
        same(math.fdim(a, b), NP.where(a <= b, dtype(0), a - b), dtype)
        same(math.mad(a, b, a), a * b + a, dtype)
        same(math.rcp(a), dtype(1) / a, dtype)


@types
def test_halves_go_away_from_zero(dtype: Any) -> None:
    x = hard(dtype, 2000, 3)
    x = np.concatenate([x, np.arange(-40, 40).astype(dtype) / 4])
    for value, found in zip(x.tolist(), math.round_half_away(x), strict=True):
        if python_math.isfinite(value):
            whole = int(abs(Fraction(value)) + Fraction(1, 2))
            assert float(found) == python_math.copysign(whole, value)
            assert np.signbit(found) == np.signbit(value)
        else:
            assert np.array_equal(found, value, equal_nan=True)


@types
def test_remainders_with_the_last_bits_of_the_quotient(dtype: Any) -> None:
    a, b = pairs(dtype)
    b = np.concatenate([b, a[: len(a) // 2] / dtype(2.5)])
    a = np.concatenate([a, a[: len(a) // 2]])
    rest, count = math.remquo(a, b)
    assert count.dtype == np.int32
    same(rest, math.remainder(a, b), dtype)
    seen: set[int] = set()
    for x, y, n in zip(a.tolist(), b.tolist(), count.tolist(), strict=True):
        if not python_math.isfinite(x) or y == 0 or not python_math.isfinite(y):
            assert n == 0
            continue
        quotient = Fraction(x) / Fraction(y)
        bits = abs(round(quotient)) & 7
        assert n == (bits if quotient >= 0 else -bits), (x, y)
        seen.add(n)
    assert seen == set(range(-7, 8))


@sb.kernel
def all_of_them(x: float32, y: float32) -> tuple[float32, float32, float32, int32, int32]:
    rest, count = math.remquo(x, y)
    flags = int32(math.isnan(x)) + 2 * int32(math.isinf(x)) + 4 * int32(math.isfinite(x))
    flags += 8 * int32(math.signbit(x))
    up = math.nextup(x) + math.nextdown(y) + math.nextafter(x, y) + math.logb(x)
    return rest, up, math.fmin(x, y) + math.fmax(x, y) + math.fdim(x, y), count, flags


@sb.kernel
def of_doubles(x: float64, y: float64) -> tuple[float64, float64, int32]:
    rest, count = math.remquo(x, y)
    low = math.nextdown(x) + math.round_half_away(y) + math.rcp(y)
    return rest + math.mad(x, y, low), math.logb(x), count + math.ilogb(y)


@sb.kernel
def of_vectors(v: float2, w: float2) -> tuple[float2, bool]:
    return math.fmax(v, w) + math.nextafter(v, w), sb.any(math.isnan(v))


def test_every_execution_has_the_same_bits() -> None:
    places = (0.0, -0.0, 1.5, -7.25, 1e-45, 3e38, float("inf"), float("nan"))
    for x in places:
        for y in places:
            assert sb.assert_same_bits(all_of_them, float32(x), float32(y))
            assert sb.assert_same_bits(of_vectors, float2(x, y), float2(y, x))
            assert sb.assert_same_bits(of_doubles, x, y)


def test_numbers_and_vectors_from_python() -> None:
    assert math.isnan(float("nan"))
    assert math.signbit(-0.0)
    assert math.fmin(float("nan"), 2.0) == 2.0
    assert float_to_bits(float(math.nextup(float32(1))), 32) == 0x3F80_0001
    assert tuple(math.isinf(float2(float("inf"), 1))) == (True, False)
    rest, count = math.remquo(float32(10), float32(3))
    assert (float(rest), int(count)) == (1.0, 3)
