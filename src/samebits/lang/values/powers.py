"""`x**n` by products, in the order that all executions share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

MOST = 1024
"""The largest exponent that a kernel may write."""
NO_POWER = (
    f"'**' takes a constant Python int from 1 to {MOST:,}, and a name before `**=`",
    "write x**2, or math.pow(x, y) where the exponent is no such constant",
)
"""The message and fix of a power that is not made of products."""


def by_products(multiply: Callable[[T, T], T], x: T, n: int) -> T:
    """`x**n`, n ≥ 1: the square of `x**(n // 2)`, times x where n is odd."""
    if n == 1:
        return x
    half = by_products(multiply, x, n // 2)
    square = multiply(half, half)
    return multiply(square, x) if n % 2 else square
