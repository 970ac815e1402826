"""From lattice points and a seed to random words, and from words to gradients.

The lattice is unbounded in principle: coordinates are int32 and wrap, so that noise repeats after
2³² cells. A cell number is the float's floor, saturated to int32.
"""

# pyright: reportReturnType=false, reportOperatorIssue=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import floor, select
from samebits.lang.values.scalars import float32, int32, uint32

# Odd multipliers that keep lattice directions apart: 2^32 divided by the golden ratio, and by the
# plastic number and its square, each made odd (M. Roberts' R sequences use the same constants).
STEP_X = 0x9E37_79B1
STEP_Y = 0xC13F_A9A9
STEP_Z = 0x91E1_0DA5


@kernel
def mixed(h: uint32) -> uint32:
    """A bijection of 32 bits that lets every input bit change every output bit.

    The finalizer `lowbias32` with C. Wellons' constants, "Prospecting for hash functions", 2018.
    """
    h = h ^ (h >> 16)
    h = h * 0x7FEB_352D
    h = h ^ (h >> 15)
    h = h * 0x846C_A68B
    return h ^ (h >> 16)


@kernel
def hash_2d(x: int32, y: int32, seed: uint32) -> uint32:
    """The random word of a lattice point of the plane."""
    return mixed(mixed(uint32(x) * STEP_X + seed) + uint32(y) * STEP_Y)


@kernel
def hash_3d(x: int32, y: int32, z: int32, seed: uint32) -> uint32:
    """The random word of a lattice point of space."""
    return mixed(mixed(uint32(x) * STEP_X + seed) + (uint32(y) * STEP_Y ^ uint32(z) * STEP_Z))


@kernel
def cell(x: float32) -> int32:
    """The number of the cell that x lies in."""
    return int32(floor(x))


@kernel
def fade(t: float32) -> float32:
    """6t⁵ - 15t⁴ + 10t³: 0 and 1 at the ends with no slope and no curvature (Perlin 2002)."""
    return t * t * t * (t * (t * 6.0 - 15.0) + 10.0)


@kernel
def slope_2d(h: uint32, x: float32, y: float32) -> float32:
    """The dot product of (x, y) and one of eight gradients of length √2, 45° apart."""
    a = select((h & 0x8000_0000) != 0, y, x)
    b = select((h & 0x8000_0000) != 0, x, y)
    a = select((h & 0x4000_0000) != 0, -a, a)
    b = select((h & 0x2000_0000) != 0, -b, b)
    along = a * SQRT_2
    return select((h & 0x1000_0000) != 0, a + b, along)


SQRT_2 = 1.4142135


@kernel
def slope_3d(h: uint32, x: float32, y: float32, z: float32) -> float32:
    """The dot product of (x, y, z) and a gradient towards one of a cube's twelve edges.

    As K. Perlin, "Improving noise", SIGGRAPH 2002, chooses among sixteen, four of them twice.
    """
    k = h >> 28
    u = select(k < 8, x, y)
    v = select(k < 4, y, select((k == 12) or (k == 14), x, z))
    return select((k & 1) != 0, -u, u) + select((k & 2) != 0, -v, v)
