"""Texts of one character compare as their code points, and `math.pi` and its like are numbers."""

# ruff: noqa: SIM201, SIM300

from __future__ import annotations

import math as python_math
from typing import Any

import numpy as np
import pytest
from tests.support.executions import refusal_of, same

import samebits as sb
from samebits import ReadOnly, float32, float64, int32, math, uint8, uint32


@sb.kernel
def kind(c: uint8) -> int:
    if "a" <= c <= "z" or c == "_":
        return 1
    if "0" <= c and c <= "9":
        return 2
    return 3 if c == " " else 4 if "é" == c else 0


@pytest.mark.parametrize("text", "aqz_{`059/: é")
def test_a_character_is_its_code_point_in_comparisons(text: str) -> None:
    expected = 1 if text == "_" or "a" <= text <= "z" else 2 if text.isdigit() else 0
    expected = {" ": 3, "é": 4}.get(text, expected)
    assert same(kind, uint8(ord(text))) == expected


@sb.kernel
def number(text: ReadOnly[uint32]) -> int:
    n = 0
    for c in text:
        if c < "0" or c > "9":
            return -1
        n = n * 10 + (int(c) - ord("0"))
    return n + (ord("🙂") - 128578)


def test_ord_is_a_weak_int() -> None:
    def points(text: str) -> Any:
        return np.array([ord(c) for c in text], np.uint32)

    assert same(number, points("20261126")) == 20261126
    assert same(number, points("12x")) == -1


@sb.kernel
def direction(key: int32) -> int:
    match key:
        case "w" | "W":
            return 1
        case "s":
            return -1
        case _:
            return 0


def test_a_character_is_a_pattern() -> None:
    assert [same(direction, int32(ord(c))) for c in "wWsq"] == [1, 1, -1, 0]


@sb.kernel
def both_constant() -> bool:
    return "a" < "b" and not "a" == "b" and "z" == 122


def test_two_characters_compare() -> None:
    assert same(both_constant) is True


@sb.kernel
def beside_a_float(x: float64) -> bool:
    return x == "a"


@sb.kernel
def beside_a_bool(x: bool) -> bool:
    return "a" == x


@pytest.mark.parametrize("kernel", [beside_a_float, beside_a_bool])
def test_a_character_is_compared_with_integers_alone(kernel: Any) -> None:
    error = refusal_of(kernel, True if kernel is beside_a_bool else 97.0)
    assert error.message.startswith("a text of one character is compared with an integer, but")
    with pytest.raises(sb.ArgumentError, match="compared with an integer"):
        kernel.managed(True if kernel is beside_a_bool else 97.0)


@sb.kernel
def ord_of_a_number(c: int32) -> int:
    return ord(c)  # type: ignore[arg-type]


@sb.kernel
def ord_of_a_word(c: int32) -> int:
    return ord("no")


@pytest.mark.parametrize("kernel", [ord_of_a_number, ord_of_a_word])
def test_ord_takes_one_character_in_quotes(kernel: Any) -> None:
    assert "ord() takes a text of one character" in refusal_of(kernel, int32(7)).message
    with pytest.raises(sb.ArgumentError, match="ord"):
        kernel.managed(int32(7))


@sb.kernel
def constants(x: float64) -> float64:
    y = 0.0
    if x < math.inf and x > -python_math.inf:
        y = x * math.pi - python_math.e + math.tau
    elif x == python_math.inf:
        y = math.nan
    return y + python_math.nan if x < 0.0 else y


@sb.kernel
def narrow_pi(x: float32) -> float32:
    return x * math.pi


def test_constants_of_math_are_weak_floats() -> None:
    for x in (0.5, -0.5, float("inf"), float("-inf"), float("nan")):
        same(constants, x)
    assert constants(0.5) == 0.5 * python_math.pi - python_math.e + python_math.tau
    assert same(narrow_pi, float32(1)) == np.float32(python_math.pi)
