"""The Benchmarks Game's spectral norm: products with a matrix whose entries are computed."""

import numba
import numpy as np

import samebits as sb
from benchmarks.peers import Arguments, Benchmark
from samebits import float64

SIZE = 160
STEPS = 2


@sb.kernel
def entry(i: int, j: int) -> float64:
    return 1.0 / ((i + j) * (i + j + 1) // 2 + i + 1)


@sb.kernel
def times(v: sb.ReadOnly[float64], out: sb.Array[float64]) -> None:
    for i in range(len(v)):
        total = 0.0
        for j in range(len(v)):
            total += entry(i, j) * v[j]
        out[i] = total


@sb.kernel
def transposed_times(v: sb.ReadOnly[float64], out: sb.Array[float64]) -> None:
    for i in range(len(v)):
        total = 0.0
        for j in range(len(v)):
            total += entry(j, i) * v[j]
        out[i] = total


@sb.kernel
def spectral_norm(
    u: sb.Array[float64], v: sb.Array[float64], t: sb.Array[float64], steps: int
) -> None:
    for _ in range(steps):
        times(u, t)
        transposed_times(t, v)
        times(v, t)
        transposed_times(t, u)


C = """
#include <stdint.h>

static double entry(int64_t i, int64_t j) {
    return 1.0 / (double)((i + j) * (i + j + 1) / 2 + i + 1);
}

static void times(const double *v, double *out, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        double total = 0;
        for (int64_t j = 0; j < n; j++) total += entry(i, j) * v[j];
        out[i] = total;
    }
}

static void transposed_times(const double *v, double *out, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        double total = 0;
        for (int64_t j = 0; j < n; j++) total += entry(j, i) * v[j];
        out[i] = total;
    }
}

void spectral_norm(double *u, double *v, double *t, int64_t steps, int64_t n) {
    for (int64_t step = 0; step < steps; step++) {
        times(u, t, n);
        transposed_times(t, v, n);
        times(v, t, n);
        transposed_times(t, u, n);
    }
}
"""


@numba.njit(inline="always")
def numba_entry(i, j):
    return 1.0 / ((i + j) * (i + j + 1) // 2 + i + 1)


def numba_spectral_norm(u, v, t, steps):
    n = len(u)
    for number in range(4 * steps):
        x, out = ((u, t), (t, v), (v, t), (t, u))[number % 4]
        for i in range(n):
            total = 0.0
            if number % 2 == 0:
                for j in range(n):
                    total += numba_entry(i, j) * x[j]
            else:
                for j in range(n):
                    total += numba_entry(j, i) * x[j]
            out[i] = total


def arguments(size: int = SIZE) -> Arguments:
    return (np.ones(size), np.zeros(size), np.zeros(size), STEPS)


BENCHMARK = Benchmark(
    name="spectral_norm",
    title="spectral norm",
    kernel=spectral_norm,
    c=C,
    numba=numba_spectral_norm,
    arguments=arguments,
    lengths=lambda a: (len(a[0]),),
)
