"""float32 and float64 become wide values and come back rounded as the exact numbers are."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from tests.support.kernels.soft_loops import columns
from tests.support.kernels.soft_operands import mantissa, operands, wide

import samebits as sb
from samebits import float32, float64, int32, uint32, uint64
from samebits.fpmodel.soft import FLUSHES, KERNELS, ROUNDINGS, parameters
from samebits.fpmodel.softfloat import (
    FLOAT16,
    FLOAT32,
    FLOAT64,
    X87_24,
    X87_64,
    Format,
    Number,
    from_bits,
    rounded,
    to_bits,
)
from samebits.lang.kernel import Kernel

from_float32, from_float64 = KERNELS["from_float32"], KERNELS["from_float64"]
to_float32, to_float64 = KERNELS["to_float32"], KERNELS["to_float64"]
round_wide = KERNELS["round_wide"]
SETTINGS = list(product(ROUNDINGS, FLUSHES))


@sb.kernel
def from_each_32(
    x: sb.ReadOnly[float32], m: sb.Array[uint64], e: sb.Array[int32], k: sb.Array[int32]
) -> None:
    for i in range(len(x)):
        a, b, c = from_float32(x[i])
        m[i] = a
        e[i] = b
        k[i] = c


@sb.kernel
def from_each_64(
    x: sb.ReadOnly[float64], m: sb.Array[uint64], e: sb.Array[int32], k: sb.Array[int32]
) -> None:
    for i in range(len(x)):
        a, b, c = from_float64(x[i])
        m[i] = a
        e[i] = b
        k[i] = c


@sb.kernel
def to_each_32(
    m: sb.ReadOnly[uint64], e: sb.ReadOnly[int32], k: sb.ReadOnly[int32],
    rounding: int32, flush: int32, out: sb.Array[uint32],
) -> None:  # fmt: skip
    for i in range(len(m)):
        out[i] = sb.bitcast(uint32, to_float32(m[i], e[i], k[i], rounding, flush))


@sb.kernel
def to_each_64(
    m: sb.ReadOnly[uint64], e: sb.ReadOnly[int32], k: sb.ReadOnly[int32],
    rounding: int32, flush: int32, out: sb.Array[uint64],
) -> None:  # fmt: skip
    for i in range(len(m)):
        out[i] = sb.bitcast(uint64, to_float64(m[i], e[i], k[i], rounding, flush))


@sb.kernel
def round_each(
    m: sb.Array[uint64], e: sb.Array[int32], k: sb.Array[int32],
    precision: int32, least: int32, most: int32, rounding: int32, flush: int32,
) -> None:  # fmt: skip
    for i in range(len(m)):
        a, b, c = round_wide(m[i], e[i], k[i], precision, least, most, rounding, flush)
        m[i] = a
        e[i] = b
        k[i] = c


def patterns(form: Format, count: int) -> list[int]:
    """Any, those of subnormal and of large numbers, and each first and last one of a kind."""
    source = Random(f"patterns of {form.name}")
    fraction = form.precision - 1
    magnitude = 1 << (form.bits - 1)
    edges = [0, 1, 2, (1 << fraction) - 1, 1 << fraction, (1 << fraction) + 1]
    infinity = magnitude - (1 << fraction)
    edges += [infinity - 1, infinity, infinity + 1, infinity | 1 << (fraction - 1), magnitude - 1]
    found = [source.getrandbits(form.bits - 1) for _ in range(count)]
    found += [source.getrandbits(source.randrange(1, fraction + 2)) for _ in range(count)]
    return [x | sign for x in edges + found for sign in (0, magnitude)]


@pytest.mark.parametrize(
    ("form", "loop", "pattern", "number"),
    [(FLOAT32, from_each_32, np.uint32, np.float32),
     (FLOAT64, from_each_64, np.uint64, np.float64)],
    ids=("float32", "float64"),
)  # fmt: skip
def test_every_kind_of_float_becomes_its_number(
    form: Format, loop: Kernel, pattern: type[Any], number: type[Any]
) -> None:
    given = patterns(form, 5000)
    out = columns([(7, 7, 7)] * len(given))
    loop(np.array(given, pattern).view(number), *out)
    got = list(zip(*(column.tolist() for column in out), strict=True))
    assert got == [wide(from_bits(bits, form)) for bits in given]


def numbers(form: Format, count: int) -> list[Number]:
    """Numbers of 64 bits around what the format can hold."""
    source = Random(f"numbers around {form.name}")
    found = [x for _ in range(count) for x in operands(source, "add", form)]
    for _ in range(count):
        exponent = form.smallest_normal + source.randrange(-form.precision - 3, 3)
        exponent = source.choice((exponent, form.limit + source.randrange(-2, 2)))
        near = mantissa(source, min(63, max(1, source.randrange(form.precision + 2))), 1 << 63)
        found.append(Number(bool(source.getrandbits(1)), near, exponent - 63))
    return found


@pytest.mark.parametrize(("rounding", "flush"), SETTINGS)
@pytest.mark.parametrize(
    ("form", "loop", "pattern"),
    [(FLOAT32, to_each_32, np.uint32), (FLOAT64, to_each_64, np.uint64)],
    ids=("float32", "float64"),
)
def test_a_wide_value_is_rounded_to_a_float_once(
    form: Format, loop: Kernel, pattern: type[Any], rounding: Any, flush: Any
) -> None:
    given = numbers(form, 1000)
    out = np.zeros(len(given), pattern)
    loop(*columns([wide(x) for x in given]), ROUNDINGS[rounding], FLUSHES[flush], out)
    expected = [to_bits(rounded(x, form, rounding, flush), form) for x in given]
    assert out.tolist() == expected


@pytest.mark.parametrize(("rounding", "flush"), SETTINGS)
@pytest.mark.parametrize("form", [FLOAT16, FLOAT32, X87_24, X87_64], ids=lambda f: f.name)
def test_a_wide_value_is_rounded_to_another_format(form: Format, rounding: Any, flush: Any) -> None:
    given = numbers(form, 500)
    out = columns([wide(x) for x in given])
    round_each(*out, *parameters(form, rounding, flush))
    got = list(zip(*(column.tolist() for column in out), strict=True))
    assert got == [wide(rounded(x, form, rounding, flush)) for x in given]


@sb.kernel
def there_and_back(x: float32, y: float64, rounding: int32) -> tuple[float32, float64, float32]:
    m, e, k = from_float64(y)
    narrowed = to_float32(m, e, k, rounding, 0)
    wide_again = to_float64(m, e, k, rounding, 0)
    m, e, k = from_float32(x)
    return to_float32(m, e, k, rounding, 2), wide_again, narrowed


@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_conversions_have_the_same_bits_in_every_execution(rounding: Any) -> None:
    nan = float("nan")
    for x, y in ((1.5, 0.1), (-1e-45, 1e-45), (nan, -1e300), (float("-inf"), nan), (-0.0, 5e-324)):
        sb.assert_same_bits(there_and_back, x, y, ROUNDINGS[rounding])
