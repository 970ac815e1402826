"""Equal discs that bounce off each other, found through a uniform grid built by counting sort."""

import numba
import numpy as np

import samebits as sb
from benchmarks.peers import Arguments, Benchmark
from samebits import float2, float32, int32, math

COUNT = 2_048
SIDE = 48
"""Cells along each axis; a cell is one unit wide, as wide as a disc."""
DIAMETER = 1.0


@sb.kernel
def cell_of(p: float2) -> int32:
    column = math.min(math.max(int32(p.x), 0), SIDE - 1)
    row = math.min(math.max(int32(p.y), 0), SIDE - 1)
    return row * SIDE + column


@sb.kernel
def bounce(positions: sb.Array[float2], velocities: sb.Array[float2], i: int32, j: int32) -> None:
    d = positions[j] - positions[i]
    square = math.dot(d, d)
    if square < DIAMETER * DIAMETER and square > 0.0:
        distance = math.sqrt(square)
        normal = d / distance
        push = normal * ((DIAMETER - distance) * 0.5)
        positions[i] -= push
        positions[j] += push
        closing = math.dot(velocities[j] - velocities[i], normal)
        if closing < 0.0:
            velocities[i] += normal * closing
            velocities[j] -= normal * closing


@sb.kernel
def collisions(
    positions: sb.Array[float2],
    velocities: sb.Array[float2],
    first: sb.Array[int32],
    items: sb.Array[int32],
    dt: float32,
) -> None:
    for c in range(len(first)):
        first[c] = 0
    for i in range(len(positions)):
        positions[i] += velocities[i] * dt
        first[cell_of(positions[i])] += 1
    for c in range(1, len(first)):
        first[c] += first[c - 1]
    for i in range(len(positions)):
        cell = cell_of(positions[i])
        first[cell] -= 1
        items[first[cell]] = int32(i)
    for row in range(SIDE):
        for column in range(SIDE):
            cell = int32(row * SIDE + column)
            for a in range(first[cell], first[cell + 1]):
                for y in range(math.max(row - 1, 0), math.min(row + 2, SIDE)):
                    for x in range(math.max(column - 1, 0), math.min(column + 2, SIDE)):
                        other = y * SIDE + x
                        for b in range(first[other], first[other + 1]):
                            if items[a] < items[b]:
                                bounce(positions, velocities, items[a], items[b])


C = """
#include <math.h>
#include <stdint.h>
typedef struct { float x, y; } float2;
enum { SIDE = 48 };

static int32_t max(int32_t a, int32_t b) { return a > b ? a : b; }
static int32_t min(int32_t a, int32_t b) { return a < b ? a : b; }

static int32_t cell_of(float2 p) {
    int32_t column = min(max((int32_t)p.x, 0), SIDE - 1);
    int32_t row = min(max((int32_t)p.y, 0), SIDE - 1);
    return row * SIDE + column;
}

static void bounce(float2 *positions, float2 *velocities, int32_t i, int32_t j) {
    float dx = positions[j].x - positions[i].x, dy = positions[j].y - positions[i].y;
    float square = dx * dx + dy * dy;
    if (square < 1.0f && square > 0.0f) {
        float distance = sqrtf(square);
        float nx = dx / distance, ny = dy / distance;
        float overlap = (1.0f - distance) * 0.5f;
        float px = nx * overlap, py = ny * overlap;
        positions[i].x -= px;
        positions[i].y -= py;
        positions[j].x += px;
        positions[j].y += py;
        float closing = (velocities[j].x - velocities[i].x) * nx +
                        (velocities[j].y - velocities[i].y) * ny;
        if (closing < 0.0f) {
            velocities[i].x += nx * closing;
            velocities[i].y += ny * closing;
            velocities[j].x -= nx * closing;
            velocities[j].y -= ny * closing;
        }
    }
}

void collisions(float2 *restrict positions, float2 *restrict velocities, int32_t *restrict first,
                int32_t *restrict items, float dt, int64_t n, int64_t cells) {
    for (int64_t c = 0; c < cells; c++) first[c] = 0;
    for (int64_t i = 0; i < n; i++) {
        positions[i].x += velocities[i].x * dt;
        positions[i].y += velocities[i].y * dt;
        first[cell_of(positions[i])]++;
    }
    for (int64_t c = 1; c < cells; c++) first[c] += first[c - 1];
    for (int64_t i = 0; i < n; i++) {
        int32_t cell = cell_of(positions[i]);
        items[--first[cell]] = (int32_t)i;
    }
    for (int32_t row = 0; row < SIDE; row++) {
        for (int32_t column = 0; column < SIDE; column++) {
            int32_t cell = row * SIDE + column;
            for (int32_t a = first[cell]; a < first[cell + 1]; a++) {
                for (int32_t y = max(row - 1, 0); y < min(row + 2, SIDE); y++) {
                    for (int32_t x = max(column - 1, 0); x < min(column + 2, SIDE); x++) {
                        int32_t other = y * SIDE + x;
                        for (int32_t b = first[other]; b < first[other + 1]; b++) {
                            if (items[a] < items[b]) {
                                bounce(positions, velocities, items[a], items[b]);
                            }
                        }
                    }
                }
            }
        }
    }
}
"""

