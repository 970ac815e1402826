"""Philox-4x32-10, the counter-based generator: four random words from four words and a key."""

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.values.scalars import uint32, uint64
from samebits.lang.values.vectors import uint2, uint4

# Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11, section 3.3. The
# multipliers are theirs; the key moves on by the golden ratio and √3 - 1, times 2³².
MULTIPLIER_X = 0xD251_1F53
MULTIPLIER_Z = 0xCD9E_8D57
WEYL = uint2(0x9E37_79B9, 0xBB67_AE85)
ROUNDS = 10


@kernel
def philox4x32(counter: uint4, key: uint2) -> uint4:
    """128 random bits that depend on `counter` and `key` alone; any two inputs are unrelated.

    Philox-4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3",
    SC11, as in Random123, cuRAND, PyTorch and TensorFlow; passes BigCrush. Put the seed in `key`,
    and what tells draws apart (object, frame, number of the draw) in `counter`. Not for secrets.
    """
    c = counter
    k = key
    for _ in range(ROUNDS):
        p = uint64(c.x) * MULTIPLIER_X
        q = uint64(c.z) * MULTIPLIER_Z
        c = uint4(uint32(q >> 32) ^ c.y ^ k.x, uint32(q), uint32(p >> 32) ^ c.w ^ k.y, uint32(p))
        k = k + WEYL
    return c
