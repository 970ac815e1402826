"""A cloth of springs held at its border: each point is pulled by its eight neighbours, float32."""

import numba
import numpy as np

import samebits as sb
from benchmarks.peers import Arguments, Benchmark
from samebits import float3, float32, math

HEIGHT, WIDTH = 96, 128
STEPS = 2
STIFFNESS = 400.0
DAMPING = 0.6
GRAVITY = -9.81
SIDE = 1.0
DIAGONAL = 1.4142135623730951


@sb.kernel
def pull(here: float3, there: float3, rest: float32) -> float3:
    d = there - here
    return d * (STIFFNESS * (1.0 - rest / math.length(d)))


@sb.kernel
def step(
    old: sb.ReadOnly[float3, 2],
    new: sb.Array[float3, 2],
    velocities: sb.Array[float3, 2],
    dt: float32,
) -> None:
    for y in range(1, old.shape[0] - 1):
        for x in range(1, old.shape[1] - 1):
            p = old[y, x]
            force = float3(0, 0, GRAVITY) - velocities[y, x] * DAMPING
            force += pull(p, old[y - 1, x - 1], DIAGONAL)
            force += pull(p, old[y - 1, x], SIDE)
            force += pull(p, old[y - 1, x + 1], DIAGONAL)
            force += pull(p, old[y, x - 1], SIDE)
            force += pull(p, old[y, x + 1], SIDE)
            force += pull(p, old[y + 1, x - 1], DIAGONAL)
            force += pull(p, old[y + 1, x], SIDE)
            force += pull(p, old[y + 1, x + 1], DIAGONAL)
            v = velocities[y, x] + force * dt
            velocities[y, x] = v
            new[y, x] = p + v * dt


@sb.kernel
def step_parallel(
    old: sb.ReadOnly[float3, 2],
    new: sb.Array[float3, 2],
    velocities: sb.Array[float3, 2],
    dt: float32,
) -> None:
    for y in sb.prange(1, old.shape[0] - 1):
        for x in range(1, old.shape[1] - 1):
            p = old[y, x]
            force = float3(0, 0, GRAVITY) - velocities[y, x] * DAMPING
            force += pull(p, old[y - 1, x - 1], DIAGONAL)
            force += pull(p, old[y - 1, x], SIDE)
            force += pull(p, old[y - 1, x + 1], DIAGONAL)
            force += pull(p, old[y, x - 1], SIDE)
            force += pull(p, old[y, x + 1], SIDE)
            force += pull(p, old[y + 1, x - 1], DIAGONAL)
            force += pull(p, old[y + 1, x], SIDE)
            force += pull(p, old[y + 1, x + 1], DIAGONAL)
            v = velocities[y, x] + force * dt
            velocities[y, x] = v
            new[y, x] = p + v * dt


@sb.kernel
def cloth(
    a: sb.Array[float3, 2],
    b: sb.Array[float3, 2],
    velocities: sb.Array[float3, 2],
    dt: float32,
    steps: int,
) -> None:
    for _ in range(steps):
        step(a, b, velocities, dt)
        step(b, a, velocities, dt)


@sb.kernel
def cloth_parallel(
    a: sb.Array[float3, 2],
    b: sb.Array[float3, 2],
    velocities: sb.Array[float3, 2],
    dt: float32,
    steps: int,
) -> None:
    for _ in range(steps):
        step_parallel(a, b, velocities, dt)
        step_parallel(b, a, velocities, dt)


C = """
#include <math.h>
#include <stdint.h>
typedef struct { float x, y, z; } float3;

static inline void pull(float *force, float px, float py, float pz, const float3 *there,
                        float rest) {
    float dx = there->x - px, dy = there->y - py, dz = there->z - pz;
    float k = 400.0f * (1.0f - rest / sqrtf(dx * dx + dy * dy + dz * dz));
    force[0] += dx * k;
    force[1] += dy * k;
    force[2] += dz * k;
}

static void step(const float3 *restrict old, float3 *restrict new, float3 *restrict velocities,
                 float dt, int64_t height, int64_t width) {
    const float side = 1.0f, diagonal = 1.4142135623730951f;
    for (int64_t y = 1; y < height - 1; y++) {
        const float3 *up = old + (y - 1) * width, *row = up + width, *down = row + width;
        float3 *v = velocities + y * width, *to = new + y * width;
        for (int64_t x = 1; x < width - 1; x++) {
            float px = row[x].x, py = row[x].y, pz = row[x].z;
            float f[3] = {0.0f - v[x].x * 0.6f, 0.0f - v[x].y * 0.6f, -9.81f - v[x].z * 0.6f};
            pull(f, px, py, pz, &up[x - 1], diagonal);
            pull(f, px, py, pz, &up[x], side);
            pull(f, px, py, pz, &up[x + 1], diagonal);
            pull(f, px, py, pz, &row[x - 1], side);
            pull(f, px, py, pz, &row[x + 1], side);
            pull(f, px, py, pz, &down[x - 1], diagonal);
            pull(f, px, py, pz, &down[x], side);
            pull(f, px, py, pz, &down[x + 1], diagonal);
            v[x].x += f[0] * dt;
            v[x].y += f[1] * dt;
            v[x].z += f[2] * dt;
            to[x].x = px + v[x].x * dt;
            to[x].y = py + v[x].y * dt;
            to[x].z = pz + v[x].z * dt;
        }
    }
}

void cloth(float3 *restrict a, float3 *restrict b, float3 *restrict velocities, float dt,
           int64_t steps, int64_t height, int64_t width) {
    for (int64_t i = 0; i < steps; i++) {
        step(a, b, velocities, dt, height, width);
        step(b, a, velocities, dt, height, width);
    }
}
"""

