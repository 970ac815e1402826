"""Kernels for a debugger, as a program of their own: `python debugged.py`."""

from typing import Any, Literal

import numpy as np

import samebits as sb
from samebits import float3, float64, int32

LAST: Any = [1.0, 2.0, 3.0, 4.0]


@sb.struct
class Ball:
    y: float64
    v: float64
    hits: int32
    last: sb.FixedArray[float64, Literal[4]]


@sb.kernel
def bounced(v: float64) -> float64:
    w = -v
    return w


@sb.kernel(debug_info=True)
def fall(ball: Ball, a: sb.Array[float64], dt: float64) -> float64:
    total = 0.0
    w = float3(1.0, 2.0, 3.0)
    up = False
    for i in range(3):
        ball.y = ball.y + ball.v * dt
        if ball.y < 0.0:
            ball.v = bounced(ball.v)
            up = True
        total = total + a[i]
    return total + w.x if up else total


if __name__ == "__main__":
    ball = Ball(1.0, -1.0, 7, LAST)
    print(fall(ball, np.array([1.5, 2.5, 3.5]), 0.75))
