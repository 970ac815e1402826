"""The strict evaluation is IEEE 754's, bit by bit, for every type and kind of number."""

from __future__ import annotations

import random

import numpy as np
import pytest

from samebits.bits import bits_to_float, float_to_bits
from samebits.fpmodel.evaluate import Arithmetic, Evaluator
from samebits.fpmodel.parse import parse, pattern
from samebits.fpmodel.softfloat import FLOAT32, FLOAT64, FORMATS, Format, from_bits, to_bits
from samebits.ir.interp.semantics import BINARY, SEMANTICS, TERNARY
from samebits.types import FLOAT32 as T32
from samebits.types import FLOAT64 as T64

EDGES = (0.0, -0.0, 1.0, -1.5, float("inf"), float("-inf"), 3e-39, 1e-45, 5e-324, 3e38, 1.7e308)


def patterns(form: Format, count: int) -> list[int]:
    source = random.Random(f"{form.name} patterns")
    edges = [*dict.fromkeys(pattern(repr(v), form, "an edge") for v in EDGES)]
    near = [
        (edges[2] + source.getrandbits(form.bits - 5) % (1 << form.precision)) for _ in range(count)
    ]
    return edges + near + [source.getrandbits(form.bits) for _ in range(count)]


@pytest.mark.parametrize("form", FORMATS.values(), ids=lambda f: f.name)
@pytest.mark.parametrize(
    ("expression", "name"),
    [("a + b", "add"), ("a - b", "sub"), ("a * b", "mul"), ("a / b", "div"),
     ("fma(a, b, c)", "fma"), ("min(a, b)", "min"), ("max(a, b)", "max"), ("sqrt(a)", "sqrt"),
     ("-a", "neg"), ("abs(a)", "abs")],
)  # fmt: skip
def test_a_strict_operation_has_the_bits_of_the_reference(
    form: Format, expression: str, name: str
) -> None:
    source, given = random.Random(expression), patterns(form, 60)
    # One float64 operation on halves, rounded to a half, is the half operation (Figueroa 1995).
    tree, t = parse(expression), T32 if form is FLOAT32 else T64
    takes = 3 if name in TERNARY else 2 if name in BINARY else 1
    for _ in range(600):
        bits = [source.choice(given) for _ in range(3)]
        values = {n: from_bits(b, form) for n, b in zip("abc", bits, strict=True)}
        got = Evaluator(Arithmetic(form, form), values).bits(tree)
        floats = [bits_to_float(b, form.bits) for b in bits[:takes]]
        with np.errstate(all="ignore"):
            number = np.dtype(form.name).type(SEMANTICS[name](t, *floats))
        expected = float_to_bits(float(number), form.bits)
        assert f"{got:x}" == f"{expected:x}", [hex(b) for b in bits]


@pytest.mark.parametrize("form", FORMATS.values(), ids=lambda f: f.name)
def test_every_pattern_survives_being_a_number(form: Format) -> None:
    for bits in patterns(form, 200):
        number = from_bits(bits, form)
        if not number.is_nan:
            assert to_bits(number, form) == bits


@pytest.mark.parametrize(
    ("text", "bits"),
    [("0.1", 0x3DCCCCCD), ("0x3dcccccd", 0x3DCCCCCD), ("0x1.99999ap-4", 0x3DCCCCCD),
     ("-0", 0x80000000), ("-inf", 0xFF800000), ("nan", 0x7FC00000), ("1e-46", 0),
     ("1e39", 0x7F800000),
     ("1.00000005960464477539062500001", 0x3F800001), ("1.000000059604644775390625", 0x3F800000)],
)  # fmt: skip
def test_a_literal_is_rounded_once(text: str, bits: int) -> None:
    assert pattern(text, FLOAT32, "a") == bits


def test_a_float64_literal_has_sixteen_digits() -> None:
    assert pattern("0x3fb999999999999a", FLOAT64, "a") == pattern("0.1", FLOAT64, "a")
