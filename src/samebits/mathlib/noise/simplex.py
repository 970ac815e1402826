"""Simplex noise: gradients at the corners of a lattice of triangles or tetrahedra.

S. Gustavson, "Simplex noise demystified", 2005, with the radius r² = ½ at which nothing of a corner
reaches across a cell's border, so that the noise and its first two derivatives are continuous.
"""

# pyright: reportReturnType=false, reportOperatorIssue=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import floor, max
from samebits.lang.values.scalars import float32, int32, uint32
from samebits.lang.values.vectors import float2, float3
from samebits.mathlib.noise.lattice import cell, hash_2d, hash_3d, slope_2d, slope_3d

# (√3 - 1)/2 and (3 - √3)/6: from squares to pairs of triangles and back.
SKEW_2D = 0.36602542
UNSKEW_2D = 0.21132487
# 1/3 and 1/6, for cubes and tetrahedra.
SKEW_3D = 1.0 / 3.0
UNSKEW_3D = 1.0 / 6.0

# 1 over the largest sum of corners in a cell (tools/math/noise_range.py).
SCALE_2D = 70.148
SCALE_3D = 76.886


@kernel
def corner_2d(h: uint32, x: float32, y: float32) -> float32:
    """What a corner contributes at distance (x, y)."""
    t = max(0.5 - x * x - y * y, 0.0)
    t = t * t
    return t * t * slope_2d(h, x, y)


@kernel
def corner_3d(h: uint32, x: float32, y: float32, z: float32) -> float32:
    """What a corner contributes at distance (x, y, z)."""
    t = max(0.5 - x * x - y * y - z * z, 0.0)
    t = t * t
    return t * t * slope_3d(h, x, y, z)


@kernel
def simplex_2d(p: float2, seed: uint32) -> float32:
    """Gradient noise in [-1, 1] on triangles; features of a size near 1."""
    skew = (p.x + p.y) * SKEW_2D
    i = cell(p.x + skew)
    j = cell(p.y + skew)
    column = floor(p.x + skew)
    row = floor(p.y + skew)
    back = (column + row) * UNSKEW_2D
    x = p.x - (column - back)
    y = p.y - (row - back)
    right = int32(x > y)
    up = 1 - right
    x1 = x - float32(right) + UNSKEW_2D
    y1 = y - float32(up) + UNSKEW_2D
    x2 = x - 1.0 + 2.0 * UNSKEW_2D
    y2 = y - 1.0 + 2.0 * UNSKEW_2D
    total = corner_2d(hash_2d(i, j, seed), x, y)
    total += corner_2d(hash_2d(i + right, j + up, seed), x1, y1)
    total += corner_2d(hash_2d(i + 1, j + 1, seed), x2, y2)
    return total * SCALE_2D


@kernel
def simplex_3d(p: float3, seed: uint32) -> float32:
    """Gradient noise in [-1, 1] on tetrahedra; features of a size near 1."""
    skew = (p.x + p.y + p.z) * SKEW_3D
    i = cell(p.x + skew)
    j = cell(p.y + skew)
    k = cell(p.z + skew)
    a = floor(p.x + skew)
    b = floor(p.y + skew)
    c = floor(p.z + skew)
    back = (a + b + c) * UNSKEW_3D
    x = p.x - (a - back)
    y = p.y - (b - back)
    z = p.z - (c - back)
    # The axis with the greatest offset is stepped along first, that with the least last.
    x_over_y = int32(x >= y)
    y_over_z = int32(y >= z)
    x_over_z = int32(x >= z)
    i1 = x_over_y & x_over_z
    j1 = (1 - x_over_y) & y_over_z
    k1 = (1 - x_over_z) & (1 - y_over_z)
    i2 = x_over_y | x_over_z
    j2 = (1 - x_over_y) | y_over_z
    k2 = (1 - x_over_z) | (1 - y_over_z)
    x1 = x - float32(i1) + UNSKEW_3D
    y1 = y - float32(j1) + UNSKEW_3D
    z1 = z - float32(k1) + UNSKEW_3D
    x2 = x - float32(i2) + 2.0 * UNSKEW_3D
    y2 = y - float32(j2) + 2.0 * UNSKEW_3D
    z2 = z - float32(k2) + 2.0 * UNSKEW_3D
    x3 = x - 1.0 + 3.0 * UNSKEW_3D
    y3 = y - 1.0 + 3.0 * UNSKEW_3D
    z3 = z - 1.0 + 3.0 * UNSKEW_3D
    total = corner_3d(hash_3d(i, j, k, seed), x, y, z)
    total += corner_3d(hash_3d(i + i1, j + j1, k + k1, seed), x1, y1, z1)
    total += corner_3d(hash_3d(i + i2, j + j2, k + k2, seed), x2, y2, z2)
    total += corner_3d(hash_3d(i + 1, j + 1, k + 1, seed), x3, y3, z3)
    return total * SCALE_3D
