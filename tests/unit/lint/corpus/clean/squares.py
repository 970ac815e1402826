"""Squares as products, roots as sqrt."""

import math


def length(x: float, y: float) -> float:
    return math.sqrt(x * x + y * y)
