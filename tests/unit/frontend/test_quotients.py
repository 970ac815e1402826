"""`/` of Python ints is a float, with CPython's bits, or a trap where these are not the floats'."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import samebits as sb
from samebits import float32, float64

EXACT = 2**53


@sb.kernel
def quotient(a: int, b: int) -> float:
    return a / b


@sb.kernel
def half_the_length(a: sb.ReadOnly[float64]) -> float64:
    return len(a) / 2


@sb.kernel
def harmonic(n: int) -> float:
    s = 0.0
    for i in range(n):
        s += 1 / (i + 1)
    return s


@sb.kernel
def beside_a_float32(n: int, x: float32) -> float32:
    return n / 3 * x


@sb.kernel
def quarter(n: int) -> float:
    s = n + 1
    s /= 4
    return s


def runs(kernel: Any) -> tuple[Any, ...]:
    return kernel, kernel.managed, lambda *values: sb.evaluate(kernel, *values)


INSIDE = st.integers(-EXACT, EXACT)


@settings(deadline=None)  # the first example compiles
@given(INSIDE, INSIDE.filter(bool))
def test_the_quotient_of_two_ints_is_cpythons(a: int, b: int) -> None:
    for run in runs(quotient):
        assert float(run(a, b)).hex() == (a / b).hex()


def test_it_is_the_nearest_float_up_to_the_last_exact_int() -> None:
    for a, b in ((EXACT, 3), (-EXACT, EXACT - 1), (1, EXACT), (0, -5)):
        for run in runs(quotient):
            assert float(run(a, b)).hex() == (a / b).hex() == float(Fraction(a, b)).hex() or a == 0


@pytest.mark.parametrize(
    ("a", "b"), [(EXACT + 1, 3), (-EXACT - 1, 3), (3, EXACT + 1), (3, -EXACT - 1)]
)
def test_an_int_that_no_float_holds_traps_with_both(a: int, b: int) -> None:
    for run in runs(quotient):
        with pytest.raises(sb.Trap, match=rf"{a} / {b}, of an int beyond 2\*\*53") as caught:
            run(a, b)
        assert caught.value.kind == "overflow"


def test_a_quotient_by_zero_traps() -> None:
    for run in runs(quotient):
        with pytest.raises(sb.Trap, match=r"division by zero: 1\.0 / 0\.0"):
            run(1, 0)


def test_lengths_counters_and_names_are_divided_so() -> None:
    for run in runs(half_the_length):
        assert run(np.zeros(3)) == 1.5
    for run in runs(harmonic):
        # Not `sum`, which rounds once from Python 3.12 on.
        assert run(9) == reduce(add, (1 / (i + 1) for i in range(9)))
    for run in runs(quarter):
        assert run(4) == 1.25
    sb.assert_same_bits(beside_a_float32, 2, 1.5)
    assert beside_a_float32(2, 1.5) == float32(2 / 3) * float32(1.5)
