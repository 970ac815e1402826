"""What the exact phase of lgamma rests on: results next to zeros, and what its series leaves
out."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, nextafter
from typing import Any

import pytest
from flint import arb, ctx, fmpq

from samebits.mathlib.float64 import gamma_exact_f64

PRECISION = 400


def _log_gamma(x: float) -> Any:
    """ln |Γ(x)|, enclosed."""
    return abs(arb(x).gamma()).log()


def _least_between(low: float, high: float) -> float:
    """Next to where |Γ| is least between two poles."""
    low, high = low + 1e-9, high - 1e-9
    while high - low > 1e-7:
        first, second = low + (high - low) / 3, high - (high - low) / 3
        if _log_gamma(first) < _log_gamma(second):
            high = second
        else:
            low = first
    return low


def _around_zero(low: float, high: float) -> Iterator[float]:
    """The two numbers with a zero between them; where none is, the nearer to a pole."""
    positive = _log_gamma(low) > 0
    while nextafter(low, high) != high:
        middle = (low + high) / 2
        if (_log_gamma(middle) > 0) == positive:
            low = middle
        else:
            high = middle
    yield from (low, high)


@pytest.fixture(autouse=True)
def precision() -> Iterator[None]:
    before, ctx.prec = ctx.prec, PRECISION
    yield
    ctx.prec = before


def test_the_least_logarithm_of_gamma_but_0_is_2_to_the_minus_54() -> None:
    near = [nextafter(zero, to) for zero in (1.0, 2.0) for to in (0.0, inf)]
    for n in range(2, 2 * gamma_exact_f64.BASE):
        bottom = _least_between(-n - 1.0, -float(n))
        for pole in (nextafter(-n - 1.0, 0.0), nextafter(-float(n), -inf)):
            near += _around_zero(*sorted((pole, bottom)))
    least = [abs(_log_gamma(x)) for x in near]
    assert all(value > 2.0**-54 for value in least)
    assert any(value < 2.0**-53.9 for value in least)
    assert [x for x, value in zip(near, least, strict=True) if value < 2.0**-53.9] == [
        float.fromhex("-0x1.3a7fc9600f86cp+1")
    ]


def test_stirlings_series_leaves_out_less_than_is_said() -> None:
    """Of x > 0, no more than the first term that it leaves out."""
    n = gamma_exact_f64.TERMS + 1
    left = abs(arb(fmpq.bernoulli(2 * n))) / (2 * n * (2 * n - 1))
    assert left / arb(gamma_exact_f64.BASE) ** (2 * n - 1) < 2.0**-199
