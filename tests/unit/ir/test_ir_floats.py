"""Float operations against NumPy, MPFR and hand tables, compared as bit patterns."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import gmpy2
import numpy as np
import pytest
from tests.support.programs.ir_ops import (
    FLOATS,
    INTEGERS,
    alike,
    bits_of,
    float_samples,
    integer_samples,
    run,
)

from samebits.errors import Trap
from samebits.types import (
    BOOL,
    FLOAT,
    FLOAT32,
    FLOAT64,
    INT,
    INT32,
    INT64,
    UINT32,
    UINT64,
    ScalarType,
)

TWO: dict[str, Callable[..., Any]] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide,
}  # fmt: skip
ONE: dict[str, Callable[..., Any]] = {
    "sqrt": np.sqrt, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "round": np.rint,
    "neg": np.negative, "abs": np.abs,
}  # fmt: skip
ORDER: dict[str, Callable[..., Any]] = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal,
    "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip


def oracle(function: Callable[..., Any], t: ScalarType, *args: float) -> Any:
    with np.errstate(all="ignore"):
        return function(*(t.dtype.type(a) for a in args))


@pytest.mark.parametrize("t", FLOATS, ids=str)
@pytest.mark.parametrize("opcode", TWO)
def test_arithmetic_has_the_bits_of_the_hardware(opcode: str, t: ScalarType) -> None:
    for a, b in itertools.product(float_samples(t), repeat=2):
        got, due = alike(opcode, t, a, b), oracle(TWO[opcode], t, a, b)
        assert bits_of(t, got) == bits_of(t, due), (a, b)


@pytest.mark.parametrize("t", FLOATS, ids=str)
@pytest.mark.parametrize("opcode", ONE)
def test_one_operand_operations_have_the_bits_of_the_hardware(opcode: str, t: ScalarType) -> None:
    for a in float_samples(t):
        got, due = alike(opcode, t, a), oracle(ONE[opcode], t, a)
        assert bits_of(t, got) == bits_of(t, due), a


@pytest.mark.parametrize("t", FLOATS, ids=str)
@pytest.mark.parametrize("opcode", ORDER)
def test_comparisons_know_nan_and_signed_zero(opcode: str, t: ScalarType) -> None:
    for a, b in itertools.product(float_samples(t), repeat=2):
        assert alike(opcode, t, a, b, result=BOOL) is bool(oracle(ORDER[opcode], t, a, b))


@pytest.mark.parametrize("t", FLOATS, ids=str)
def test_fma_rounds_once(t: ScalarType) -> None:
    emin, emax = {32: (-148, 128), 64: (-1073, 1024)}[t.bits]
    context = gmpy2.context(
        precision={32: 24, 64: 53}[t.bits], emin=emin, emax=emax, subnormalize=True
    )
    some = float_samples(t)[::2]
    for a, b, c in itertools.product(some, repeat=3):
        due = float(context.fma(gmpy2.mpfr(a), gmpy2.mpfr(b), gmpy2.mpfr(c)))
        if a * b + c == 0 and due == 0 and Fraction(a) * Fraction(b) + Fraction(c) == 0:
            due = a * b + c if t is FLOAT64 or a * b == 0 or c == 0 else 0.0
        assert bits_of(t, alike("fma", t, a, b, c)) == bits_of(t, due), (a, b, c)


@pytest.mark.parametrize("t", FLOATS, ids=str)
def test_min_and_max_order_zeros_and_pass_nan_on(t: ScalarType) -> None:
    zero, minus, nan = 0.0, -0.0, math.nan
    table = [
        (zero, minus, minus, zero), (minus, zero, minus, zero), (minus, minus, minus, minus),
        (zero, zero, zero, zero), (1.0, nan, nan, nan), (nan, 1.0, nan, nan),
        (nan, nan, nan, nan), (-math.inf, nan, nan, nan), (1.0, 2.0, 1.0, 2.0),
        (2.0, 1.0, 1.0, 2.0), (-math.inf, math.inf, -math.inf, math.inf),
        (-1.0, minus, -1.0, minus),
    ]  # fmt: skip
    for a, b, least, greatest in table:
        assert bits_of(t, alike("min", t, a, b)) == bits_of(t, least), (a, b)
        assert bits_of(t, alike("max", t, a, b)) == bits_of(t, greatest), (a, b)


@pytest.mark.parametrize("t", FLOATS, ids=str)
def test_copysign_takes_a_nan_for_positive(t: ScalarType) -> None:
    for a, b in itertools.product(float_samples(t), float_samples(t)):
        due = abs(a) if b != b or not np.signbit(b) else -abs(a)
        assert bits_of(t, alike("copysign", t, a, b)) == bits_of(t, due)
    minus_nan = float(np.array(0xFFF8 << 48, "u8").view("f8"))
    assert alike("copysign", t, 1.0, minus_nan) == 1.0


def test_weak_float_division_by_zero_traps_and_nothing_else_does() -> None:
    for a, b in itertools.product(float_samples(FLOAT64), repeat=2):
        if b == 0:
            with pytest.raises(Trap) as trap:
                alike("div", FLOAT, a, b)
            assert trap.value.kind == "zero"
        else:
            due = oracle(np.divide, FLOAT64, a, b)
            assert bits_of(FLOAT, alike("div", FLOAT, a, b)) == bits_of(FLOAT, due)


@pytest.mark.parametrize("target", FLOATS, ids=str)
@pytest.mark.parametrize("source", [*INTEGERS, INT], ids=str)
def test_integers_become_floats_with_one_rounding(source: ScalarType, target: ScalarType) -> None:
    near = [2**24 + 1, 2**53 + 1, 2**54 + 3, 2**60 + 2**36 + 1, 2**62 + 2**38, 2**62 + 2**38 + 1]
    fits = [s * v for v in near for s in (1, -1) if source.minimum <= s * v <= source.maximum]
    for a in integer_samples(source) + fits:
        due = np.array(a, source.dtype).astype(target.dtype)
        assert bits_of(target, run("convert", (source,), target, a)) == bits_of(target, due), a


def test_the_double_rounding_trap_of_int64_to_float32() -> None:
    value = 2**62 + 2**38 + 1  # via binary64 it would tie, and go down to even
    assert run("convert", (INT64,), FLOAT32, value) == float(2**62 + 2**39)


def test_float64_becomes_float32_to_nearest_even() -> None:
    for a in [
        *float_samples(FLOAT64),
        *float_samples(FLOAT32),
        2.0**-150,
        2.0**-150 * (1 + 2**-52),
    ]:
        due = oracle(np.float32, FLOAT64, a)
        assert bits_of(FLOAT32, run("convert", (FLOAT64,), FLOAT32, a)) == bits_of(FLOAT32, due)
    edge = 2.0**128 - 2.0**103  # halfway from the greatest binary32 to 2^128
    assert run("convert", (FLOAT64,), FLOAT32, edge) == math.inf
    assert run("convert", (FLOAT64,), FLOAT32, math.nextafter(edge, 0)) == 2.0**128 - 2.0**104


@pytest.mark.parametrize("source", FLOATS, ids=str)
@pytest.mark.parametrize("target", [*INTEGERS, INT], ids=str)
def test_floats_become_integers_truncated_and_saturated(
    source: ScalarType, target: ScalarType
) -> None:
    for a in float_samples(source):
        if a != a:
            due = 0
        elif a >= 2.0 ** (target.bits - target.is_signed):
            due = int(np.iinfo(target.dtype).max)
        elif a <= float(np.iinfo(target.dtype).min):
            due = int(np.iinfo(target.dtype).min)
        else:
            due = int(Fraction(a).__trunc__())
        assert run("convert", (source,), target, a) == due, a


def test_bitcast_shows_the_one_nan() -> None:
    for a in float_samples(FLOAT32):
        assert run("bitcast", (FLOAT32,), UINT32, a) == bits_of(FLOAT32, a)
    for a in float_samples(FLOAT64):
        assert run("bitcast", (FLOAT64,), UINT64, a) == bits_of(FLOAT64, a)
    minus_nan = float(np.array(0xFFF8 << 48, "u8").view("f8"))
    assert run("bitcast", (FLOAT64,), UINT64, minus_nan) == 0x7FF8000000000000
    assert run("bitcast", (INT32,), FLOAT32, 0x3F800000) == 1.0
    assert bits_of(FLOAT32, run("bitcast", (INT32,), FLOAT32, -(2**31))) == 0x80000000
