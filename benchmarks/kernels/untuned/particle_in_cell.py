"""A step of a particle-in-cell code in two dimensions: scatter charge, relax the field, push."""

import numba
import numpy as np

import samebits as sb
from benchmarks.peers import Arguments, Benchmark
from samebits import float64

COUNT, CELLS = 4096, 32
SWEEPS = 4

Given = sb.ReadOnly[float64]
Column = sb.Array[float64]
Grid = sb.Array[float64, 2]


@sb.kernel
def deposit(px: Given, py: Given, charge: Grid) -> None:
    """Each particle's charge on the four nodes around it, by area."""
    for y in range(charge.shape[0]):
        for x in range(charge.shape[1]):
            charge[y, x] = 0.0
    for i in range(len(px)):
        x, y = int(px[i]), int(py[i])
        fx, fy = px[i] - float64(x), py[i] - float64(y)
        charge[y, x] += (1.0 - fx) * (1.0 - fy)
        charge[y, x + 1] += fx * (1.0 - fy)
        charge[y + 1, x] += (1.0 - fx) * fy
        charge[y + 1, x + 1] += fx * fy


@sb.kernel
def relax(potential: sb.ReadOnly[float64, 2], charge: sb.ReadOnly[float64, 2], out: Grid) -> None:
    """One Jacobi sweep of Poisson's equation."""
    for y in range(1, out.shape[0] - 1):
        for x in range(1, out.shape[1] - 1):
            around = (
                potential[y, x - 1]
                + potential[y, x + 1]
                + potential[y - 1, x]
                + potential[y + 1, x]
            )
            out[y, x] = 0.25 * (around + charge[y, x])


@sb.kernel
def push(
    px: Column, py: Column, vx: Column, vy: Column, potential: sb.ReadOnly[float64, 2], dt: float64
) -> None:
    """Move every particle by the field at its place; the walls reflect it."""
    width, height = float64(potential.shape[1] - 2), float64(potential.shape[0] - 2)
    for i in range(len(px)):
        x, y = int(px[i]), int(py[i])
        fx, fy = px[i] - float64(x), py[i] - float64(y)
        a, b = potential[y, x], potential[y, x + 1]
        c, d = potential[y + 1, x], potential[y + 1, x + 1]
        vx[i] -= dt * ((b - a) * (1.0 - fy) + (d - c) * fy)
        vy[i] -= dt * ((c - a) * (1.0 - fx) + (d - b) * fx)
        px[i] += dt * vx[i]
        py[i] += dt * vy[i]
        if px[i] < 1.0 or px[i] >= width:
            vx[i] = -vx[i]
            px[i] = 1.0 if px[i] < 1.0 else width - 0.5
        if py[i] < 1.0 or py[i] >= height:
            vy[i] = -vy[i]
            py[i] = 1.0 if py[i] < 1.0 else height - 0.5


@sb.kernel
def particle_in_cell(
    px: Column, py: Column, vx: Column, vy: Column, charge: Grid, a: Grid, b: Grid, dt: float64,
    sweeps: int,
) -> None:  # fmt: skip
    deposit(px, py, charge)
    for _ in range(sweeps):
        relax(a, charge, b)
        relax(b, charge, a)
    push(px, py, vx, vy, a, dt)


