"""World transforms of a scene graph: each node's 4x4 matrix times its parent's, float32."""

import numba
import numpy as np

import samebits as sb
from benchmarks.peers import Arguments, Benchmark
from samebits import float4, int32

COUNT = 8_192
FRAMES = 8


@sb.struct
class Matrix:
    """A 4x4 matrix by columns."""

    c0: float4
    c1: float4
    c2: float4
    c3: float4


@sb.kernel
def times(m: Matrix, v: float4) -> float4:
    return m.c0 * v.x + m.c1 * v.y + m.c2 * v.z + m.c3 * v.w


@sb.kernel
def transforms(
    world: sb.Array[Matrix], local: sb.ReadOnly[Matrix], parents: sb.ReadOnly[int32], frames: int
) -> None:
    for _ in range(frames):
        for i in range(1, len(world)):
            parent = world[parents[i]]
            here = local[i]
            c0 = times(parent, here.c0)
            c1 = times(parent, here.c1)
            c2 = times(parent, here.c2)
            c3 = times(parent, here.c3)
            there = world[i]
            there.c0 = c0
            there.c1 = c1
            there.c2 = c2
            there.c3 = c3


C = """
#include <stdint.h>
typedef struct { float m[4][4]; } matrix; /* by columns */

static void compose(matrix *restrict world, const matrix *restrict local,
                    const int32_t *restrict parents, int64_t n) {
    for (int64_t i = 1; i < n; i++) {
        const matrix *a = &world[parents[i]], *b = &local[i];
        matrix product;
        for (int column = 0; column < 4; column++) {
            for (int row = 0; row < 4; row++) {
                product.m[column][row] = a->m[0][row] * b->m[column][0] +
                                         a->m[1][row] * b->m[column][1] +
                                         a->m[2][row] * b->m[column][2] +
                                         a->m[3][row] * b->m[column][3];
            }
        }
        world[i] = product;
    }
}

void transforms(matrix *world, const matrix *local, const int32_t *parents, int64_t frames,
                int64_t n) {
    for (int64_t frame = 0; frame < frames; frame++) compose(world, local, parents, n);
}
"""


@numba.njit(fastmath=True)
def numba_compose(world, local, parents):
    for i in range(1, len(world)):
        m, here, there = world[parents[i]], local[i], world[i]
        a0, a1, a2, a3 = m[0, 0], m[0, 1], m[0, 2], m[0, 3]
        b0, b1, b2, b3 = m[1, 0], m[1, 1], m[1, 2], m[1, 3]
        c0, c1, c2, c3 = m[2, 0], m[2, 1], m[2, 2], m[2, 3]
        d0, d1, d2, d3 = m[3, 0], m[3, 1], m[3, 2], m[3, 3]
        for k in range(4):
            x, y, z, w = here[k, 0], here[k, 1], here[k, 2], here[k, 3]
            there[k, 0] = a0 * x + b0 * y + c0 * z + d0 * w
            there[k, 1] = a1 * x + b1 * y + c1 * z + d1 * w
            there[k, 2] = a2 * x + b2 * y + c2 * z + d2 * w
            there[k, 3] = a3 * x + b3 * y + c3 * z + d3 * w


def numba_transforms(world, local, parents, frames):
    for _ in range(frames):
        numba_compose(world, local, parents)


def arguments() -> Arguments:
    """A random tree of rotations: the products stay bounded at any depth."""
    random = np.random.default_rng(3)
    rotations = np.linalg.qr(random.standard_normal((COUNT, 4, 4)))[0].astype(np.float32)
    local = np.zeros(COUNT, Matrix.dtype)
    for column in range(4):
        local[f"c{column}"] = rotations[:, column]
    parents = np.maximum(np.arange(COUNT, dtype=np.int32) - random.integers(1, 64, COUNT), 0)
    return (local.copy(), local, parents.astype(np.int32), FRAMES)


def as_matrices(arguments: Arguments) -> Arguments:
    """The same memory as arrays of shape (n, 4, 4), for Numba."""
    world, local, parents, frames = arguments
    return (
        world.view(np.float32).reshape(-1, 4, 4),
        local.view(np.float32).reshape(-1, 4, 4),
        parents,
        frames,
    )


BENCHMARK = Benchmark(
    name="transforms",
    title="4x4 transforms",
    kernel=transforms,
    c=C,
    numba=numba_transforms,
    numba_view=as_matrices,
    arguments=arguments,
    lengths=lambda a: (len(a[0]),),
)
