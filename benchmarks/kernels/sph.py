"""Smoothed particle hydrodynamics in the plane (Müller et al. 2003), particles sorted by cell."""

import math as python_math

import numba
import numpy as np

import samebits as sb
from benchmarks.peers import Arguments, Benchmark
from samebits import float2, float32, int32, math

COUNT = 2_048
SIDE = 32
"""Cells along each axis; a cell is as wide as a particle sees, which is the unit of length."""
STEPS = 1
MASS = 1.0
REST = 2.0
"""Density at which there is no pressure."""
PRESSURE = 20.0
VISCOSITY = 0.4
GRAVITY = -9.81
BOUNCE = -0.5
POLY6 = 4 / python_math.pi
SPIKY = 10 / python_math.pi
LAPLACIAN = 40 / python_math.pi
"""Normalisations of Müller's kernels in two dimensions, radius 1."""


@sb.kernel
def cell_along(x: float32) -> int32:
    return math.min(math.max(int32(x), 0), SIDE - 1)


@sb.kernel
def sort_by_cell(
    positions: sb.ReadOnly[float2],
    velocities: sb.ReadOnly[float2],
    first: sb.Array[int32],
    near: sb.Array[float2],
    speeds: sb.Array[float2],
) -> None:
    for c in range(len(first)):
        first[c] = 0
    for i in range(len(positions)):
        p = positions[i]
        first[cell_along(p.y) * SIDE + cell_along(p.x)] += 1
    for c in range(1, len(first)):
        first[c] += first[c - 1]
    for i in range(len(positions)):
        p = positions[i]
        cell = cell_along(p.y) * SIDE + cell_along(p.x)
        first[cell] -= 1
        near[first[cell]] = p
        speeds[first[cell]] = velocities[i]


@sb.kernel
def density_at(p: float2, first: sb.ReadOnly[int32], near: sb.ReadOnly[float2]) -> float32:
    row = cell_along(p.y)
    column = cell_along(p.x)
    left = math.max(column - 1, 0)
    right = math.min(column + 2, SIDE)
    total = float32(0)
    for y in range(math.max(row - 1, 0), math.min(row + 2, SIDE)):
        for j in range(first[y * SIDE + left], first[y * SIDE + right]):
            d = near[j] - p
            gap = 1.0 - math.dot(d, d)
            if gap > 0:
                total += gap * gap * gap
    return total * (MASS * POLY6)


@sb.kernel
def acceleration_at(
    i: int,
    first: sb.ReadOnly[int32],
    near: sb.ReadOnly[float2],
    speeds: sb.ReadOnly[float2],
    densities: sb.ReadOnly[float32],
) -> float2:
    p = near[i]
    v = speeds[i]
    pressure = PRESSURE * (densities[i] - REST)
    row = cell_along(p.y)
    column = cell_along(p.x)
    left = math.max(column - 1, 0)
    right = math.min(column + 2, SIDE)
    push = float2(0, 0)
    drag = float2(0, 0)
    for y in range(math.max(row - 1, 0), math.min(row + 2, SIDE)):
        for j in range(first[y * SIDE + left], first[y * SIDE + right]):
            d = near[j] - p
            square = math.dot(d, d)
            if square < 1.0 and square > 0.0:
                distance = math.sqrt(square)
                gap = 1.0 - distance
                each = gap / densities[j]
                both = pressure + PRESSURE * (densities[j] - REST)
                push -= d * (both * each * gap / distance)
                drag += (speeds[j] - v) * each
    inner = push * (0.5 * MASS * SPIKY) + drag * (VISCOSITY * MASS * LAPLACIAN)
    return inner / densities[i] + float2(0, GRAVITY)


@sb.kernel
def moved(p: float2, v: float2, dt: float32) -> tuple[float2, float2]:
    """The particle's place and velocity after dt: it bounces off the walls."""
    q = p + v * dt
    vx = v.x if 0 <= q.x <= SIDE else v.x * BOUNCE
    vy = v.y if 0 <= q.y <= SIDE else v.y * BOUNCE
    return math.min(math.max(q, float2(0, 0)), float2(SIDE, SIDE)), float2(vx, vy)


@sb.kernel
def sph(
    positions: sb.Array[float2],
    velocities: sb.Array[float2],
    first: sb.Array[int32],
    near: sb.Array[float2],
    speeds: sb.Array[float2],
    densities: sb.Array[float32],
    dt: float32,
    steps: int,
) -> None:
    for _ in range(steps):
        sort_by_cell(positions, velocities, first, near, speeds)
        for i in range(len(near)):
            densities[i] = density_at(near[i], first, near)
        for i in range(len(near)):
            v = speeds[i] + acceleration_at(i, first, near, speeds, densities) * dt
            positions[i], velocities[i] = moved(near[i], v, dt)


