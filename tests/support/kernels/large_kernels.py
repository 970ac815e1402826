"""Kernels and jobs with local memory, or values, that a small stack has no room for."""

from __future__ import annotations

import samebits as sb
from samebits import float64


@sb.kernel
def large(n: int) -> float64:
    local = sb.zeros(32_000, float64)
    for i in range(32_000):
        local[i] = float64(i)
    return local[n]


@sb.kernel
def many_large(out: sb.Array[float64]):
    for i in sb.prange(len(out), batch=1):
        local = sb.zeros(32_000, float64)
        for k in range(32_000):
            local[k] = float64(k)
        out[i] = local[i]


@sb.job
class Large(sb.ParallelFor):
    out: sb.Array[float64]

    def execute(self, index: sb.int32) -> None:
        local = sb.zeros(32_000, float64)
        for k in range(32_000):
            local[k] = float64(k)
        self.out[index] = local[index]


def many_values(count: int) -> str:
    """A kernel that has so many matrices at a time, which nothing but the stack can hold."""
    read = "".join(f"    v{n} = a[{n}]\n" for n in range(count))
    used = "".join(f"    r = r + v{n} * a[{n}]\n" for n in reversed(range(count)))
    return (
        "import samebits as sb\n\n@sb.kernel\n"
        "def many(a: sb.Array[sb.double4x4]) -> sb.float64:\n"
        f"{read}    for k in range(len(a)):\n        a[k] = sb.double4x4(0.5)\n"
        f"    r = a[0]\n{used}    return r.c0.x\n"
    )


@sb.kernel
def three(x: sb.ReadOnly[float64], n: int) -> float64:
    a = sb.zeros(32_768, float64)
    b = sb.zeros(32_768, float64)
    for iteration in range(3):
        c = sb.zeros(32_768, float64)
        for i in range(len(x)):
            c[i] += x[i] + float64(iteration)
            b[i] += c[i]
            a[i] += b[i]
    return a[n] + b[n]


@sb.kernel
def five() -> float64:
    a = sb.zeros(32_768, float64)
    b = sb.zeros(32_768, float64)
    c = sb.zeros(32_768, float64)
    d = sb.zeros(32_768, float64)
    e = sb.zeros(32_768, float64)
    return a[0] + b[0] + c[0] + d[0] + e[0]