C = """
#include <stdint.h>

static void deposit(const double *px, const double *py, double *charge, int64_t n, int64_t side) {
    for (int64_t k = 0; k < side * side; k++) charge[k] = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t x = (int64_t)px[i], y = (int64_t)py[i];
        double fx = px[i] - (double)x, fy = py[i] - (double)y;
        double *at = charge + y * side + x;
        at[0] += (1 - fx) * (1 - fy);
        at[1] += fx * (1 - fy);
        at[side] += (1 - fx) * fy;
        at[side + 1] += fx * fy;
    }
}

static void relax(const double *potential, const double *charge, double *out, int64_t side) {
    for (int64_t y = 1; y < side - 1; y++) {
        for (int64_t x = 1; x < side - 1; x++) {
            const double *at = potential + y * side + x;
            double around = at[-1] + at[1] + at[-side] + at[side];
            out[y * side + x] = 0.25 * (around + charge[y * side + x]);
        }
    }
}

static void push(double *px, double *py, double *vx, double *vy, const double *potential,
                 double dt, int64_t n, int64_t side) {
    double width = (double)(side - 2), height = (double)(side - 2);
    for (int64_t i = 0; i < n; i++) {
        int64_t x = (int64_t)px[i], y = (int64_t)py[i];
        double fx = px[i] - (double)x, fy = py[i] - (double)y;
        const double *at = potential + y * side + x;
        double a = at[0], b = at[1], c = at[side], d = at[side + 1];
        vx[i] -= dt * ((b - a) * (1 - fy) + (d - c) * fy);
        vy[i] -= dt * ((c - a) * (1 - fx) + (d - b) * fx);
        px[i] += dt * vx[i];
        py[i] += dt * vy[i];
        if (px[i] < 1 || px[i] >= width) {
            vx[i] = -vx[i];
            px[i] = px[i] < 1 ? 1 : width - 0.5;
        }
        if (py[i] < 1 || py[i] >= height) {
            vy[i] = -vy[i];
            py[i] = py[i] < 1 ? 1 : height - 0.5;
        }
    }
}

void particle_in_cell(double *px, double *py, double *vx, double *vy, double *charge, double *a,
                      double *b, double dt, int64_t sweeps, int64_t n, int64_t side) {
    deposit(px, py, charge, n, side);
    for (int64_t sweep = 0; sweep < sweeps; sweep++) {
        relax(a, charge, b, side);
        relax(b, charge, a, side);
    }
    push(px, py, vx, vy, a, dt, n, side);
}
"""


@numba.njit(fastmath=True)
def numba_relax(potential, charge, out):
    for y in range(1, out.shape[0] - 1):
        for x in range(1, out.shape[1] - 1):
            around = (
                potential[y, x - 1]
                + potential[y, x + 1]
                + potential[y - 1, x]
                + potential[y + 1, x]
            )
            out[y, x] = 0.25 * (around + charge[y, x])


def numba_particle_in_cell(px, py, vx, vy, charge, a, b, dt, sweeps):
    charge[:, :] = 0.0
    for i in range(len(px)):
        x, y = int(px[i]), int(py[i])
        fx, fy = px[i] - x, py[i] - y
        charge[y, x] += (1.0 - fx) * (1.0 - fy)
        charge[y, x + 1] += fx * (1.0 - fy)
        charge[y + 1, x] += (1.0 - fx) * fy
        charge[y + 1, x + 1] += fx * fy
    for _ in range(sweeps):
        numba_relax(a, charge, b)
        numba_relax(b, charge, a)
    width, height = float(a.shape[1] - 2), float(a.shape[0] - 2)
    for i in range(len(px)):
        x, y = int(px[i]), int(py[i])
        fx, fy = px[i] - x, py[i] - y
        p, q, r, s = a[y, x], a[y, x + 1], a[y + 1, x], a[y + 1, x + 1]
        vx[i] -= dt * ((q - p) * (1.0 - fy) + (s - r) * fy)
        vy[i] -= dt * ((r - p) * (1.0 - fx) + (s - q) * fx)
        px[i] += dt * vx[i]
        py[i] += dt * vy[i]
        if px[i] < 1.0 or px[i] >= width:
            vx[i] = -vx[i]
            px[i] = 1.0 if px[i] < 1.0 else width - 0.5
        if py[i] < 1.0 or py[i] >= height:
            vy[i] = -vy[i]
            py[i] = 1.0 if py[i] < 1.0 else height - 0.5


def arguments(count: int = COUNT, cells: int = CELLS) -> Arguments:
    random = np.random.default_rng(22)
    places = 1.5 + random.random((2, count)) * (cells - 4)
    speeds = 0.1 * random.standard_normal((2, count))
    grids = np.zeros((3, cells, cells))
    return (*map(np.copy, (*places, *speeds, *grids)), 0.01, SWEEPS)


BENCHMARK = Benchmark(
    name="particle_in_cell",
    title="particle in cell",
    kernel=particle_in_cell,
    c=C,
    numba=numba_particle_in_cell,
    arguments=arguments,
    lengths=lambda a: (len(a[0]), len(a[4])),
)
