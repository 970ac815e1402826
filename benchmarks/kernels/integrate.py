"""Semi-implicit Euler on an array of float3: the loop that every particle system has."""

import numba
import numpy as np

import samebits as sb
from benchmarks.peers import Arguments, Benchmark
from samebits import float3, float32

COUNT = 16_384
STEPS = 32


@sb.kernel
def integrate(
    positions: sb.Array[float3],
    velocities: sb.Array[float3],
    forces: sb.ReadOnly[float3],
    dt: float32,
    steps: int,
) -> None:
    for _ in range(steps):
        for i in range(len(positions)):
            velocities[i] += forces[i] * dt
            positions[i] += velocities[i] * dt


@sb.kernel
def integrate_parallel(
    positions: sb.Array[float3],
    velocities: sb.Array[float3],
    forces: sb.ReadOnly[float3],
    dt: float32,
    steps: int,
) -> None:
    for _ in range(steps):
        for i in sb.prange(len(positions)):
            velocities[i] += forces[i] * dt
            positions[i] += velocities[i] * dt


C = """
#include <stdint.h>
typedef struct { float x, y, z; } float3;

void integrate(float3 *restrict positions, float3 *restrict velocities,
               const float3 *restrict forces, float dt, int64_t steps, int64_t n) {
    for (int64_t step = 0; step < steps; step++) {
        for (int64_t i = 0; i < n; i++) {
            velocities[i].x += forces[i].x * dt;
            velocities[i].y += forces[i].y * dt;
            velocities[i].z += forces[i].z * dt;
            positions[i].x += velocities[i].x * dt;
            positions[i].y += velocities[i].y * dt;
            positions[i].z += velocities[i].z * dt;
        }
    }
}
"""


def numba_integrate(positions, velocities, forces, dt, steps):
    p, v, f = positions.reshape(-1), velocities.reshape(-1), forces.reshape(-1)
    for _ in range(steps):
        for i in numba.prange(len(p)):
            v[i] += f[i] * dt
            p[i] += v[i] * dt


def arguments(count: int = COUNT) -> Arguments:
    random = np.random.default_rng(1)
    arrays = (random.standard_normal((count, 3), np.float32) for _ in range(3))
    return (*arrays, np.float32(1 / 1024), STEPS)


BENCHMARK = Benchmark(
    name="integrate",
    title="float3 integration",
    kernel=integrate,
    parallel=integrate_parallel,
    c=C,
    numba=numba_integrate,
    arguments=arguments,
    heavy=lambda: arguments(65_536),
    lengths=lambda a: (len(a[0]),),
)
