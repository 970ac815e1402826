"""Kernels whose parallel ranges are given out in batches of sizes that divide nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

import samebits as sb
from samebits import float2, float32, float64, int8, int64, math, uint16
from samebits.lang.kernel import Kernel

BATCHES = (1, 7, 64, 1000, 4999)


def with_batch(batch: int) -> Kernel:
    """A kernel whose parallel range has this batch."""

    @sb.kernel
    def iterations(x: sb.Array[float32], p: sb.Array[sb.float3]):
        for i in sb.prange(len(x), batch=batch):
            x[i] = x[i] * float32(1.5) + math.sin(p[i].y)
            if i % 3 == 0:
                continue
            p[i] += sb.float3(1, x[i], 2)

    return iterations


@sb.kernel
def in_order(x: sb.Array[float32], p: sb.Array[sb.float3]):
    for i in range(len(x)):
        x[i] = x[i] * float32(1.5) + math.sin(p[i].y)
        if i % 3 == 0:
            continue
        p[i] += sb.float3(1, x[i], 2)


VALUES: tuple[Any, ...] = (
    True, np.int8(-5), np.uint16(65535), np.int64(-(1 << 40)), -7, 0.1, np.float32(0.5),
    sb.float2(3, 4),
)  # fmt: skip
AS_FLOATS = (1.0, -5.0, 65535.0, -float(1 << 40), -7.0, 0.1, 0.5, 3.0 + 4.0)


@sb.kernel
def every_type(
    a: bool,
    b: int8,
    c: uint16,
    d: int64,
    e: int,
    f: float,
    g: float32,
    h: float2,
    out: sb.Array[float64, 2],
):
    for i in sb.prange(out.shape[0], batch=11):
        iteration = float64(i)
        out[i, 0] = iteration + (1.0 if a else 0.0)
        out[i, 1] = iteration + float64(b)
        out[i, 2] = iteration + float64(c)
        out[i, 3] = iteration + float64(d)
        out[i, 4] = iteration + float64(e)
        out[i, 5] = iteration + f
        out[i, 6] = iteration + float64(g)
        out[i, 7] = iteration + float64(h.x + h.y)


@sb.kernel
def row(values: sb.Array[float32]):
    for j in sb.prange(len(values), batch=5):
        values[j] = math.exp(values[j]) + float32(j)


@sb.kernel
def outer_rows(a: sb.Array[float32, 2]):
    for i in sb.prange(a.shape[0], batch=3):
        row(a[i])


@sb.kernel
def local_partials(y: sb.Array[float32]) -> float32:
    parts = sb.zeros(64, float32)
    for i in sb.prange(64, batch=5):
        for j in range(len(y)):
            parts[i] += y[j] * float32(i)
    return math.sum(parts)


@sb.kernel
def long_iterations(y: sb.Array[float32]):
    for i in sb.prange(len(y), batch=1):
        t = y[i]
        for k in range(20000):
            t = math.sin(t + float32(k))
        y[i] = t
