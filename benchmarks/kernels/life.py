"""Conway's Life on bytes with a border of dead cells: a stencil of integers."""

import numba
import numpy as np

import samebits as sb
from benchmarks.peers import Arguments, Benchmark
from samebits import uint8

HEIGHT, WIDTH = 256, 256
STEPS = 16


@sb.kernel
def generation(old: sb.ReadOnly[uint8, 2], new: sb.Array[uint8, 2]) -> None:
    for y in range(1, old.shape[0] - 1):
        for x in range(1, old.shape[1] - 1):
            around = (
                old[y - 1, x - 1] + old[y - 1, x] + old[y - 1, x + 1]
                + old[y, x - 1] + old[y, x + 1]
                + old[y + 1, x - 1] + old[y + 1, x] + old[y + 1, x + 1]
            )  # fmt: skip
            new[y, x] = uint8(around == 3) | (uint8(around == 2) & old[y, x])


@sb.kernel
def generation_parallel(old: sb.ReadOnly[uint8, 2], new: sb.Array[uint8, 2]) -> None:
    for y in sb.prange(1, old.shape[0] - 1):
        for x in range(1, old.shape[1] - 1):
            around = (
                old[y - 1, x - 1] + old[y - 1, x] + old[y - 1, x + 1]
                + old[y, x - 1] + old[y, x + 1]
                + old[y + 1, x - 1] + old[y + 1, x] + old[y + 1, x + 1]
            )  # fmt: skip
            new[y, x] = uint8(around == 3) | (uint8(around == 2) & old[y, x])


@sb.kernel
def life(a: sb.Array[uint8, 2], b: sb.Array[uint8, 2], steps: int) -> None:
    for _ in range(steps):
        generation(a, b)
        generation(b, a)


@sb.kernel
def life_parallel(a: sb.Array[uint8, 2], b: sb.Array[uint8, 2], steps: int) -> None:
    for _ in range(steps):
        generation_parallel(a, b)
        generation_parallel(b, a)


C = """
#include <stdint.h>

static void generation(const uint8_t *old, uint8_t *new, int64_t height, int64_t width) {
    for (int64_t y = 1; y < height - 1; y++) {
        const uint8_t *up = old + (y - 1) * width, *here = up + width, *down = here + width;
        for (int64_t x = 1; x < width - 1; x++) {
            uint8_t around = up[x - 1] + up[x] + up[x + 1] + here[x - 1] + here[x + 1] +
                             down[x - 1] + down[x] + down[x + 1];
            new[y * width + x] = (around == 3) | ((around == 2) & here[x]);
        }
    }
}

void life(uint8_t *a, uint8_t *b, int64_t steps, int64_t height, int64_t width) {
    for (int64_t step = 0; step < steps; step++) {
        generation(a, b, height, width);
        generation(b, a, height, width);
    }
}
"""


def numba_life(a, b, steps):
    for number in range(2 * steps):
        old, new = (a, b) if number % 2 == 0 else (b, a)
        for y in numba.prange(1, old.shape[0] - 1):
            for x in range(1, old.shape[1] - 1):
                around = np.uint8(
                    old[y - 1, x - 1] + old[y - 1, x] + old[y - 1, x + 1]
                    + old[y, x - 1] + old[y, x + 1]
                    + old[y + 1, x - 1] + old[y + 1, x] + old[y + 1, x + 1]
                )  # fmt: skip
                new[y, x] = np.uint8(around == 3) | (np.uint8(around == 2) & old[y, x])


def arguments(height: int = HEIGHT, width: int = WIDTH) -> Arguments:
    old = np.zeros((height, width), np.uint8)
    old[1:-1, 1:-1] = np.random.default_rng(4).random((height - 2, width - 2)) < 0.3
    return (old, np.zeros_like(old), STEPS)


BENCHMARK = Benchmark(
    name="life",
    title="cellular automaton",
    kernel=life,
    parallel=life_parallel,
    c=C,
    numba=numba_life,
    arguments=arguments,
    heavy=lambda: arguments(512, 512),
    lengths=lambda a: a[0].shape,
)
