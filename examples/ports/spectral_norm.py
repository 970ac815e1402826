"""Spectral norm of the Benchmarks Game: of a corner of an infinite matrix, by the power method."""

import samebits as sb
from samebits import float64, math


@sb.kernel
def entry(i: int, j: int) -> float64:
    return 1.0 / ((i + j) * (i + j + 1) // 2 + i + 1)


@sb.kernel
def times(v: sb.ReadOnly[float64], out: sb.Array[float64]) -> None:
    for i in range(len(v)):
        out[i] = 0
        for j, x in enumerate(v):
            out[i] += entry(i, j) * x


@sb.kernel
def transposed_times(v: sb.ReadOnly[float64], out: sb.Array[float64]) -> None:
    for i in range(len(v)):
        out[i] = 0
        for j, x in enumerate(v):
            out[i] += entry(j, i) * x


@sb.kernel
def spectral_norm(u: sb.Array[float64], v: sb.Array[float64], t: sb.Array[float64]) -> float64:
    """The norm by ten steps of the power method from `u`, all ones; `v` and `t` are overwritten."""
    for _ in range(10):
        times(u, t)
        transposed_times(t, v)
        times(v, t)
        transposed_times(t, u)
    above = below = 0.0
    for i in range(len(u)):
        above += u[i] * v[i]
        below += v[i] ** 2
    return math.sqrt(above / below)
