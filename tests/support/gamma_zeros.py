"""The zeros of the logarithm of the gamma function and their surroundings, enclosed by Arb."""

from __future__ import annotations

from collections.abc import Iterator
from math import nextafter
from typing import Any

from flint import arb


def log_gamma(x: float) -> Any:
    """ln |Γ(x)|, enclosed."""
    return abs(arb(x).gamma()).log()


def least_between(low: float, high: float) -> float:
    """Next to where |Γ| is least between two poles."""
    low, high = low + 1e-9, high - 1e-9
    while high - low > 1e-7:
        first, second = low + (high - low) / 3, high - (high - low) / 3
        if log_gamma(first) < log_gamma(second):
            high = second
        else:
            low = first
    return low


def around_zero(low: float, high: float) -> Iterator[float]:
    """The two numbers with a zero between them; where none is, the nearer to a pole."""
    positive = log_gamma(low) > 0
    while nextafter(low, high) != high:
        middle = (low + high) / 2
        if (log_gamma(middle) > 0) == positive:
            low = middle
        else:
            high = middle
    yield from (low, high)
