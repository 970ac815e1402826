"""The mean of ratios."""

import math
from collections.abc import Iterable


def geometric_mean(values: Iterable[float]) -> float:
    """The mean that does not ask which of two is the 1."""
    logarithms = [math.log(value) for value in values]
    return math.exp(sum(logarithms) / len(logarithms))
