"""`Random`: a generator that is a struct, so that it lives in a simulation's state.

Owns what is drawn and how many words each draw takes, which is part of the contract.
"""

# pyright: reportReturnType=false, reportOperatorIssue=false, reportArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportAttributeAccessIssue=false, reportUnknownArgumentType=false
# pyright: reportCallIssue=false, reportIndexIssue=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from typing import TypeVar

from samebits.lang.decorators import kernel, struct
from samebits.lang.intrinsics import select, sqrt
from samebits.lang.memory.arrays import Array
from samebits.lang.values.scalars import float32, float64, int32, int64, uint32, uint64
from samebits.lang.values.vectors import float2, float3, float4, uint2, uint4
from samebits.mathlib.logarithmic import log
from samebits.mathlib.random.philox import philox4x32
from samebits.mathlib.random.ranges import scaled32, scaled64, threshold32, threshold64
from samebits.mathlib.random.uniform import uniform_float32, uniform_float64
from samebits.mathlib.trigonometric import cospi, sinpi

T = TypeVar("T")

ULP_32 = 2.0**-32
ULP_53 = 2.0**-53


@struct
class Random:
    """A stream of random words: Philox-4x32-10 of a counter, so that any place is reached at once.

    Made by `random.seeded`. Two streams of one seed, or of two seeds, have nothing in common. The
    fields are state like any other: saved, hashed, rolled back, copied with `.copy()`.
    """

    key: uint2
    stream: uint2
    position: uint64
    """Words drawn so far."""
    words: uint4
    """The four words of the block that the last draw came from."""

    def fill(self) -> None:
        """Make the words of the block at `position`."""
        block = self.position >> 2
        counter = uint4(uint32(block), uint32(block >> 32), self.stream.x, self.stream.y)
        self.words = philox4x32(counter, self.key)

    def skip(self, count: uint64) -> None:
        """Leave out `count` words, 0 to 2^64 - 1, in constant time."""
        self.position += count
        if (self.position & 3) != 0:
            self.fill()

    def next_uint32(self) -> uint32:
        """32 random bits. One word."""
        lane = self.position & 3
        if lane == 0:
            self.fill()
        self.position += 1
        low = select(lane == 0, self.words.x, self.words.y)
        high = select(lane == 2, self.words.z, self.words.w)
        return select(lane < 2, low, high)

    def next_uint64(self) -> uint64:
        """64 random bits, the first word the high one. Two words."""
        high = self.next_uint32()
        return (uint64(high) << 32) | uint64(self.next_uint32())

    def next_bool(self) -> bool:
        """True as often as not. One word."""
        return (self.next_uint32() >> 31) != 0

    def next_float32(self) -> float32:
        """A multiple of 2^-24 in [0, 1). One word."""
        return uniform_float32(self.next_uint32())

    def next_float64(self) -> float64:
        """A multiple of 2^-53 in [0, 1). Two words."""
        high = self.next_uint32()
        return uniform_float64(high, self.next_uint32())

    def next_below(self, bound: uint32) -> uint32:
        """0 … bound - 1, each as likely; traps at 0. One word, rarely more."""
        assert bound > 0, "next_below(0): there is no number below 0"
        result, low = scaled32(self.next_uint32(), bound)
        if low < bound:
            again = threshold32(bound)
            while low < again:
                result, low = scaled32(self.next_uint32(), bound)
        return result

    def next_below64(self, bound: uint64) -> uint64:
        """0 … bound - 1, each as likely; traps at 0. Two words, rarely more."""
        assert bound > 0, "next_below64(0): there is no number below 0"
        result, low = scaled64(self.next_uint64(), bound)
        if low < bound:
            again = threshold64(bound)
            while low < again:
                result, low = scaled64(self.next_uint64(), bound)
        return result

    def next_int32(self, low: int32, high: int32) -> int32:
        """low … high - 1, each as likely; traps unless low < high. One word, rarely more."""
        assert low < high, "next_int32(low, high) needs low < high"
        return low + int32(self.next_below(uint32(high) - uint32(low)))

    def next_int64(self, low: int64, high: int64) -> int64:
        """low … high - 1, each as likely; traps unless low < high. Two words, rarely more."""
        assert low < high, "next_int64(low, high) needs low < high"
        return low + int64(self.next_below64(uint64(high) - uint64(low)))

    def next_between(self, low: float32, high: float32) -> float32:
        """low + (high - low)·u, u in [0, 1): in [low, high], `high` by rounding only. One word."""
        return low + (high - low) * self.next_float32()

    def next_direction2(self) -> float2:
        """A vector of length 1 of the plane, each direction as likely. One word."""
        turn = self.next_float32() * 2.0
        return float2(cospi(turn), sinpi(turn))

    def next_direction3(self) -> float3:
        """A vector of length 1 of space, each direction as likely. Two words."""
        z = 1.0 - 2.0 * self.next_float32()
        turn = self.next_float32() * 2.0
        r = sqrt(1.0 - z * z)
        return float3(r * cospi(turn), r * sinpi(turn), z)

    def next_rotation(self) -> float4:
        """A unit quaternion (x, y, z, w), each rotation as likely. Three words.

        K. Shoemake, "Uniform random rotations", Graphics Gems III, 1992.
        """
        u = self.next_float32()
        a = self.next_float32() * 2.0
        b = self.next_float32() * 2.0
        p = sqrt(1.0 - u)
        q = sqrt(u)
        return float4(p * sinpi(a), p * cospi(a), q * sinpi(b), q * cospi(b))

    def next_normal32(self) -> float32:
        """Normal with mean 0 and variance 1, within ±6.67. Two words.

        G. Box and M. Muller, "A note on the generation of random normal deviates", Annals of
        Mathematical Statistics 29(2), 1958, in float64 and rounded.
        """
        u = (float64(self.next_uint32()) + 1.0) * ULP_32
        turn = float64(self.next_uint32()) * (2.0 * ULP_32)
        return float32(sqrt(-2.0 * log(u)) * cospi(turn))

    def next_normal64(self) -> float64:
        """Normal with mean 0 and variance 1, within ±8.58, by the same formula. Four words."""
        u = self.next_float64() + ULP_53
        turn = self.next_float64() * 2.0
        return sqrt(-2.0 * log(u)) * cospi(turn)

    def next_exponential(self) -> float64:
        """-log(1 - u), u in [0, 1): exponential with mean 1. Two words."""
        return -log(1.0 - self.next_float64())


@kernel
def seeded(seed: uint64, stream: uint64) -> Random:
    """The generator of a seed at its stream's first word."""
    return Random(
        key=uint2(uint32(seed), uint32(seed >> 32)),
        stream=uint2(uint32(stream), uint32(stream >> 32)),
    )


@kernel
def shuffle(source: Random, x: Array[T]) -> None:
    """Put numbers or vectors in random order, each order as likely. At least len(x) - 1 words.

    Fisher and Yates' method from the last element down, as in D. Knuth, "The Art of Computer
    Programming" 2, algorithm 3.4.2P. Traps for 2^32 elements or more.
    """
    n = len(x)
    assert n < 4294967296, "shuffle() of 2**32 elements or more"
    for i in range(n - 1, 0, -1):
        j = int(source.next_below(uint32(i + 1)))
        other = x[j]
        x[j] = x[i]
        x[i] = other
