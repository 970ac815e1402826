"""A lattice-Boltzmann fluid (D2Q9, single relaxation time) in a box that closes on itself."""

import numba
import numpy as np

import samebits as sb
from benchmarks.peers import Arguments, Benchmark
from samebits import float64

HEIGHT, WIDTH = 48, 64
STEPS = 2

DX = (0, 1, 0, -1, 0, 1, -1, -1, 1)
DY = (0, 0, 1, 0, -1, 1, 1, -1, -1)
SHARES = (4 / 9, *(1 / 9,) * 4, *(1 / 36,) * 4)

X, Y = sb.table(DX, sb.int64), sb.table(DY, sb.int64)
SHARE = sb.table(SHARES, float64)


@sb.kernel
def stream_and_collide(
    f: sb.ReadOnly[float64, 3], out: sb.Array[float64, 3], omega: float64
) -> None:
    height, width = f.shape[1], f.shape[2]
    here = sb.zeros(9, float64)
    for y in range(height):
        for x in range(width):
            rho, ux, uy = 0.0, 0.0, 0.0
            for k in range(9):
                fk = f[k, (y - Y[k] + height) % height, (x - X[k] + width) % width]
                here[k] = fk
                rho += fk
                ux += float64(X[k]) * fk
                uy += float64(Y[k]) * fk
            ux /= rho
            uy /= rho
            square = 1.5 * (ux * ux + uy * uy)
            for k in range(9):
                along = 3.0 * (float64(X[k]) * ux + float64(Y[k]) * uy)
                rest = SHARE[k] * rho * (1.0 + along + 0.5 * along * along - square)
                out[k, y, x] = here[k] + omega * (rest - here[k])


@sb.kernel
def lattice_boltzmann(
    a: sb.Array[float64, 3], b: sb.Array[float64, 3], omega: float64, steps: int
) -> None:
    for _ in range(steps):
        stream_and_collide(a, b, omega)
        stream_and_collide(b, a, omega)


C = """
#include <stdint.h>

static const int64_t X[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static const int64_t Y[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const double SHARE[9] = {4.0 / 9, 1.0 / 9, 1.0 / 9, 1.0 / 9, 1.0 / 9,
                                1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36};

static void stream_and_collide(const double *f, double *out, double omega, int64_t height,
                               int64_t width) {
    double here[9];
    for (int64_t y = 0; y < height; y++) {
        for (int64_t x = 0; x < width; x++) {
            double rho = 0, ux = 0, uy = 0;
            for (int64_t k = 0; k < 9; k++) {
                int64_t from_y = (y - Y[k] + height) % height, from_x = (x - X[k] + width) % width;
                double fk = f[(k * height + from_y) * width + from_x];
                here[k] = fk;
                rho += fk;
                ux += (double)X[k] * fk;
                uy += (double)Y[k] * fk;
            }
            ux /= rho;
            uy /= rho;
            double square = 1.5 * (ux * ux + uy * uy);
            for (int64_t k = 0; k < 9; k++) {
                double along = 3.0 * ((double)X[k] * ux + (double)Y[k] * uy);
                double rest = SHARE[k] * rho * (1.0 + along + 0.5 * along * along - square);
                out[(k * height + y) * width + x] = here[k] + omega * (rest - here[k]);
            }
        }
    }
}

void lattice_boltzmann(double *a, double *b, double omega, int64_t steps, int64_t height,
                       int64_t width) {
    for (int64_t step = 0; step < steps; step++) {
        stream_and_collide(a, b, omega, height, width);
        stream_and_collide(b, a, omega, height, width);
    }
}
"""


@numba.njit(fastmath=True)
def numba_stream_and_collide(f, out, omega):
    height, width = f.shape[1], f.shape[2]
    here = np.zeros(9)
    for y in range(height):
        for x in range(width):
            rho, ux, uy = 0.0, 0.0, 0.0
            for k in range(9):
                fk = f[k, (y - DY[k] + height) % height, (x - DX[k] + width) % width]
                here[k] = fk
                rho += fk
                ux += DX[k] * fk
                uy += DY[k] * fk
            ux /= rho
            uy /= rho
            square = 1.5 * (ux * ux + uy * uy)
            for k in range(9):
                along = 3.0 * (DX[k] * ux + DY[k] * uy)
                rest = SHARES[k] * rho * (1.0 + along + 0.5 * along * along - square)
                out[k, y, x] = here[k] + omega * (rest - here[k])


def numba_lattice_boltzmann(a, b, omega, steps):
    for _ in range(steps):
        numba_stream_and_collide(a, b, omega)
        numba_stream_and_collide(b, a, omega)


def arguments(height: int = HEIGHT, width: int = WIDTH) -> Arguments:
    noise = 1 + 0.05 * np.random.default_rng(23).random((9, height, width))
    f = np.array(SHARES)[:, None, None] * noise
    return (f, np.zeros_like(f), 1.2, STEPS)


BENCHMARK = Benchmark(
    name="lattice_boltzmann",
    title="lattice Boltzmann",
    kernel=lattice_boltzmann,
    c=C,
    numba=numba_lattice_boltzmann,
    arguments=arguments,
    lengths=lambda a: a[0].shape[1:],
)
