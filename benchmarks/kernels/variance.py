"""The variance of a float32 array in two passes: the mean, then the squared deviations."""

import numba
import numpy as np

import samebits as sb
from benchmarks.fixed_shape import fixed_shape
from benchmarks.peers import Arguments, Benchmark
from samebits import float32, math

COUNT = 50_000
ROUNDS = 8


@sb.kernel
def variance(x: sb.Array[float32], out: sb.Array[float32]) -> None:
    for r in range(len(out)):
        x[r] += 1
        out[r] = math.variance(x)


@sb.kernel
def variance_plain(x: sb.Array[float32], out: sb.Array[float32]) -> None:
    for r in range(len(out)):
        x[r] += 1
        total = float32(0)
        for i in range(len(x)):
            total += x[i]
        mean = total / float32(len(x))
        squares = float32(0)
        for i in range(len(x)):
            d = x[i] - mean
            squares += d * d
        out[r] = squares / float32(len(x))


C = (
    "#include <stdint.h>\n"
    + fixed_shape("total", "float", "x[i]", "const float *x", "x")
    + fixed_shape(
        "deviations",
        "float",
        "(x[i] - mean) * (x[i] - mean)",
        "const float *x, float mean",
        "x, mean",
    )
    + """
void variance(float *restrict x, float *restrict out, int64_t n, int64_t rounds) {
    for (int64_t r = 0; r < rounds; r++) {
        x[r] += 1;
        float mean = total(x, n) / (float)n;
        out[r] = deviations(x, mean, n) / (float)n;
    }
}
"""
)

C_FAST = """
#include <stdint.h>

void variance(float *restrict x, float *restrict out, int64_t n, int64_t rounds) {
    for (int64_t r = 0; r < rounds; r++) {
        x[r] += 1;
        float total = 0;
        for (int64_t i = 0; i < n; i++) total += x[i];
        float mean = total / (float)n, squares = 0;
        for (int64_t i = 0; i < n; i++) squares += (x[i] - mean) * (x[i] - mean);
        out[r] = squares / (float)n;
    }
}
"""


def numba_variance(x, out):
    n = np.float32(len(x))
    for r in range(len(out)):
        x[r] += np.float32(1)
        total = np.float32(0)
        for i in numba.prange(len(x)):
            total += x[i]
        mean = total / n
        squares = np.float32(0)
        for i in numba.prange(len(x)):
            d = x[i] - mean
            squares += d * d
        out[r] = squares / n


def arguments() -> Arguments:
    x = np.random.default_rng(10).standard_normal(COUNT, np.float32)
    return (x, np.zeros(ROUNDS, np.float32))


BENCHMARK = Benchmark(
    name="variance",
    title="variance, float32",
    kernel=variance,
    plain=variance_plain,
    c=C,
    c_fast=C_FAST,
    numba=numba_variance,
    arguments=arguments,
    lengths=lambda a: (len(a[0]), len(a[1])),
)