F = np.float32
ZERO, ONE, STIFFNESS_32, DAMPING_32, GRAVITY_32, SIDE_32, DIAGONAL_32 = map(
    F, (0, 1, STIFFNESS, DAMPING, GRAVITY, SIDE, DIAGONAL)
)


@numba.njit(fastmath=True, inline="always")
def numba_pull(fx, fy, fz, old, y, x, j, i, rest):
    dx = old[j, i, 0] - old[y, x, 0]
    dy = old[j, i, 1] - old[y, x, 1]
    dz = old[j, i, 2] - old[y, x, 2]
    k = STIFFNESS_32 * (ONE - rest / np.sqrt(dx * dx + dy * dy + dz * dz))
    return fx + dx * k, fy + dy * k, fz + dz * k


def numba_cloth(a, b, velocities, dt, steps):
    for number in range(2 * steps):
        old, new = (a, b) if number % 2 == 0 else (b, a)
        for y in numba.prange(1, old.shape[0] - 1):
            for x in range(1, old.shape[1] - 1):
                vx, vy, vz = velocities[y, x, 0], velocities[y, x, 1], velocities[y, x, 2]
                fx = ZERO - vx * DAMPING_32
                fy = ZERO - vy * DAMPING_32
                fz = GRAVITY_32 - vz * DAMPING_32
                fx, fy, fz = numba_pull(fx, fy, fz, old, y, x, y - 1, x - 1, DIAGONAL_32)
                fx, fy, fz = numba_pull(fx, fy, fz, old, y, x, y - 1, x, SIDE_32)
                fx, fy, fz = numba_pull(fx, fy, fz, old, y, x, y - 1, x + 1, DIAGONAL_32)
                fx, fy, fz = numba_pull(fx, fy, fz, old, y, x, y, x - 1, SIDE_32)
                fx, fy, fz = numba_pull(fx, fy, fz, old, y, x, y, x + 1, SIDE_32)
                fx, fy, fz = numba_pull(fx, fy, fz, old, y, x, y + 1, x - 1, DIAGONAL_32)
                fx, fy, fz = numba_pull(fx, fy, fz, old, y, x, y + 1, x, SIDE_32)
                fx, fy, fz = numba_pull(fx, fy, fz, old, y, x, y + 1, x + 1, DIAGONAL_32)
                vx += fx * dt
                vy += fy * dt
                vz += fz * dt
                velocities[y, x, 0] = vx
                velocities[y, x, 1] = vy
                velocities[y, x, 2] = vz
                new[y, x, 0] = old[y, x, 0] + vx * dt
                new[y, x, 1] = old[y, x, 1] + vy * dt
                new[y, x, 2] = old[y, x, 2] + vz * dt


def arguments(height: int = HEIGHT, width: int = WIDTH) -> Arguments:
    random = np.random.default_rng(13)
    rows, columns = np.mgrid[0:height, 0:width].astype(np.float32)
    points = np.stack([columns, rows, random.uniform(-0.1, 0.1, rows.shape)], axis=-1)
    points = points.astype(np.float32)
    return (points, points.copy(), np.zeros_like(points), np.float32(1 / 240), STEPS)


BENCHMARK = Benchmark(
    name="cloth",
    title="spring cloth",
    kernel=cloth,
    parallel=cloth_parallel,
    c=C,
    numba=numba_cloth,
    arguments=arguments,
    heavy=lambda: arguments(768, 1_024),
    lengths=lambda a: a[0].shape[:2],
)
