"""Kernels are the compiler's business."""

import samebits as sb
from samebits import float32, math


@sb.kernel
def step(x: float32, v: float32) -> float32:
    if x * v == v:
        return math.sin(x)
    return x * v


@sb.kernel(precision=sb.LOW)
def wave(x: float32) -> float32:
    return math.exp(x)
