"""Expressions of floats in a foreign arithmetic give the bits that the exact evaluator says."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from tests.support.kernels.soft_operands import operands
from tests.support.levels import LOWEST

import samebits as sb
from samebits import float32, float64, int32
from samebits.fpmodel.evaluate import Arithmetic, Evaluator
from samebits.fpmodel.parse import parse
from samebits.fpmodel.soft import FLUSHES, KERNELS, ROUNDINGS, parameters
from samebits.fpmodel.softfloat import (
    FLOAT32,
    FLOAT64,
    X87_24,
    X87_53,
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
sub, mul, div = KERNELS["sub"], KERNELS["mul"], KERNELS["div"]
sqrt, fma = KERNELS["sqrt"], KERNELS["fma"]
flushed_input = KERNELS["flushed_input"]
EXPRESSION = parse("fma(a, b, c) - sqrt(c) / b * a")
NEAREST, PLAIN = ROUNDINGS["nearest"], FLUSHES["no"]
PAIRS = [
    (FLOAT32, FLOAT32), (FLOAT32, FLOAT64), (FLOAT32, X87_24), (FLOAT32, X87_53),
    (FLOAT32, X87_64), (FLOAT64, FLOAT32), (FLOAT64, FLOAT64), (FLOAT64, X87_53),
    (FLOAT64, X87_64),
]  # fmt: skip
COUNT = 25
"""Of triples for each pair of formats and each setting."""


@sb.kernel
def expression32(
    x: float32, y: float32, z: float32, precision: int32, least: int32, most: int32,
    rounding: int32, flush: int32, inputs: int32, last: int32, last_flush: int32,
) -> float32:  # fmt: skip
    a, ae, ak = from_float32(x)
    b, be, bk = from_float32(y)
    c, ce, ck = from_float32(z)
    a, ae, ak = flushed_input(a, ae, ak, least, inputs)
    b, be, bk = flushed_input(b, be, bk, least, inputs)
    c, ce, ck = flushed_input(c, ce, ck, least, inputs)
    s, se, sk = sqrt(c, ce, ck, precision, least, most, rounding, flush)
    s, se, sk = flushed_input(s, se, sk, least, inputs)
    s, se, sk = div(s, se, sk, b, be, bk, precision, least, most, rounding, flush)
    s, se, sk = flushed_input(s, se, sk, least, inputs)
    s, se, sk = mul(s, se, sk, a, ae, ak, precision, least, most, rounding, flush)
    m, e, k = fma(a, ae, ak, b, be, bk, c, ce, ck, precision, least, most, rounding, flush)
    s, se, sk = flushed_input(s, se, sk, least, inputs)
    m, e, k = flushed_input(m, e, k, least, inputs)
    m, e, k = sub(m, e, k, s, se, sk, precision, least, most, rounding, flush)
    return to_float32(m, e, k, last, last_flush)


@sb.kernel
def expression64(
    x: float64, y: float64, z: float64, precision: int32, least: int32, most: int32,
    rounding: int32, flush: int32, inputs: int32, last: int32, last_flush: int32,
) -> float64:  # fmt: skip
    a, ae, ak = from_float64(x)
    b, be, bk = from_float64(y)
    c, ce, ck = from_float64(z)
    a, ae, ak = flushed_input(a, ae, ak, least, inputs)
    b, be, bk = flushed_input(b, be, bk, least, inputs)
    c, ce, ck = flushed_input(c, ce, ck, least, inputs)
    s, se, sk = sqrt(c, ce, ck, precision, least, most, rounding, flush)
    s, se, sk = flushed_input(s, se, sk, least, inputs)
    s, se, sk = div(s, se, sk, b, be, bk, precision, least, most, rounding, flush)
    s, se, sk = flushed_input(s, se, sk, least, inputs)
    s, se, sk = mul(s, se, sk, a, ae, ak, precision, least, most, rounding, flush)
    m, e, k = fma(a, ae, ak, b, be, bk, c, ce, ck, precision, least, most, rounding, flush)
    s, se, sk = flushed_input(s, se, sk, least, inputs)
    m, e, k = flushed_input(m, e, k, least, inputs)
    m, e, k = sub(m, e, k, s, se, sk, precision, least, most, rounding, flush)
    return to_float64(m, e, k, last, last_flush)


KERNEL: dict[Format, Kernel] = {FLOAT32: expression32, FLOAT64: expression64}


def settings(arithmetic: Arithmetic) -> tuple[int, ...]:
    """The kernel's parameters: a result in the working format is stored as it stands."""
    a = arithmetic
    given = parameters(a.working, a.rounding, a.flush)
    last = (NEAREST, PLAIN) if a.working is a.form else given[3:]
    return (*given, int(a.flush_inputs), *last)


def triples(form: Format, working: Format) -> list[dict[str, Number]]:
    source = Random(f"{form.name} in {working.name}")
    found = [operands(source, "fma", form) for _ in range(COUNT)]
    return [dict(zip("abc", (rounded(x, form) for x in given), strict=True)) for given in found]


def as_float(x: Number, form: Format) -> Any:
    words: Any = {32: np.uint32, 64: np.uint64}[form.bits]
    return np.array(to_bits(x, form), words).view(form.name)[()]


@pytest.mark.parametrize(("form", "working"), PAIRS, ids=lambda f: f.name)
def test_an_expression_has_the_bits_of_the_exact_evaluator(form: Format, working: Format) -> None:
    kernel = KERNEL[form]
    words: Any = {32: np.uint32, 64: np.uint64}[form.bits]
    for values in triples(form, working):
        floats = [as_float(x, form) for x in values.values()]
        for rounding, flush, inputs in product(ROUNDINGS, FLUSHES, (False, True)):
            arithmetic = Arithmetic(form, working, rounding, flush, inputs)
            got = kernel(*floats, *settings(arithmetic))
            wanted = Evaluator(arithmetic, values).bits(EXPRESSION)
            assert int(np.array(got).view(words)) == wanted, (arithmetic, values)


@pytest.mark.parametrize(("form", "working"), PAIRS, ids=lambda f: f.name)
def test_an_expression_has_the_same_bits_in_every_execution(form: Format, working: Format) -> None:
    pattern = {32: (0x3DCCCCCD, 0x80600001, 0x00812345), 64: (1 << 62 | 3, 1 << 50 | 1, 1 << 51)}
    floats = [as_float(from_bits(bits, form), form) for bits in pattern[form.bits]]
    arithmetic = Arithmetic(form, working, "up", "after")
    sb.assert_same_bits(KERNEL[form], *floats, *settings(arithmetic), targets=[LOWEST])
