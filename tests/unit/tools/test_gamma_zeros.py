"""What the exact phase of lgamma rests on: results next to zeros, and what its series leaves
out."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, nextafter

import pytest
from flint import arb, ctx, fmpq
from tests.support.gamma_zeros import around_zero, least_between, log_gamma

from samebits.mathlib.float64 import gamma_exact_f64

PRECISION = 400


@pytest.fixture(autouse=True)
def precision() -> Iterator[None]:
    before, ctx.prec = ctx.prec, PRECISION
    yield
    ctx.prec = before


def test_the_least_logarithm_of_gamma_but_0_is_2_to_the_minus_54() -> None:
    near = [nextafter(zero, to) for zero in (1.0, 2.0) for to in (0.0, inf)]
    for n in range(2, 2 * gamma_exact_f64.BASE):
        bottom = least_between(-n - 1.0, -float(n))
        for pole in (nextafter(-n - 1.0, 0.0), nextafter(-float(n), -inf)):
            near += around_zero(*sorted((pole, bottom)))
    least = [abs(log_gamma(x)) for x in near]
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
