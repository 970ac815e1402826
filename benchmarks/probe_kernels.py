"""The small kernels whose latency is measured, and their arguments."""

from typing import TypeVar

import numpy as np

import samebits as sb
from samebits import float32, math

T = TypeVar("T")


@sb.kernel
def warm_up(x: float32) -> float32:
    """Compiled first, so that the compiler is loaded."""
    return x + 1.0


@sb.kernel
def ten_lines(
    a: sb.Array[float32], b: sb.ReadOnly[float32], c: sb.ReadOnly[float32], gain: float32
) -> float32:
    total = float32(0)
    for i in range(len(a)):
        x = b[i] * gain + c[i]
        if x > 1.0:
            x = 1.0 - x * 0.5
        elif x < -1.0:
            x = -1.0 - x * 0.5
        a[i] = x
        total += x
    return total


@sb.kernel
def four_arrays(
    a: sb.Array[float32], b: sb.Array[float32], c: sb.Array[float32], d: sb.Array[float32]
) -> None:
    """As little work as can be: what is timed is the call."""
    d[0] = a[0] + b[0] + c[0]


@sb.kernel
def twenty_functions(x: sb.ReadOnly[T], out: sb.Array[T]) -> None:
    for i in range(len(out)):
        v = x[i]
        total = math.sin(v) + math.cos(v) + math.tan(v) + math.asin(v) + math.acos(v)
        total += math.atan(v) + math.sinh(v) + math.cosh(v) + math.tanh(v) + math.asinh(v)
        total += math.exp(v) + math.exp2(v) + math.exp10(v) + math.expm1(v) + math.cbrt(v)
        total += math.log(v) + math.log2(v) + math.log10(v) + math.log1p(v) + math.sinpi(v)
        out[i] = total


def arrays(count: int) -> tuple[np.ndarray, ...]:
    """`count` arrays of 64 float32."""
    return tuple(np.ones(64, np.float32) for _ in range(count))
