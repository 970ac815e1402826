"""Noise for terrain, textures and motion, the same bits on every machine: `samebits.noise`. Written by `python -m tools.stubs`."""

from typing import TypeVar

from samebits.typed.kernels import kernel
from samebits.typed.values import (
    float2,
    float3,
    float32,
    uint32,
)

T = TypeVar("T")

@kernel
def cellular_2d(p: float2, seed: uint32) -> float2:
    """Distances to the nearest and the second nearest point: x ≤ y, x < 1.42; one point a cell."""

@kernel
def cellular_3d(p: float3, seed: uint32) -> float2:
    """Distances to the nearest and the second nearest point: x ≤ y, x < 1.74; one point a cell."""

@kernel
def perlin_2d(p: float2, seed: uint32) -> float32:
    """Gradient noise in [-1, 1], 0 at every lattice point; p in cells of size 1."""

@kernel
def perlin_3d(p: float3, seed: uint32) -> float32:
    """Gradient noise in [-1, 1], 0 at every lattice point; p in cells of size 1."""

@kernel
def simplex_2d(p: float2, seed: uint32) -> float32:
    """Gradient noise in [-1, 1] on triangles; features of a size near 1."""

@kernel
def simplex_3d(p: float3, seed: uint32) -> float32:
    """Gradient noise in [-1, 1] on tetrahedra; features of a size near 1."""
