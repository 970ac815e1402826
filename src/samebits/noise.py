"""Noise for terrain, textures and motion, the same bits on every machine: `samebits.noise`.

All are kernels of a point and a seed, in float32, without state: the lattice has cells of size 1
and repeats after 2³² of them. Beyond |p| = 2²³ a float32 has no fraction left, and noise is flat.
"""

from samebits.mathlib.noise.cellular import cellular_2d, cellular_3d
from samebits.mathlib.noise.perlin import perlin_2d, perlin_3d
from samebits.mathlib.noise.simplex import simplex_2d, simplex_3d

__all__ = ["cellular_2d", "cellular_3d", "perlin_2d", "perlin_3d", "simplex_2d", "simplex_3d"]
