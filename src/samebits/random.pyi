"""Random numbers that are the same on every machine: `from samebits import random`. Written by `python -m tools.stubs`."""

from typing import TypeVar

from samebits.typed.dimensions import Array
from samebits.typed.kernels import Struct, kernel, struct
from samebits.typed.values import (
    float2,
    float3,
    float4,
    float32,
    float64,
    int32,
    int64,
    uint2,
    uint4,
    uint32,
    uint64,
)

T = TypeVar("T")

@struct
class Random(Struct):
    """A stream of random words: Philox-4x32-10 of a counter, so that any place is reached at once.

    Made by `random.seeded`. Two streams of one seed, or of two seeds, have nothing in common. The
    fields are state like any other: saved, hashed, rolled back, copied with `.copy()`.
    """

    key: uint2
    stream: uint2
    position: uint64
    words: uint4
    def fill(self) -> None:
        """Make the words of the block at `position`."""
    def skip(self, count: uint64) -> None:
        """Leave out `count` words, 0 to 2^64 - 1, in constant time."""
    def next_uint32(self) -> uint32:
        """32 random bits. One word."""
    def next_uint64(self) -> uint64:
        """64 random bits, the first word the high one. Two words."""
    def next_bool(self) -> bool:
        """True as often as not. One word."""
    def next_float32(self) -> float32:
        """A multiple of 2^-24 in [0, 1). One word."""
    def next_float64(self) -> float64:
        """A multiple of 2^-53 in [0, 1). Two words."""
    def next_below(self, bound: uint32) -> uint32:
        """0 … bound - 1, each as likely; traps at 0. One word, rarely more."""
    def next_below64(self, bound: uint64) -> uint64:
        """0 … bound - 1, each as likely; traps at 0. Two words, rarely more."""
    def next_int32(self, low: int32, high: int32) -> int32:
        """low … high - 1, each as likely; traps unless low < high. One word, rarely more."""
    def next_int64(self, low: int64, high: int64) -> int64:
        """low … high - 1, each as likely; traps unless low < high. Two words, rarely more."""
    def next_between(self, low: float32, high: float32) -> float32:
        """low + (high - low)·u, u in [0, 1): in [low, high], `high` by rounding only. One word."""
    def next_direction2(self) -> float2:
        """A vector of length 1 of the plane, each direction as likely. One word."""
    def next_direction3(self) -> float3:
        """A vector of length 1 of space, each direction as likely. Two words."""
    def next_rotation(self) -> float4:
        """A unit quaternion (x, y, z, w), each rotation as likely. Three words.

        K. Shoemake, "Uniform random rotations", Graphics Gems III, 1992.
        """
    def next_normal32(self) -> float32:
        """Normal with mean 0 and variance 1, within ±6.67. Two words.

        G. Box and M. Muller, "A note on the generation of random normal deviates", Annals of
        Mathematical Statistics 29(2), 1958, in float64 and rounded.
        """
    def next_normal64(self) -> float64:
        """Normal with mean 0 and variance 1, within ±8.58, by the same formula. Four words."""
    def next_exponential(self) -> float64:
        """-log(1 - u), u in [0, 1): exponential with mean 1. Two words."""

@kernel
def philox4x32(counter: uint4, key: uint2) -> uint4:
    """128 random bits that depend on `counter` and `key` alone; any two inputs are unrelated.

    Philox-4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3",
    SC11, as in Random123, cuRAND, PyTorch and TensorFlow; passes BigCrush. Put the seed in `key`,
    and what tells draws apart (object, frame, number of the draw) in `counter`. Not for secrets.
    """

@kernel
def seeded(seed: uint64, stream: uint64) -> Random:
    """The generator of a seed at its stream's first word."""

@kernel
def shuffle(source: Random, x: Array[T]) -> None:
    """Put numbers or vectors in random order, each order as likely. At least len(x) - 1 words.

    Fisher and Yates' method from the last element down, as in D. Knuth, "The Art of Computer
    Programming" 2, algorithm 3.4.2P. Traps for 2^32 elements or more.
    """

@kernel
def uniform_float32(bits: uint32) -> float32:
    """The top 24 bits as a multiple of 2^-24 in [0, 1 - 2^-24]."""

@kernel
def uniform_float64(high: uint32, low: uint32) -> float64:
    """53 bits, all of `high` and the top 21 of `low`, as a multiple of 2^-53 in [0, 1 - 2^-53]."""

@kernel
def xorshift32(state: uint32) -> uint32:
    """The state after `state`, which is the output too; never 0, from a state that must not be 0.

    The triple 13, 17, 5 of Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8(14), 2003;
    period 2³² - 1. Quick and small, but weak: it fails BigCrush, where `philox4x32` passes. Traps
    "assert" at 0, from which it would never come away.
    """
