"""The seed of an episode: made of the batch's seed, the world's index and the episode alone."""

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.values.scalars import uint32, uint64
from samebits.lang.values.vectors import uint2, uint4
from samebits.mathlib.random.philox import philox4x32


@kernel
def episode_seed(root: uint64, world: uint64, episode: uint64) -> uint64:
    """The first two words of Philox-4x32-10, the root as key, world and episode as counter."""
    counter = uint4(uint32(world), uint32(world >> 32), uint32(episode), uint32(episode >> 32))
    drawn = philox4x32(counter, uint2(uint32(root), uint32(root >> 32)))
    return uint64(drawn.x) | uint64(drawn.y) << 32
