"""Perlin's gradient noise: gradients at the corners of a square or cubic lattice, faded together.

K. Perlin, "Improving noise", SIGGRAPH 2002, with a hash of the lattice point for the permutation.
"""

# pyright: reportReturnType=false, reportOperatorIssue=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import floor
from samebits.lang.values.scalars import float32, uint32
from samebits.lang.values.vectors import float2, float3
from samebits.mathlib.noise.lattice import cell, fade, hash_2d, hash_3d, slope_2d, slope_3d

SCALE_3D = 0.96492
"""1 over the largest sum of corners in a cell, 1.03635 (tools/math/noise_range.py)."""


@kernel
def between(a: float32, b: float32, t: float32) -> float32:
    """a + t·(b - a)."""
    return a + t * (b - a)


@kernel
def perlin_2d(p: float2, seed: uint32) -> float32:
    """Gradient noise in [-1, 1], 0 at every lattice point; p in cells of size 1."""
    i = cell(p.x)
    j = cell(p.y)
    x = p.x - floor(p.x)
    y = p.y - floor(p.y)
    u = fade(x)
    v = fade(y)
    low = between(
        slope_2d(hash_2d(i, j, seed), x, y), slope_2d(hash_2d(i + 1, j, seed), x - 1.0, y), u
    )
    high = between(
        slope_2d(hash_2d(i, j + 1, seed), x, y - 1.0),
        slope_2d(hash_2d(i + 1, j + 1, seed), x - 1.0, y - 1.0),
        u,
    )
    return between(low, high, v)


@kernel
def perlin_3d(p: float3, seed: uint32) -> float32:
    """Gradient noise in [-1, 1], 0 at every lattice point; p in cells of size 1."""
    i = cell(p.x)
    j = cell(p.y)
    k = cell(p.z)
    x = p.x - floor(p.x)
    y = p.y - floor(p.y)
    z = p.z - floor(p.z)
    u = fade(x)
    v = fade(y)
    near_low = between(
        slope_3d(hash_3d(i, j, k, seed), x, y, z),
        slope_3d(hash_3d(i + 1, j, k, seed), x - 1.0, y, z),
        u,
    )
    near_high = between(
        slope_3d(hash_3d(i, j + 1, k, seed), x, y - 1.0, z),
        slope_3d(hash_3d(i + 1, j + 1, k, seed), x - 1.0, y - 1.0, z),
        u,
    )
    far_low = between(
        slope_3d(hash_3d(i, j, k + 1, seed), x, y, z - 1.0),
        slope_3d(hash_3d(i + 1, j, k + 1, seed), x - 1.0, y, z - 1.0),
        u,
    )
    far_high = between(
        slope_3d(hash_3d(i, j + 1, k + 1, seed), x, y - 1.0, z - 1.0),
        slope_3d(hash_3d(i + 1, j + 1, k + 1, seed), x - 1.0, y - 1.0, z - 1.0),
        u,
    )
    near = between(near_low, near_high, v)
    far = between(far_low, far_high, v)
    return between(near, far, fade(z)) * SCALE_3D