@sb.kernel
def sph_parallel(
    positions: sb.Array[float2],
    velocities: sb.Array[float2],
    first: sb.Array[int32],
    near: sb.Array[float2],
    speeds: sb.Array[float2],
    densities: sb.Array[float32],
    dt: float32,
    steps: int,
) -> None:
    for _ in range(steps):
        sort_by_cell(positions, velocities, first, near, speeds)
        for i in sb.prange(len(near)):
            densities[i] = density_at(near[i], first, near)
        for i in sb.prange(len(near)):
            v = speeds[i] + acceleration_at(i, first, near, speeds, densities) * dt
            positions[i], velocities[i] = moved(near[i], v, dt)


C = """
#include <math.h>
#include <stdint.h>
typedef struct { float x, y; } float2;
enum { SIDE = 32 };
static const float poly6 = (float)(4 / 3.141592653589793);
static const float spiky = (float)(0.5 * (10 / 3.141592653589793));
static const float laplacian = (float)(0.4 * (40 / 3.141592653589793));

static int32_t max(int32_t a, int32_t b) { return a > b ? a : b; }
static int32_t min(int32_t a, int32_t b) { return a < b ? a : b; }
static int32_t cell_along(float x) { return min(max((int32_t)x, 0), SIDE - 1); }

static void sort_by_cell(const float2 *restrict positions, const float2 *restrict velocities,
                         int32_t *restrict first, float2 *restrict near, float2 *restrict speeds,
                         int64_t n, int64_t cells) {
    for (int64_t c = 0; c < cells; c++) first[c] = 0;
    for (int64_t i = 0; i < n; i++)
        first[cell_along(positions[i].y) * SIDE + cell_along(positions[i].x)]++;
    for (int64_t c = 1; c < cells; c++) first[c] += first[c - 1];
    for (int64_t i = 0; i < n; i++) {
        float2 p = positions[i];
        int32_t place = --first[cell_along(p.y) * SIDE + cell_along(p.x)];
        near[place] = p;
        speeds[place] = velocities[i];
    }
}

static float density_at(float2 p, const int32_t *restrict first, const float2 *restrict near) {
    int32_t row = cell_along(p.y), column = cell_along(p.x);
    int32_t left = max(column - 1, 0), right = min(column + 2, SIDE);
    float total = 0;
    for (int32_t y = max(row - 1, 0); y < min(row + 2, SIDE); y++) {
        for (int32_t j = first[y * SIDE + left]; j < first[y * SIDE + right]; j++) {
            float dx = near[j].x - p.x, dy = near[j].y - p.y;
            float gap = 1.0f - (dx * dx + dy * dy);
            if (gap > 0) total += gap * gap * gap;
        }
    }
    return total * poly6;
}

static float2 acceleration_at(int64_t i, const int32_t *restrict first,
                              const float2 *restrict near, const float2 *restrict speeds,
                              const float *restrict densities) {
    float2 p = near[i], v = speeds[i], push = {0, 0}, drag = {0, 0};
    float pressure = 20.0f * (densities[i] - 2.0f);
    int32_t row = cell_along(p.y), column = cell_along(p.x);
    int32_t left = max(column - 1, 0), right = min(column + 2, SIDE);
    for (int32_t y = max(row - 1, 0); y < min(row + 2, SIDE); y++) {
        for (int32_t j = first[y * SIDE + left]; j < first[y * SIDE + right]; j++) {
            float dx = near[j].x - p.x, dy = near[j].y - p.y, square = dx * dx + dy * dy;
            if (square < 1.0f && square > 0.0f) {
                float distance = sqrtf(square), gap = 1.0f - distance;
                float each = gap / densities[j];
                float both = pressure + 20.0f * (densities[j] - 2.0f);
                float scale = both * each * gap / distance;
                push.x -= dx * scale;
                push.y -= dy * scale;
                drag.x += (speeds[j].x - v.x) * each;
                drag.y += (speeds[j].y - v.y) * each;
            }
        }
    }
    float2 inner = {push.x * spiky + drag.x * laplacian, push.y * spiky + drag.y * laplacian};
    return (float2){inner.x / densities[i] + 0.0f, inner.y / densities[i] + -9.81f};
}

static float clamp(float x) { return x < 0.0f ? 0.0f : x > 32.0f ? 32.0f : x; }

void sph(float2 *restrict positions, float2 *restrict velocities, int32_t *restrict first,
         float2 *restrict near, float2 *restrict speeds, float *restrict densities, float dt,
         int64_t steps, int64_t n, int64_t cells) {
    for (int64_t step = 0; step < steps; step++) {
        sort_by_cell(positions, velocities, first, near, speeds, n, cells);
        for (int64_t i = 0; i < n; i++) densities[i] = density_at(near[i], first, near);
        for (int64_t i = 0; i < n; i++) {
            float2 a = acceleration_at(i, first, near, speeds, densities);
            float2 v = {speeds[i].x + a.x * dt, speeds[i].y + a.y * dt};
            float2 q = {near[i].x + v.x * dt, near[i].y + v.y * dt};
            positions[i] = (float2){clamp(q.x), clamp(q.y)};
            velocities[i].x = 0.0f <= q.x && q.x <= 32.0f ? v.x : v.x * -0.5f;
            velocities[i].y = 0.0f <= q.y && q.y <= 32.0f ? v.y : v.y * -0.5f;
        }
    }
}
"""

