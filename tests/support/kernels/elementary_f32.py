"""One kernel that runs every float32 elementary function of one argument on each input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import samebits as sb
from samebits import Array, ReadOnly, float32, math

NAMES = [
    "exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p",
    "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "cbrt", "rsqrt",
]  # fmt: skip


@sb.kernel
def elementary(x: ReadOnly[float32], result: Array[float32]) -> None:
    """Each function in the order of NAMES, sixteen results an input."""
    for i in range(len(x)):
        v = x[i]
        result[16 * i] = math.exp(v)
        result[16 * i + 1] = math.exp2(v)
        result[16 * i + 2] = math.exp10(v)
        result[16 * i + 3] = math.expm1(v)
        result[16 * i + 4] = math.log(v)
        result[16 * i + 5] = math.log2(v)
        result[16 * i + 6] = math.log10(v)
        result[16 * i + 7] = math.log1p(v)
        result[16 * i + 8] = math.sinh(v)
        result[16 * i + 9] = math.cosh(v)
        result[16 * i + 10] = math.tanh(v)
        result[16 * i + 11] = math.asinh(v)
        result[16 * i + 12] = math.acosh(v)
        result[16 * i + 13] = math.atanh(v)
        result[16 * i + 14] = math.cbrt(v)
        result[16 * i + 15] = math.rsqrt(v)


def every(run: Callable[..., Any], x: Any) -> Any:
    """Results by function and input."""
    found = np.empty(16 * len(x), np.float32)
    run(x, found)
    return found.reshape(len(x), 16).T.copy()
