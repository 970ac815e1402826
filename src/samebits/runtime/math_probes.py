"""Probes of a processor's arithmetic and of the math library: kernels whose bits are known.

What they are for is `math_fingerprint`'s.
"""
# pyright: reportArgumentType=false, reportIndexIssue=false

from __future__ import annotations

from samebits import math
from samebits.lang.decorators import kernel
from samebits.lang.memory.arrays import Array, ReadOnly
from samebits.lang.values.scalars import float32, float64, int32, int64, uint32, uint64

PROBE_BITS = "2ecb8166b2753d31"
"""What the probes of this scheme give on every machine: 16 hexadecimal digits."""

# Zeros, subnormals, the borders of the normal numbers, ties, large arguments, infinity, NaN.
DOUBLES = (
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x800FFFFFFFFFFFFF,
    0x0010000000000000, 0x3FF0000000000001, 0xBFEFFFFFFFFFFFFF, 0x3FB999999999999A,
    0x400921FB54442D18, 0xC00599999999999A, 0x4330000000000001, 0x43E0000000000000,
    0x5FE6A09E667F3BCD, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000, 0x7FF8000000000000,
)  # fmt: skip
SINGLES = (
    0x00000000, 0x80000000, 0x00000001, 0x807FFFFF, 0x00800000, 0x3F800001, 0xBF7FFFFF, 0x3DCCCCCD,
    0x40490FDB, 0xC02CCCCD, 0x4B000001, 0x4F000000, 0x5F3504F3, 0x7F7FFFFF, 0x7F800000, 0x7FC00000,
)  # fmt: skip


@kernel
def _mixed(state: uint64, word: uint64) -> uint64:
    return math.rotl(state ^ word, 23) * uint64(0x9E3779B97F4A7C15)


@kernel
def _doubles(patterns: ReadOnly[uint64]) -> uint64:
    state = uint64(0)
    for i in range(len(patterns)):
        x = math.bitcast(float64, patterns[i])
        for k in range(len(patterns)):
            y = math.bitcast(float64, patterns[k])
            state = _mixed(state, math.bitcast(uint64, x + y))
            state = _mixed(state, math.bitcast(uint64, x - y))
            state = _mixed(state, math.bitcast(uint64, x * y))
            state = _mixed(state, math.bitcast(uint64, x / y))
            state = _mixed(state, math.bitcast(uint64, math.fma(x, y, 0.1)))
            state = _mixed(state, math.bitcast(uint64, math.min(x, y)))
        state = _mixed(state, math.bitcast(uint64, math.sqrt(x)))
        state = _mixed(state, math.bitcast(uint64, math.floor(x)))
        state = _mixed(state, uint64(math.bitcast(uint32, float32(x))))
        state = _mixed(state, math.bitcast(uint64, int64(x)))
        state = _mixed(state, math.bitcast(uint64, math.sin(x)))
        state = _mixed(state, math.bitcast(uint64, math.exp(x)))
        state = _mixed(state, math.bitcast(uint64, math.log(x)))
        state = _mixed(state, math.bitcast(uint64, math.pow(x, 0.7)))
    return state


@kernel
def _singles(patterns: ReadOnly[uint32]) -> uint64:
    state = uint64(0)
    for i in range(len(patterns)):
        x = math.bitcast(float32, patterns[i])
        for k in range(len(patterns)):
            y = math.bitcast(float32, patterns[k])
            state = _mixed(state, uint64(math.bitcast(uint32, x + y)))
            state = _mixed(state, uint64(math.bitcast(uint32, x * y)))
            state = _mixed(state, uint64(math.bitcast(uint32, x / y)))
            state = _mixed(state, uint64(math.bitcast(uint32, math.fma(x, y, float32(0.1)))))
            state = _mixed(state, uint64(math.bitcast(uint32, x * y + x)))
        state = _mixed(state, uint64(math.bitcast(uint32, math.sqrt(x))))
        state = _mixed(state, uint64(math.bitcast(uint32, math.sin(x))))
        state = _mixed(state, uint64(math.bitcast(uint32, math.exp(x))))
        state = _mixed(state, uint64(math.bitcast(uint32, math.log(x))))
        state = _mixed(state, uint64(math.bitcast(uint32, math.atan2(x, float32(0.7)))))
        state = _mixed(state, uint64(math.bitcast(uint32, int32(x))))
    return state


@kernel
def probe(doubles: ReadOnly[uint64], singles: ReadOnly[uint32], found: Array[uint64]) -> None:
    found[0] = _doubles(doubles)
    found[1] = _singles(singles)