F = np.float32
ZERO, ONE, HALF = map(F, (0, 1, 0.5))
TOP, BOUNCE_32, GRAVITY_32, REST_32, PRESSURE_32 = map(F, (SIDE, BOUNCE, GRAVITY, REST, PRESSURE))
POLY6_32 = F(MASS * POLY6)
SPIKY_32 = F(0.5 * MASS * SPIKY)
LAPLACIAN_32 = F(VISCOSITY * MASS * LAPLACIAN)


@numba.njit(fastmath=True)
def numba_cell(x):
    return min(max(int(x), 0), SIDE - 1)


@numba.njit(fastmath=True)
def numba_sort(positions, velocities, first, near, speeds):
    first[:] = 0
    for i in range(len(positions)):
        first[numba_cell(positions[i, 1]) * SIDE + numba_cell(positions[i, 0])] += 1
    for c in range(1, len(first)):
        first[c] += first[c - 1]
    for i in range(len(positions)):
        x, y = positions[i, 0], positions[i, 1]
        cell = numba_cell(y) * SIDE + numba_cell(x)
        place = first[cell] - 1
        first[cell] = place
        near[place, 0] = x
        near[place, 1] = y
        speeds[place, 0] = velocities[i, 0]
        speeds[place, 1] = velocities[i, 1]


@numba.njit(fastmath=True)
def numba_density(i, first, near):
    px, py = near[i, 0], near[i, 1]
    row, column = numba_cell(py), numba_cell(px)
    left, right = max(column - 1, 0), min(column + 2, SIDE)
    total = ZERO
    for y in range(max(row - 1, 0), min(row + 2, SIDE)):
        for j in range(first[y * SIDE + left], first[y * SIDE + right]):
            dx = near[j, 0] - px
            dy = near[j, 1] - py
            gap = ONE - (dx * dx + dy * dy)
            if gap > ZERO:
                total += gap * gap * gap
    return total * POLY6_32


@numba.njit(fastmath=True)
def numba_acceleration(i, first, near, speeds, densities):
    px, py, vx, vy = near[i, 0], near[i, 1], speeds[i, 0], speeds[i, 1]
    pressure = PRESSURE_32 * (densities[i] - REST_32)
    row, column = numba_cell(py), numba_cell(px)
    left, right = max(column - 1, 0), min(column + 2, SIDE)
    push_x = push_y = drag_x = drag_y = ZERO
    for y in range(max(row - 1, 0), min(row + 2, SIDE)):
        for j in range(first[y * SIDE + left], first[y * SIDE + right]):
            dx = near[j, 0] - px
            dy = near[j, 1] - py
            square = dx * dx + dy * dy
            if square < ONE and square > ZERO:
                distance = np.sqrt(square)
                gap = ONE - distance
                each = gap / densities[j]
                both = pressure + PRESSURE_32 * (densities[j] - REST_32)
                scale = both * each * gap / distance
                push_x -= dx * scale
                push_y -= dy * scale
                drag_x += (speeds[j, 0] - vx) * each
                drag_y += (speeds[j, 1] - vy) * each
    return (
        (push_x * SPIKY_32 + drag_x * LAPLACIAN_32) / densities[i],
        (push_y * SPIKY_32 + drag_y * LAPLACIAN_32) / densities[i] + GRAVITY_32,
    )


def numba_sph(positions, velocities, first, near, speeds, densities, dt, steps):
    for _ in range(steps):
        numba_sort(positions, velocities, first, near, speeds)
        for i in numba.prange(len(near)):
            densities[i] = numba_density(i, first, near)
        for i in numba.prange(len(near)):
            ax, ay = numba_acceleration(i, first, near, speeds, densities)
            vx = speeds[i, 0] + ax * dt
            vy = speeds[i, 1] + ay * dt
            x = near[i, 0] + vx * dt
            y = near[i, 1] + vy * dt
            positions[i, 0] = min(max(x, ZERO), TOP)
            positions[i, 1] = min(max(y, ZERO), TOP)
            velocities[i, 0] = vx if ZERO <= x <= TOP else vx * BOUNCE_32
            velocities[i, 1] = vy if ZERO <= y <= TOP else vy * BOUNCE_32


def arguments(count: int = COUNT) -> Arguments:
    random = np.random.default_rng(14)
    positions = random.uniform(0, SIDE, (count, 2)).astype(np.float32)
    velocities = random.standard_normal((count, 2), np.float32)
    return (
        positions,
        velocities,
        np.zeros(SIDE * SIDE + 1, np.int32),
        np.zeros_like(positions),
        np.zeros_like(positions),
        np.zeros(count, np.float32),
        np.float32(1 / 500),
        STEPS,
    )


BENCHMARK = Benchmark(
    name="sph",
    title="SPH fluid",
    kernel=sph,
    parallel=sph_parallel,
    c=C,
    numba=numba_sph,
    arguments=arguments,
    heavy=lambda: arguments(32_768),
    lengths=lambda a: (len(a[0]), len(a[2])),
)
