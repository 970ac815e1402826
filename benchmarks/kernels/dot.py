"""The dot product of two float64 arrays that lie in the second-level cache."""

import numba
import numpy as np

import samebits as sb
from benchmarks.fixed_shape import fixed_shape
from benchmarks.peers import Arguments, Benchmark
from samebits import float64, math

COUNT = 20_000
ROUNDS = 16


@sb.kernel
def product(x: sb.Array[float64], y: sb.ReadOnly[float64], out: sb.Array[float64]) -> None:
    for r in range(len(out)):
        x[r] += 1
        out[r] = math.dot(x, y)


@sb.kernel
def product_plain(x: sb.Array[float64], y: sb.ReadOnly[float64], out: sb.Array[float64]) -> None:
    for r in range(len(out)):
        x[r] += 1
        acc = float64(0)
        for i in range(len(x)):
            acc += x[i] * y[i]
        out[r] = acc


C = (
    "#include <stdint.h>\n"
    + fixed_shape("in_shape", "double", "x[i] * y[i]", "const double *x, const double *y", "x, y")
    + """
void dot(double *x, const double *y, double *out, int64_t n, int64_t rounds) {
    for (int64_t r = 0; r < rounds; r++) {
        x[r] += 1;
        out[r] = in_shape(x, y, n);
    }
}
"""
)

C_FAST = """
#include <stdint.h>

void dot(double *restrict x, const double *restrict y, double *restrict out, int64_t n,
         int64_t rounds) {
    for (int64_t r = 0; r < rounds; r++) {
        x[r] += 1;
        double acc = 0;
        for (int64_t i = 0; i < n; i++) acc += x[i] * y[i];
        out[r] = acc;
    }
}
"""


def numba_dot(x, y, out):
    for r in range(len(out)):
        x[r] += 1.0
        acc = 0.0
        for i in numba.prange(len(x)):
            acc += x[i] * y[i]
        out[r] = acc


def arguments(count: int = COUNT) -> Arguments:
    random = np.random.default_rng(9)
    return (random.standard_normal(count), random.standard_normal(count), np.zeros(ROUNDS))


BENCHMARK = Benchmark(
    name="dot",
    title="dot product, float64",
    kernel=product,
    plain=product_plain,
    c=C,
    c_fast=C_FAST,
    numba=numba_dot,
    arguments=arguments,
    lengths=lambda a: (len(a[0]), len(a[2])),
)
