"""`f32("…")` rounds decimal text once."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

import samebits as sb
from samebits import float32
from samebits.errors import ArgumentError, CompileError

TWICE = "1.00000005960464477539062500000001"
"""Just above the middle of 1 and the next float32, and as float64 that middle."""


@sb.kernel
def once() -> float32:
    return sb.f32("1.00000005960464477539062500000001")


@sb.kernel
def twice() -> float32:
    return float32(1.00000005960464477539062500000001)


def test_a_decimal_that_two_roundings_miss() -> None:
    assert float(float32(float(TWICE))) == 1.0 == twice()
    assert float(sb.f32(TWICE)) == 1.0 + 2.0**-23 == once()
    assert type(sb.f32(TWICE)) is float32
    assert sb.assert_same_bits(once)
    assert sb.assert_same_bits(twice)


def test_the_nearest_float32_is_found() -> None:
    draw = random.Random(5)
    for _ in range(3000):
        text = f"{draw.randrange(10 ** draw.randrange(1, 30))}e{draw.randrange(-75, 9)}"
        found = sb.f32(text)
        exact = Fraction(text)
        for to in (np.float32(-np.inf), np.float32(np.inf)):
            other = np.nextafter(np.float32(found), to)
            if np.isfinite(other):
                near, far = (abs(Fraction(float(x)) - exact) for x in (found, other))
                even = int(np.float32(found).view(np.uint32)) % 2 == 0
                assert near < far or (near == far and even), text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0.0), ("-0.0", -0.0), (".5", 0.5), ("5.", 5.0), ("+1e2", 100.0), ("1E-9999", 0.0),
        ("-1e-60", -0.0), ("1e-00005", 1e-5),
        ("0e99999", 0.0), ("-1e-99999999999", -0.0), ("." + "0" * 300 + "1e301", 1.0),
        ("1e-45", 2.0**-149), ("0.7006492321624085354e-45", 0.0),
        ("0.7006492321624085355e-45", 2.0**-149), ("3.4028235677973366e38", 2.0**128 - 2.0**104),
    ],
)  # fmt: skip
def test_forms_and_edges(text: str, value: float) -> None:
    assert np.float32(sb.f32(text)).tobytes() == np.float32(value).tobytes()


def test_a_long_literal_is_refused_for_its_length() -> None:
    assert sb.f32("1." + "0" * 398) == 1.0
    with pytest.raises(ArgumentError, match=r"has 401 characters; f32\(\) takes 400 at most"):
        sb.f32("1." + "0" * 399)


def test_what_is_no_number_is_refused() -> None:
    for text in ("", ".", "e5", "0x1p3", "nan", "1_0", " 1", "1e", "\u0661"):
        with pytest.raises(ArgumentError, match="is no decimal number") as error:
            sb.f32(text)
        assert "write digits in quotes" in str(error.value.fix)
    for text in ("3.4028235677973367e38", "-1e39", "1e9999", "1e99999"):
        with pytest.raises(ArgumentError, match=r"beyond the largest float32, 3\.4028235e38"):
            sb.f32(text)
    with pytest.raises(ArgumentError, match=r"f32\(\) takes text, got float"):
        sb.f32(0.1)  # type: ignore[arg-type]


def test_kernels_take_text_in_quotes_alone() -> None:
    @sb.kernel
    def of_number(x: float32) -> float32:
        return x + sb.f32(0.5)  # type: ignore[arg-type]

    @sb.kernel
    def of_variable(x: float32) -> float32:
        return sb.f32(x)  # type: ignore[arg-type]

    @sb.kernel
    def of_words(x: float32) -> float32:
        return x + sb.f32("one half")

    for kernel, message in (
        (of_number, "f32() takes text, got float"),
        (of_variable, "f32() takes one text in quotes"),
        (of_words, "'one half' is no decimal number"),
    ):
        with pytest.raises(CompileError) as error:
            kernel(1)
        assert error.value.message == message
        assert error.value.span is not None