ONE, HALF, ZERO = map(np.float32, (1.0, 0.5, 0.0))


@numba.njit(fastmath=True)
def numba_cell(positions, i):
    column = min(max(int(positions[i, 0]), 0), SIDE - 1)
    row = min(max(int(positions[i, 1]), 0), SIDE - 1)
    return row * SIDE + column


@numba.njit(fastmath=True)
def numba_bounce(positions, velocities, i, j):
    dx = positions[j, 0] - positions[i, 0]
    dy = positions[j, 1] - positions[i, 1]
    square = dx * dx + dy * dy
    if square < ONE and square > ZERO:
        distance = np.sqrt(square)
        nx = dx / distance
        ny = dy / distance
        overlap = (ONE - distance) * HALF
        px = nx * overlap
        py = ny * overlap
        positions[i, 0] -= px
        positions[i, 1] -= py
        positions[j, 0] += px
        positions[j, 1] += py
        closing = (velocities[j, 0] - velocities[i, 0]) * nx
        closing += (velocities[j, 1] - velocities[i, 1]) * ny
        if closing < ZERO:
            velocities[i, 0] += nx * closing
            velocities[i, 1] += ny * closing
            velocities[j, 0] -= nx * closing
            velocities[j, 1] -= ny * closing


def numba_collisions(positions, velocities, first, items, dt):
    first[:] = 0
    for i in range(len(positions)):
        positions[i, 0] += velocities[i, 0] * dt
        positions[i, 1] += velocities[i, 1] * dt
        first[numba_cell(positions, i)] += 1
    for c in range(1, len(first)):
        first[c] += first[c - 1]
    for i in range(len(positions)):
        cell = numba_cell(positions, i)
        first[cell] -= 1
        items[first[cell]] = i
    for row in range(SIDE):
        for column in range(SIDE):
            cell = row * SIDE + column
            for a in range(first[cell], first[cell + 1]):
                for y in range(max(row - 1, 0), min(row + 2, SIDE)):
                    for x in range(max(column - 1, 0), min(column + 2, SIDE)):
                        other = y * SIDE + x
                        for b in range(first[other], first[other + 1]):
                            if items[a] < items[b]:
                                numba_bounce(positions, velocities, items[a], items[b])


def arguments() -> Arguments:
    random = np.random.default_rng(7)
    positions = random.uniform(1, SIDE - 1, (COUNT, 2)).astype(np.float32)
    velocities = random.standard_normal((COUNT, 2), np.float32)
    first = np.zeros(SIDE * SIDE + 1, np.int32)
    return (positions, velocities, first, np.zeros(COUNT, np.int32), np.float32(1 / 60))


BENCHMARK = Benchmark(
    name="collisions",
    title="grid collisions",
    kernel=collisions,
    c=C,
    numba=numba_collisions,
    arguments=arguments,
    lengths=lambda a: (len(a[0]), len(a[2])),
)
