"""Statistics of a column whose bits hang on its values and their order alone.

Sums have the fixed shape of `samebits.math.sum`; quantiles come from a sort of bit patterns.
"""
# pyright: reportArgumentType=false, reportReturnType=false

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samebits import math
from samebits.errors import ArgumentError
from samebits.lang.decorators import kernel
from samebits.lang.memory.arrays import ReadOnly
from samebits.lang.signal_safe import keeps_flags
from samebits.lang.values.scalars import float64

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True, slots=True)
class Summary:
    """Statistics of float64 numbers. `variance` is that of a sample, divided by count - 1, and NaN
    of fewer than two; all but `count` are NaN of none. With a NaN among them all are NaN."""

    count: int
    mean: float
    variance: float
    least: float
    greatest: float
    quantiles: tuple[float, ...]


@kernel
def _moments(x: ReadOnly[float64]) -> tuple[float64, float64]:
    """The mean, and the sum of the squares of what is off it."""
    return math.mean(x), math.variance(x) * float64(len(x))


@keeps_flags
def summary(values: object, quantiles: Sequence[float] = QUANTILES) -> Summary:
    """Statistics of a sequence of numbers, as float64, in its order; the quantiles are Hyndman and
    Fan's seventh kind, NumPy's `linear`, of shares from 0 to 1. Raises ArgumentError."""
    for share in quantiles:
        if not 0.0 <= share <= 1.0:
            raise ArgumentError(f"a quantile of {share!r:.40}", fix="give shares from 0 to 1")
    try:
        x: NDArray[np.float64] = np.ascontiguousarray(values, np.float64)
    except (TypeError, ValueError):
        x = np.zeros((0, 0))
    if x.ndim != 1:
        raise ArgumentError("the values are no sequence of numbers")
    nan = float("nan")
    if not len(x) or np.isnan(x).any():
        return Summary(len(x), nan, nan, nan, nan, (nan,) * len(quantiles))
    mean, squares = _moments(x)
    ordered = _ordered(x)
    return Summary(
        len(x), float(mean), float(squares) / (len(x) - 1) if len(x) > 1 else nan,
        float(ordered[0]), float(ordered[-1]), tuple(_quantile(ordered, q) for q in quantiles),
    )  # fmt: skip


def _ordered(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """The numbers in order, -0 before +0."""
    bits = x.view(np.int64)
    flipped = bits ^ ((bits >> 63) & np.int64(2**63 - 1))
    flipped.sort()
    return (flipped ^ ((flipped >> 63) & np.int64(2**63 - 1))).view(np.float64)


def _quantile(ordered: NDArray[np.float64], share: float) -> float:
    place = share * (len(ordered) - 1)
    below = int(place)
    low = float(ordered[below])
    if below + 1 == len(ordered) or place == below:
        return low
    high = float(ordered[below + 1])
    part = place - below
    return low * (1.0 - part) + high * part
