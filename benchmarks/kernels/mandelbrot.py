"""Escape times of the Mandelbrot set in float64: a loop whose length the data decides."""

import numba
import numpy as np

import samebits as sb
from benchmarks.peers import Arguments, Benchmark
from samebits import float64, int32

HEIGHT, WIDTH = 128, 192
LIMIT = 200


@sb.kernel
def mandelbrot(
    counts: sb.Array[int32, 2], left: float64, top: float64, pixel: float64, limit: int
) -> None:
    for row in range(counts.shape[0]):
        y0 = top + float64(row) * pixel
        for column in range(counts.shape[1]):
            x0 = left + float64(column) * pixel
            x = float64(0)
            y = float64(0)
            count = 0
            while count < limit and x * x + y * y <= 4.0:
                x, y = x * x - y * y + x0, 2.0 * x * y + y0
                count += 1
            counts[row, column] = int32(count)


@sb.kernel
def mandelbrot_parallel(
    counts: sb.Array[int32, 2], left: float64, top: float64, pixel: float64, limit: int
) -> None:
    for row in sb.prange(counts.shape[0]):
        y0 = top + float64(row) * pixel
        for column in range(counts.shape[1]):
            x0 = left + float64(column) * pixel
            x = float64(0)
            y = float64(0)
            count = 0
            while count < limit and x * x + y * y <= 4.0:
                x, y = x * x - y * y + x0, 2.0 * x * y + y0
                count += 1
            counts[row, column] = int32(count)


C = """
#include <stdint.h>

void mandelbrot(int32_t *counts, double left, double top, double pixel, int64_t limit,
                int64_t height, int64_t width) {
    for (int64_t row = 0; row < height; row++) {
        double y0 = top + (double)row * pixel;
        for (int64_t column = 0; column < width; column++) {
            double x0 = left + (double)column * pixel;
            double x = 0, y = 0;
            int64_t count = 0;
            while (count < limit && x * x + y * y <= 4.0) {
                double next = x * x - y * y + x0;
                y = 2.0 * x * y + y0;
                x = next;
                count++;
            }
            counts[row * width + column] = (int32_t)count;
        }
    }
}
"""


def numba_mandelbrot(counts, left, top, pixel, limit):
    for row in numba.prange(counts.shape[0]):
        y0 = top + row * pixel
        for column in range(counts.shape[1]):
            x0 = left + column * pixel
            x = 0.0
            y = 0.0
            count = 0
            while count < limit and x * x + y * y <= 4.0:
                x, y = x * x - y * y + x0, 2.0 * x * y + y0
                count += 1
            counts[row, column] = count


def arguments(scale: int = 1) -> Arguments:
    counts = np.zeros((HEIGHT * scale, WIDTH * scale), np.int32)
    return (counts, -2.0, -1.0, 2.0 / len(counts), LIMIT)


BENCHMARK = Benchmark(
    name="mandelbrot",
    title="Mandelbrot",
    kernel=mandelbrot,
    parallel=mandelbrot_parallel,
    c=C,
    numba=numba_mandelbrot,
    arguments=arguments,
    heavy=lambda: arguments(4),
    lengths=lambda a: a[0].shape,
)
