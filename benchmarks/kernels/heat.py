"""Explicit steps of the heat equation: the five-point stencil in float32."""

import numba
import numpy as np

import samebits as sb
from benchmarks.peers import Arguments, Benchmark
from samebits import float32

HEIGHT, WIDTH = 192, 256
STEPS = 16


@sb.kernel
def diffuse(old: sb.ReadOnly[float32, 2], new: sb.Array[float32, 2], rate: float32) -> None:
    for y in range(1, old.shape[0] - 1):
        for x in range(1, old.shape[1] - 1):
            here = old[y, x]
            around = old[y - 1, x] + old[y + 1, x] + old[y, x - 1] + old[y, x + 1]
            new[y, x] = here + rate * (around - 4.0 * here)


@sb.kernel
def diffuse_parallel(
    old: sb.ReadOnly[float32, 2], new: sb.Array[float32, 2], rate: float32
) -> None:
    for y in sb.prange(1, old.shape[0] - 1):
        for x in range(1, old.shape[1] - 1):
            here = old[y, x]
            around = old[y - 1, x] + old[y + 1, x] + old[y, x - 1] + old[y, x + 1]
            new[y, x] = here + rate * (around - 4.0 * here)


@sb.kernel
def heat(a: sb.Array[float32, 2], b: sb.Array[float32, 2], rate: float32, steps: int) -> None:
    for _ in range(steps):
        diffuse(a, b, rate)
        diffuse(b, a, rate)


@sb.kernel
def heat_parallel(
    a: sb.Array[float32, 2], b: sb.Array[float32, 2], rate: float32, steps: int
) -> None:
    for _ in range(steps):
        diffuse_parallel(a, b, rate)
        diffuse_parallel(b, a, rate)


C = """
#include <stdint.h>

static void diffuse(const float *old, float *new, float rate, int64_t height, int64_t width) {
    for (int64_t y = 1; y < height - 1; y++) {
        const float *up = old + (y - 1) * width, *row = up + width, *down = row + width;
        for (int64_t x = 1; x < width - 1; x++) {
            float around = up[x] + down[x] + row[x - 1] + row[x + 1];
            new[y * width + x] = row[x] + rate * (around - 4.0f * row[x]);
        }
    }
}

void heat(float *a, float *b, float rate, int64_t steps, int64_t height, int64_t width) {
    for (int64_t step = 0; step < steps; step++) {
        diffuse(a, b, rate, height, width);
        diffuse(b, a, rate, height, width);
    }
}
"""


def numba_heat(a, b, rate, steps):
    for number in range(2 * steps):
        old, new = (a, b) if number % 2 == 0 else (b, a)
        for y in numba.prange(1, old.shape[0] - 1):
            for x in range(1, old.shape[1] - 1):
                here = old[y, x]
                around = old[y - 1, x] + old[y + 1, x] + old[y, x - 1] + old[y, x + 1]
                new[y, x] = here + rate * (around - np.float32(4) * here)


def arguments(height: int = HEIGHT, width: int = WIDTH) -> Arguments:
    old = np.random.default_rng(5).random((height, width), np.float32)
    return (old, np.zeros_like(old), np.float32(0.2), STEPS)


BENCHMARK = Benchmark(
    name="heat",
    title="heat stencil",
    kernel=heat,
    parallel=heat_parallel,
    c=C,
    numba=numba_heat,
    arguments=arguments,
    heavy=lambda: arguments(384, 512),
    lengths=lambda a: a[0].shape,
)
