"""Cellular noise: the distances to the nearest two of random points, one in each cell.

S. Worley, "A cellular texture basis function", SIGGRAPH 1996. The distances are exact: cells two
steps away are searched where the nearer ones leave a doubt.
"""

# pyright: reportReturnType=false, reportOperatorIssue=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, floor, max, select, sqrt
from samebits.lang.values.scalars import float32, int32, uint32
from samebits.lang.values.vectors import float2, float3
from samebits.mathlib.noise.lattice import cell, hash_2d, hash_3d, mixed

ULP_24 = 2.0**-24
FAR = 64.0
"""More than any squared distance within the cells that are searched."""


@kernel
def fraction(h: uint32) -> float32:
    """The top 24 bits as a float in [0, 1)."""
    return float32(int32(h >> 8)) * ULP_24


@kernel
def square_2d(i: int32, j: int32, seed: uint32, x: float32, y: float32) -> float32:
    """The squared distance from the point of cell (i, j) to (x, y), counted from its corner."""
    h = hash_2d(i, j, seed)
    dx = fraction(h) - x
    dy = fraction(mixed(h)) - y
    return dx * dx + dy * dy


@kernel
def square_3d(
    i: int32, j: int32, k: int32, seed: uint32, x: float32, y: float32, z: float32
) -> float32:
    """The same in space."""
    h = hash_3d(i, j, k, seed)
    g = mixed(h)
    dx = fraction(h) - x
    dy = fraction(g) - y
    dz = fraction(mixed(g)) - z
    return dx * dx + dy * dy + dz * dz


@kernel
def cellular_2d(p: float2, seed: uint32) -> float2:
    """Distances to the nearest and the second nearest point: x ≤ y, x < 1.42; one point a cell."""
    i = cell(p.x)
    j = cell(p.y)
    x = p.x - floor(p.x)
    y = p.y - floor(p.y)
    first = FAR + (x - x) + (y - y)  # NaN where p is not finite
    second = first
    for b in range(-1, 2):
        for a in range(-1, 2):
            square = square_2d(i + int32(a), j + int32(b), seed, x - float32(a), y - float32(b))
            second = select(square < second, select(square < first, first, square), second)
            first = select(square < first, square, first)
    if second > 1.0:  # else no point two cells away, which is at least 1 away, is nearer
        for b in range(-2, 3):
            for a in range(-2, 3):
                if max(abs(a), abs(b)) == 2:
                    square = square_2d(
                        i + int32(a), j + int32(b), seed, x - float32(a), y - float32(b)
                    )
                    second = select(square < second, select(square < first, first, square), second)
                    first = select(square < first, square, first)
    return float2(sqrt(first), sqrt(second))


@kernel
def cellular_3d(p: float3, seed: uint32) -> float2:
    """Distances to the nearest and the second nearest point: x ≤ y, x < 1.74; one point a cell."""
    i = cell(p.x)
    j = cell(p.y)
    k = cell(p.z)
    x = p.x - floor(p.x)
    y = p.y - floor(p.y)
    z = p.z - floor(p.z)
    first = FAR + (x - x) + (y - y) + (z - z)  # NaN where p is not finite
    second = first
    for c in range(-1, 2):
        for b in range(-1, 2):
            for a in range(-1, 2):
                square = square_3d(
                    i + int32(a), j + int32(b), k + int32(c), seed,
                    x - float32(a), y - float32(b), z - float32(c),
                )  # fmt: skip
                second = select(square < second, select(square < first, first, square), second)
                first = select(square < first, square, first)
    if second > 1.0:  # else no point two cells away, which is at least 1 away, is nearer
        for c in range(-2, 3):
            for b in range(-2, 3):
                for a in range(-2, 3):
                    if max(max(abs(a), abs(b)), abs(c)) == 2:
                        square = square_3d(
                            i + int32(a), j + int32(b), k + int32(c), seed,
                            x - float32(a), y - float32(b), z - float32(c),
                        )  # fmt: skip
                        second = select(
                            square < second, select(square < first, first, square), second
                        )
                        first = select(square < first, square, first)
    return float2(sqrt(first), sqrt(second))
