"""The forward pass of a small neural network: three layers of float32 dot products and ReLUs."""

from itertools import pairwise

import numba
import numpy as np

import samebits as sb
from benchmarks.peers import Arguments, Benchmark
from samebits import float32

BATCH = 16
SIZES = (128, 96, 64, 10)

Matrix = sb.ReadOnly[float32, 2]
Row = sb.ReadOnly[float32]


@sb.kernel
def layer(x: Matrix, w: Matrix, bias: Row, out: sb.Array[float32, 2]) -> None:
    """`w` has a row for each output."""
    for b in range(x.shape[0]):
        for j in range(w.shape[0]):
            total = bias[j]
            for i in range(w.shape[1]):
                total += w[j, i] * x[b, i]
            out[b, j] = max(total, 0.0)


@sb.kernel
def neural_network(
    x: Matrix, w1: Matrix, b1: Row, w2: Matrix, b2: Row, w3: Matrix, b3: Row,
    first: sb.Array[float32, 2], second: sb.Array[float32, 2], out: sb.Array[float32, 2],
) -> None:  # fmt: skip
    layer(x, w1, b1, first)
    layer(first, w2, b2, second)
    layer(second, w3, b3, out)


C = """
#include <stdint.h>

static void layer(const float *x, const float *w, const float *bias, float *out, int64_t batch,
                  int64_t in, int64_t units) {
    for (int64_t b = 0; b < batch; b++) {
        for (int64_t j = 0; j < units; j++) {
            float total = bias[j];
            for (int64_t i = 0; i < in; i++) total += w[j * in + i] * x[b * in + i];
            out[b * units + j] = total > 0 ? total : 0;
        }
    }
}

void neural_network(const float *x, const float *w1, const float *b1, const float *w2,
                    const float *b2, const float *w3, const float *b3, float *first,
                    float *second, float *out, int64_t batch, int64_t in, int64_t n1,
                    int64_t n2, int64_t n3) {
    layer(x, w1, b1, first, batch, in, n1);
    layer(first, w2, b2, second, batch, n1, n2);
    layer(second, w3, b3, out, batch, n2, n3);
}
"""


@numba.njit(fastmath=True)
def numba_layer(x, w, bias, out):
    for b in range(x.shape[0]):
        for j in range(w.shape[0]):
            total = bias[j]
            for i in range(w.shape[1]):
                total += w[j, i] * x[b, i]
            out[b, j] = max(total, np.float32(0))


def numba_neural_network(x, w1, b1, w2, b2, w3, b3, first, second, out):
    numba_layer(x, w1, b1, first)
    numba_layer(first, w2, b2, second)
    numba_layer(second, w3, b3, out)


def arguments(batch: int = BATCH) -> Arguments:
    random = np.random.default_rng(24)
    found: list[np.ndarray] = [random.random((batch, SIZES[0]), np.float32)]
    for before, after in pairwise(SIZES):
        found.append((random.standard_normal((after, before)) / before**0.5).astype(np.float32))
        found.append(random.standard_normal(after).astype(np.float32))
    return (*found, *(np.zeros((batch, size), np.float32) for size in SIZES[1:]))


BENCHMARK = Benchmark(
    name="neural_network",
    title="neural network",
    kernel=neural_network,
    c=C,
    numba=numba_neural_network,
    arguments=arguments,
    lengths=lambda a: (len(a[0]), *SIZES),
)
