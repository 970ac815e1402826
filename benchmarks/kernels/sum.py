"""The sum of a float32 array that lies in the second-level cache."""

import numba
import numpy as np

import samebits as sb
from benchmarks.fixed_shape import fixed_shape
from benchmarks.peers import Arguments, Benchmark
from samebits import float32, math

COUNT = 50_000
ROUNDS = 16


@sb.kernel
def total(x: sb.Array[float32], out: sb.Array[float32]) -> None:
    for r in range(len(out)):
        x[r] += 1
        out[r] = math.sum(x)


@sb.kernel
def total_plain(x: sb.Array[float32], out: sb.Array[float32]) -> None:
    for r in range(len(out)):
        x[r] += 1
        acc = float32(0)
        for i in range(len(x)):
            acc += x[i]
        out[r] = acc


C = (
    "#include <stdint.h>\n"
    + fixed_shape("in_shape", "float", "x[i]", "const float *x", "x")
    + """
void sum(float *x, float *out, int64_t n, int64_t rounds) {
    for (int64_t r = 0; r < rounds; r++) {
        x[r] += 1;
        out[r] = in_shape(x, n);
    }
}
"""
)

C_FAST = """
#include <stdint.h>

void sum(float *restrict x, float *restrict out, int64_t n, int64_t rounds) {
    for (int64_t r = 0; r < rounds; r++) {
        x[r] += 1;
        float acc = 0;
        for (int64_t i = 0; i < n; i++) acc += x[i];
        out[r] = acc;
    }
}
"""


def numba_sum(x, out):
    for r in range(len(out)):
        x[r] += np.float32(1)
        acc = np.float32(0)
        for i in numba.prange(len(x)):
            acc += x[i]
        out[r] = acc


def arguments(count: int = COUNT) -> Arguments:
    x = np.random.default_rng(8).standard_normal(count, np.float32)
    return (x, np.zeros(ROUNDS, np.float32))


BENCHMARK = Benchmark(
    name="sum",
    title="sum, float32",
    kernel=total,
    plain=total_plain,
    c=C,
    c_fast=C_FAST,
    numba=numba_sum,
    arguments=arguments,
    lengths=lambda a: (len(a[0]), len(a[1])),
)
