"""Shallow water by the Lax-Friedrichs scheme: a partial differential equation in three fields."""

import numba
import numpy as np

import samebits as sb
from benchmarks.peers import Arguments, Benchmark
from samebits import float32

HEIGHT, WIDTH = 96, 128
STEPS = 4

Field = sb.Array[float32, 2]
Given = sb.ReadOnly[float32, 2]


@sb.kernel
def advance(h: Given, u: Given, v: Given, h2: Field, u2: Field, v2: Field, rate: float32) -> None:
    """One step of depth `h` and discharges `u`, `v`; `rate` is half of dt / dx."""
    for y in range(1, h.shape[0] - 1):
        for x in range(1, h.shape[1] - 1):
            hw, he, hn, hs = h[y, x - 1], h[y, x + 1], h[y - 1, x], h[y + 1, x]
            uw, ue, un, us = u[y, x - 1], u[y, x + 1], u[y - 1, x], u[y + 1, x]
            vw, ve, vn, vs = v[y, x - 1], v[y, x + 1], v[y - 1, x], v[y + 1, x]
            h2[y, x] = 0.25 * (hw + he + hn + hs) - rate * (ue - uw + vs - vn)
            u_east = ue * ue / he + 4.905 * he * he
            u_west = uw * uw / hw + 4.905 * hw * hw
            u_across = us * vs / hs - un * vn / hn
            u2[y, x] = 0.25 * (uw + ue + un + us) - rate * (u_east - u_west + u_across)
            v_south = vs * vs / hs + 4.905 * hs * hs
            v_north = vn * vn / hn + 4.905 * hn * hn
            v_across = ue * ve / he - uw * vw / hw
            v2[y, x] = 0.25 * (vw + ve + vn + vs) - rate * (v_south - v_north + v_across)


@sb.kernel
def shallow_water(
    h: Field, u: Field, v: Field, h2: Field, u2: Field, v2: Field, rate: float32, steps: int
) -> None:
    for _ in range(steps):
        advance(h, u, v, h2, u2, v2, rate)
        advance(h2, u2, v2, h, u, v, rate)


C = """
#include <stdint.h>

static void advance(const float *h, const float *u, const float *v, float *h2, float *u2,
                    float *v2, float rate, int64_t height, int64_t width) {
    for (int64_t y = 1; y < height - 1; y++) {
        for (int64_t x = 1; x < width - 1; x++) {
            int64_t here = y * width + x;
            int64_t w = here - 1, e = here + 1, n = here - width, s = here + width;
            float hw = h[w], he = h[e], hn = h[n], hs = h[s];
            float uw = u[w], ue = u[e], un = u[n], us = u[s];
            float vw = v[w], ve = v[e], vn = v[n], vs = v[s];
            h2[here] = 0.25f * (hw + he + hn + hs) - rate * (ue - uw + vs - vn);
            float u_east = ue * ue / he + 4.905f * he * he;
            float u_west = uw * uw / hw + 4.905f * hw * hw;
            float u_across = us * vs / hs - un * vn / hn;
            u2[here] = 0.25f * (uw + ue + un + us) - rate * (u_east - u_west + u_across);
            float v_south = vs * vs / hs + 4.905f * hs * hs;
            float v_north = vn * vn / hn + 4.905f * hn * hn;
            float v_across = ue * ve / he - uw * vw / hw;
            v2[here] = 0.25f * (vw + ve + vn + vs) - rate * (v_south - v_north + v_across);
        }
    }
}

void shallow_water(float *h, float *u, float *v, float *h2, float *u2, float *v2, float rate,
                   int64_t steps, int64_t height, int64_t width) {
    for (int64_t step = 0; step < steps; step++) {
        advance(h, u, v, h2, u2, v2, rate, height, width);
        advance(h2, u2, v2, h, u, v, rate, height, width);
    }
}
"""

QUARTER, HALF_G = np.float32(0.25), np.float32(4.905)


@numba.njit(fastmath=True)
def numba_advance(h, u, v, h2, u2, v2, rate):
    for y in range(1, h.shape[0] - 1):
        for x in range(1, h.shape[1] - 1):
            hw, he, hn, hs = h[y, x - 1], h[y, x + 1], h[y - 1, x], h[y + 1, x]
            uw, ue, un, us = u[y, x - 1], u[y, x + 1], u[y - 1, x], u[y + 1, x]
            vw, ve, vn, vs = v[y, x - 1], v[y, x + 1], v[y - 1, x], v[y + 1, x]
            h2[y, x] = QUARTER * (hw + he + hn + hs) - rate * (ue - uw + vs - vn)
            u_east = ue * ue / he + HALF_G * he * he
            u_west = uw * uw / hw + HALF_G * hw * hw
            u_across = us * vs / hs - un * vn / hn
            u2[y, x] = QUARTER * (uw + ue + un + us) - rate * (u_east - u_west + u_across)
            v_south = vs * vs / hs + HALF_G * hs * hs
            v_north = vn * vn / hn + HALF_G * hn * hn
            v_across = ue * ve / he - uw * vw / hw
            v2[y, x] = QUARTER * (vw + ve + vn + vs) - rate * (v_south - v_north + v_across)


def numba_shallow_water(h, u, v, h2, u2, v2, rate, steps):
    for _ in range(steps):
        numba_advance(h, u, v, h2, u2, v2, rate)
        numba_advance(h2, u2, v2, h, u, v, rate)


def arguments(height: int = HEIGHT, width: int = WIDTH) -> Arguments:
    random = np.random.default_rng(21)
    h = (1 + 0.1 * random.random((height, width))).astype(np.float32)
    u, v = (0.1 * random.standard_normal((2, height, width))).astype(np.float32)
    return (h, u.copy(), v.copy(), h.copy(), u.copy(), v.copy(), np.float32(0.05), STEPS)


BENCHMARK = Benchmark(
    name="shallow_water",
    title="shallow water",
    kernel=shallow_water,
    c=C,
    numba=numba_shallow_water,
    arguments=arguments,
    lengths=lambda a: a[0].shape,
)
