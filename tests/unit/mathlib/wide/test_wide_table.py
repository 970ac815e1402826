"""The tables of 192-bit fractions hold what their docstrings say; those of erf are remade."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from math import factorial
from pathlib import Path
from typing import Any

import gmpy2
import pytest
from gmpy2 import mpfr
from tests.support.folders import ROOT

from samebits.mathlib.wide import table as wide_table


def fractions(name: str) -> list[int]:
    """A table's numbers, as integers of 192 bits."""
    words = getattr(wide_table, name).data.tolist()
    return [words[i] << 128 | words[i + 1] << 64 | words[i + 2] for i in range(0, len(words), 3)]


def constant(name: str) -> int:
    """A constant's 192 bits."""
    high, middle, low = (getattr(wide_table, f"{name}_{p}") for p in ("HIGH", "MIDDLE", "LOW"))
    return high << 128 | middle << 64 | low


def cut(value: Any) -> int:
    """The 192 bits after the point."""
    return int(gmpy2.floor(value * mpfr(2) ** 192))


def test_coefficients_are_halves_of_inverse_factorials_and_odd_numbers() -> None:
    exact = [Fraction(1, 2 * factorial(j)) for j in range(48)]
    exact += [Fraction(1, 2 * (2 * j + 1)) for j in range(16)]
    assert fractions("COEFFICIENTS") == [int(value * 2**192) for value in exact]


def test_steps_are_the_functions_values() -> None:
    with gmpy2.context(precision=400):
        assert fractions("EXP2_STEPS") == [cut(gmpy2.exp2(mpfr(i) / 64) / 2) for i in range(64)]
        assert fractions("ATAN_STEPS") == [cut(gmpy2.atan(mpfr(i) / 64)) for i in range(64)]
        logs = fractions("LOG_STEPS")
        for i in range(32, 96):
            assert logs[i % 64] == cut(abs(gmpy2.log(mpfr(i) / 64))), i


def test_constants_have_their_top_bit_set() -> None:
    with gmpy2.context(precision=400):
        assert constant("LN2") == cut(gmpy2.const_log2())
        assert constant("LOG2_E") == cut(1 / gmpy2.const_log2() / 2)
        assert constant("LOG10_E") == cut(2 / gmpy2.log(mpfr(10)))
        assert constant("LOG2_10") == cut(gmpy2.log2(mpfr(10)) / 4)
        assert constant("QUARTER_PI") == cut(gmpy2.const_pi() / 4)
        assert constant("SLOPE") == cut(1 / gmpy2.sqrt(gmpy2.const_pi()))
        assert constant("INVERSE_PI") == cut(2 / gmpy2.const_pi())
        assert constant("HALF_LOG_TURN") == cut(gmpy2.log(2 * gmpy2.const_pi()) / 2)
    names = ("LN2", "LOG2_E", "LOG10_E", "LOG2_10", "QUARTER_PI", "SLOPE", "INVERSE_PI")
    for name in (*names, "HALF_LOG_TURN"):
        assert constant(name) >> 191 == 1, name


def test_coefficients_of_stirlings_series_are_zeta_values_of_even_numbers() -> None:
    # |B(2k)| = 2·(2k)!·ζ(2k)/(2π)^(2k)
    with gmpy2.context(precision=400):
        turn = 2 * gmpy2.const_pi()
        exact = [
            2 * factorial(2 * k - 2) * gmpy2.zeta(mpfr(2 * k)) / turn ** (2 * k)
            / mpfr(32) ** (2 * k - 1)
            for k in range(1, 33)
        ]  # fmt: skip
        close = [
            abs(c - mpfr(2) ** 192 * e) <= 1
            for c, e in zip(fractions("STIRLING"), exact, strict=True)
        ]
    assert all(close)


def test_words_of_two_over_pi_follow_128_zero_bits() -> None:
    words = wide_table.TWO_OVER_PI.data.tolist()
    bits = sum(word << 64 * (len(words) - 1 - i) for i, word in enumerate(words))
    with gmpy2.context(precision=2000):
        assert bits == int(gmpy2.floor(2 / gmpy2.const_pi() * mpfr(2) ** (64 * (len(words) - 2))))


def test_the_tool_makes_the_tables_again() -> None:
    file = Path(wide_table.__file__)
    tool = ROOT / "tools" / "math" / "wide_table.py"
    made = subprocess.run([sys.executable, tool], check=True, capture_output=True, encoding="utf-8")
    assert made.stdout == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["erf", "erfc", "gamma"])
def test_the_tools_make_the_tables_of_float64_functions_again(name: str) -> None:
    tool = ROOT / "tools" / "math" / f"{name}_f64_table.py"
    made = subprocess.run([sys.executable, tool], check=True, capture_output=True, encoding="utf-8")
    file = ROOT / "src" / "samebits" / "mathlib" / "float64" / f"{name}_f64_table.py"
    assert made.stdout == file.read_text(encoding="utf-8")
