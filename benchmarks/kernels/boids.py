"""Reynolds's boids (SIGGRAPH 1987): separation, alignment, cohesion over all pairs of a flock."""

import numba
import numpy as np

import samebits as sb
from benchmarks.peers import Arguments, Benchmark
from samebits import float2, float32, math

COUNT = 384
SIGHT = 0.15
NEAR = 0.04
COHESION = 0.6
ALIGNMENT = 1.1
SEPARATION = 5.0
CRUISE = 0.3


@sb.kernel
def boids(
    positions: sb.Array[float2],
    velocities: sb.Array[float2],
    turned: sb.Array[float2],
    dt: float32,
) -> None:
    for i in range(len(positions)):
        here = positions[i]
        toward = float2(0, 0)
        heading = float2(0, 0)
        away = float2(0, 0)
        seen = float32(0)
        for j in range(len(positions)):
            d = positions[j] - here
            square = math.dot(d, d)
            if square < SIGHT * SIGHT:
                toward += d
                heading += velocities[j]
                seen += 1
                if square < NEAR * NEAR:
                    away -= d
        v = velocities[i]
        pull = toward * (COHESION / seen) + (heading / seen - v) * ALIGNMENT + away * SEPARATION
        v += pull * dt
        turned[i] = v * (CRUISE / math.length(v))
    for i in range(len(positions)):
        velocities[i] = turned[i]
        positions[i] += turned[i] * dt


@sb.kernel
def boids_parallel(
    positions: sb.Array[float2],
    velocities: sb.Array[float2],
    turned: sb.Array[float2],
    dt: float32,
) -> None:
    for i in sb.prange(len(positions)):
        here = positions[i]
        toward = float2(0, 0)
        heading = float2(0, 0)
        away = float2(0, 0)
        seen = float32(0)
        for j in range(len(positions)):
            d = positions[j] - here
            square = math.dot(d, d)
            if square < SIGHT * SIGHT:
                toward += d
                heading += velocities[j]
                seen += 1
                if square < NEAR * NEAR:
                    away -= d
        v = velocities[i]
        pull = toward * (COHESION / seen) + (heading / seen - v) * ALIGNMENT + away * SEPARATION
        v += pull * dt
        turned[i] = v * (CRUISE / math.length(v))
    for i in sb.prange(len(positions)):
        velocities[i] = turned[i]
        positions[i] += turned[i] * dt


C = """
#include <math.h>
#include <stdint.h>
typedef struct { float x, y; } float2;

void boids(float2 *restrict positions, float2 *restrict velocities, float2 *restrict turned,
           float dt, int64_t n) {
    const float sight = (float)(0.15 * 0.15), near = (float)(0.04 * 0.04);
    for (int64_t i = 0; i < n; i++) {
        float2 here = positions[i], toward = {0, 0}, heading = {0, 0}, away = {0, 0};
        float seen = 0;
        for (int64_t j = 0; j < n; j++) {
            float dx = positions[j].x - here.x, dy = positions[j].y - here.y;
            float square = dx * dx + dy * dy;
            if (square < sight) {
                toward.x += dx;
                toward.y += dy;
                heading.x += velocities[j].x;
                heading.y += velocities[j].y;
                seen += 1;
                if (square < near) {
                    away.x -= dx;
                    away.y -= dy;
                }
            }
        }
        float2 v = velocities[i];
        float cohesion = 0.6f / seen;
        float pull_x = toward.x * cohesion + (heading.x / seen - v.x) * 1.1f + away.x * 5.0f;
        float pull_y = toward.y * cohesion + (heading.y / seen - v.y) * 1.1f + away.y * 5.0f;
        v.x += pull_x * dt;
        v.y += pull_y * dt;
        float scale = 0.3f / sqrtf(v.x * v.x + v.y * v.y);
        turned[i].x = v.x * scale;
        turned[i].y = v.y * scale;
    }
    for (int64_t i = 0; i < n; i++) {
        velocities[i] = turned[i];
        positions[i].x += turned[i].x * dt;
        positions[i].y += turned[i].y * dt;
    }
}
"""

SIGHT_SQUARE = np.float32(SIGHT * SIGHT)
NEAR_SQUARE = np.float32(NEAR * NEAR)
COHESION_32, ALIGNMENT_32, SEPARATION_32, CRUISE_32 = map(
    np.float32, (COHESION, ALIGNMENT, SEPARATION, CRUISE)
)


def numba_boids(positions, velocities, turned, dt):
    zero = np.float32(0)
    for i in numba.prange(len(positions)):
        x, y = positions[i, 0], positions[i, 1]
        toward_x = toward_y = heading_x = heading_y = away_x = away_y = seen = zero
        for j in range(len(positions)):
            dx = positions[j, 0] - x
            dy = positions[j, 1] - y
            square = dx * dx + dy * dy
            if square < SIGHT_SQUARE:
                toward_x += dx
                toward_y += dy
                heading_x += velocities[j, 0]
                heading_y += velocities[j, 1]
                seen += np.float32(1)
                if square < NEAR_SQUARE:
                    away_x -= dx
                    away_y -= dy
        vx, vy = velocities[i, 0], velocities[i, 1]
        cohesion = COHESION_32 / seen
        pull_x = (
            toward_x * cohesion + (heading_x / seen - vx) * ALIGNMENT_32 + away_x * SEPARATION_32
        )
        pull_y = (
            toward_y * cohesion + (heading_y / seen - vy) * ALIGNMENT_32 + away_y * SEPARATION_32
        )
        vx += pull_x * dt
        vy += pull_y * dt
        scale = CRUISE_32 / np.sqrt(vx * vx + vy * vy)
        turned[i, 0] = vx * scale
        turned[i, 1] = vy * scale
    for i in numba.prange(len(positions)):
        for k in range(2):
            velocities[i, k] = turned[i, k]
            positions[i, k] += turned[i, k] * dt


def arguments(count: int = COUNT) -> Arguments:
    random = np.random.default_rng(2)
    positions = random.random((count, 2), np.float32)
    velocities = (random.random((count, 2), np.float32) - np.float32(0.5)) * np.float32(0.6)
    return (positions, velocities, np.zeros_like(positions), np.float32(1 / 60))


BENCHMARK = Benchmark(
    name="boids",
    title="boids, all pairs",
    kernel=boids,
    parallel=boids_parallel,
    c=C,
    numba=numba_boids,
    arguments=arguments,
    heavy=lambda: arguments(6_144),
    lengths=lambda a: (len(a[0]),),
)
