"""Parallel ranges that count, and ones that take long."""

from __future__ import annotations

import samebits as sb
from samebits import int64


@sb.kernel
def count(out: sb.Array[int64]):
    for i in sb.prange(len(out), batch=1):
        out[i] += int64(1)


@sb.kernel
def burn(out: sb.Array[int64], times: int):
    for i in sb.prange(len(out), batch=1):
        x = out[i]
        for _ in range(times):
            x = x * int64(6364136223846793005) + int64(1442695040888963407)
        out[i] = x
