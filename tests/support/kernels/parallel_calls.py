"""Calls of the kernels with parallel ranges, none of which races."""

from __future__ import annotations

from typing import Any

import numpy as np

import samebits as sb
from samebits.lang.kernel import Kernel
from tests.support.kernels import parallel_kernels as k


def floats(*shape: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(5).uniform(-3, 3, shape).astype(np.float32)


def world() -> Any:
    make: Any = k.World
    w = make(dt=np.float32(0.25))
    for i in range(8):
        w.bodies[i].pos = sb.float3(i, 2 * i, 1)
        w.bodies[i].vel = sb.float3(1, i, -i)
        w.heat[i] = np.float32(i)
    return w


CALLS: list[tuple[Kernel, tuple[Any, ...]]] = [
    (k.saxpy, (np.float32(1.5), floats(33), floats(33))),
    (k.between, (3, 11, floats(16))),
    (k.between, (9, 2, floats(16))),
    (k.scatter, (np.arange(9, dtype=np.int32), floats(9))),
    (k.unsafe_scatter, (np.array([3, 3, 0, 8], np.int32), floats(9))),
    (k.move, (floats(20, 3), floats(20, 3) * 4, np.float32(0.5), sb.float3(1, 2, 3))),
    (k.rows, (floats(5, 7), floats(7, 5))),
    (k.nested, (floats(5, 7),)),
    (k.row_arguments, (floats(6, 3),)),
    (k.fields, (world(), floats(8))),
    (k.own_local, (floats(16),)),
    (k.twice, (floats(13),)),
    (k.mirror, (floats(9), floats(9))),
]

IDS = [kernel.__name__ for kernel, _ in CALLS]
