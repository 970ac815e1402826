"""Points turned by an angle of their own each: sine and cosine, float32."""

import numba
import numpy as np

import samebits as sb
from benchmarks.peers import Arguments, Benchmark
from samebits import float2, float32, math

COUNT = 16_384


@sb.kernel
def rotate(points: sb.Array[float2], angles: sb.ReadOnly[float32]) -> None:
    for i in range(len(points)):
        p = points[i]
        c = math.cos(angles[i])
        s = math.sin(angles[i])
        points[i] = float2(p.x * c - p.y * s, p.x * s + p.y * c)


@sb.kernel
def rotate_parallel(points: sb.Array[float2], angles: sb.ReadOnly[float32]) -> None:
    for i in sb.prange(len(points)):
        p = points[i]
        c = math.cos(angles[i])
        s = math.sin(angles[i])
        points[i] = float2(p.x * c - p.y * s, p.x * s + p.y * c)


C = """
#include <math.h>
#include <stdint.h>
typedef struct { float x, y; } float2;

void rotate(float2 *restrict points, const float *restrict angles, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        float2 p = points[i];
        float c = cosf(angles[i]), s = sinf(angles[i]);
        points[i].x = p.x * c - p.y * s;
        points[i].y = p.x * s + p.y * c;
    }
}
"""


def numba_rotate(points, angles):
    for i in numba.prange(len(points)):
        x, y = points[i, 0], points[i, 1]
        c = np.cos(angles[i])
        s = np.sin(angles[i])
        points[i, 0] = x * c - y * s
        points[i, 1] = x * s + y * c


def arguments(count: int = COUNT) -> Arguments:
    random = np.random.default_rng(6)
    points = random.standard_normal((count, 2), np.float32)
    angles = random.uniform(-10, 10, count).astype(np.float32)
    return (points, angles)


BENCHMARK = Benchmark(
    name="rotate",
    title="sin/cos rotation",
    kernel=rotate,
    parallel=rotate_parallel,
    c=C,
    numba=numba_rotate,
    arguments=arguments,
    heavy=lambda: arguments(8_388_608),
    lengths=lambda a: (len(a[0]),),
    exact=False,
    reason="the C library's sinf and cosf are not correctly rounded",
    numba_goal=2.5,
)
