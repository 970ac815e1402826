"""The correctly rounded sum of an array: a superaccumulator of integers.

After U. Kulisch's long accumulator ("Computer Arithmetic and Validity", 2008): a fixed-point number
wide enough for every float64, held in limbs of 32 bits that carry rarely.
"""

# pyright: reportReturnType=false, reportOperatorIssue=false, reportArgumentType=false
# pyright: reportAssignmentType=false, reportIndexIssue=false, reportCallIssue=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportInvalidTypeVarUse=false, reportUnknownMemberType=false
# Elements of a type variable and arithmetic on them are beyond what the checker knows.

from __future__ import annotations

from typing import TypeVar

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import bitcast, clz
from samebits.lang.memory.arrays import Array, ReadOnly, zeros
from samebits.lang.values.scalars import float32, float64, int64, uint64

T = TypeVar("T")

LIMBS = 70
"""Limb j counts units of 2^(32·j - 1074): 2,240 bits, of which 2,098 are float64's own."""
MASK = 0xFFFF_FFFF
CARRY_EVERY = 1 << 29
"""Additions of up to 2^33 that an int64 limb takes before it must be carried."""
FRACTION = (1 << 52) - 1
MINUS_ZERO = 1 << 63


@kernel
def carry(limbs: Array[int64]) -> None:
    """Bring every limb but the last into [0, 2^32); the last keeps the sign."""
    over = int64(0)
    for j in range(LIMBS - 1):
        v = limbs[j] + over
        over = v >> 32
        limbs[j] = v & MASK
    limbs[LIMBS - 1] += over


@kernel
def accumulate(x: ReadOnly[T], limbs: Array[int64]) -> float64:
    """Add every finite element. Returns the sum of the others, or −0 where all are −0, else +0."""
    special = float64(0.0)
    is_special = False
    only_minus_zero = len(x) > 0
    for i in range(len(x)):
        v = float64(x[i])
        bits = bitcast(uint64, v)
        only_minus_zero = only_minus_zero and bits == MINUS_ZERO
        exponent = int64((bits >> 52) & 0x7FF)
        if exponent == 0x7FF:
            special += v
            is_special = True
        else:
            m = bits & FRACTION
            if exponent > 0:
                m |= 1 << 52
                exponent -= 1
            shift = uint64(exponent & 31)
            low = (m & MASK) << shift
            high = ((m >> 32) << shift) + (low >> 32)
            j = int(exponent >> 5)
            if (bits >> 63) != 0:
                limbs[j] -= int64(low & MASK)
                limbs[j + 1] -= int64(high & MASK)
                limbs[j + 2] -= int64(high >> 32)
            else:
                limbs[j] += int64(low & MASK)
                limbs[j + 1] += int64(high & MASK)
                limbs[j + 2] += int64(high >> 32)
            if i & (CARRY_EVERY - 1) == CARRY_EVERY - 1:
                carry(limbs)
    if is_special:
        return special
    return -0.0 if only_minus_zero else 0.0


@kernel
def bit_field(limbs: Array[int64], start: int64) -> uint64:
    """32 bits of the carried accumulator, from bit `start` ≥ 0 on."""
    j = int(start >> 5)
    shift = uint64(start & 31)
    pair = uint64(limbs[j])
    if j + 1 < LIMBS:
        pair |= uint64(limbs[j + 1]) << 32
    return (pair >> shift) & MASK


@kernel
def rounded(limbs: Array[int64], digits: int64, least: int64) -> float64:
    """The accumulator to nearest, ties to even, at `digits` bits or at bit `least` if higher."""
    carry(limbs)
    negative = limbs[LIMBS - 1] < 0
    if negative:
        for j in range(LIMBS):
            limbs[j] = -limbs[j]
        carry(limbs)
    top = LIMBS - 1
    while top > 0 and limbs[top] == 0:
        top -= 1
    if limbs[top] == 0:
        return 0.0
    highest = int64(32 * top) + 63 - int64(clz(uint64(limbs[top])))
    last = highest - (digits - 1)
    if last < least:
        last = least
    kept = uint64(0)
    if highest >= last:
        kept = bit_field(limbs, last) | (bit_field(limbs, last + 32) << 32)
    if last > 0:
        half = (bit_field(limbs, last - 1) & 1) != 0
        below = False
        j = 0
        while int64(32 * j + 32) <= last - 1:
            below = below or limbs[j] != 0
            j += 1
        rest = (last - 1) & 31
        below = below or (uint64(limbs[j]) & ((uint64(1) << uint64(rest)) - 1)) != 0
        if half and (below or (kept & 1) != 0):
            kept += 1
    exponent = last - 1074  # of the last bit; the result is kept·2^exponent, exactly or an infinity
    scale = bitcast(float64, uint64(exponent + 1023) << 52)
    if exponent < -1022:
        scale = bitcast(float64, uint64(1) << uint64(exponent + 1074))
    value = float64(int64(kept)) * scale
    return -value if negative else value


@kernel
def exact_sum_f64(x: ReadOnly[float64]) -> float64:
    """The sum, rounded once."""
    limbs = zeros(LIMBS, int64)
    special = accumulate(x, limbs)
    if bitcast(uint64, special) != 0:
        return special
    return rounded(limbs, 53, 0)


@kernel
def exact_sum_f32(x: ReadOnly[float32]) -> float32:
    """The sum, rounded once, to float32."""
    limbs = zeros(LIMBS, int64)
    special = accumulate(x, limbs)
    if bitcast(uint64, special) != 0:
        return float32(special)
    return float32(rounded(limbs, 24, 1074 - 149))
