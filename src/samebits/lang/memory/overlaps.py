"""Overlap of an array's elements with each other, by its strides."""

from __future__ import annotations

from typing import Any

import numpy as np


def repeats(array: Any) -> bool:
    """Whether elements of an array overlap, as in the result of `np.broadcast_to`."""
    if array.flags.c_contiguous or 0 in array.shape:
        return False
    steps = sorted((abs(s), n) for s, n in zip(array.strides, array.shape, strict=True) if n > 1)
    reach = array.itemsize
    for stride, length in steps:
        if stride < reach:
            return _some_meet(array.itemsize, steps)
        reach += stride * (length - 1)
    return False


def _some_meet(size: int, steps: list[tuple[int, int]]) -> bool:
    """Whether elements overlap, by their addresses, where strides and lengths do not decide."""
    if any(stride < size for stride, _ in steps):
        return True
    places: Any = np.zeros(1, np.int64)
    for stride, length in steps:
        places = np.add.outer(places, np.arange(length) * stride).reshape(-1)
    places.sort()
    return bool((np.diff(places) < size).any())
