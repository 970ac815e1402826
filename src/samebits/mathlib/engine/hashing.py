"""XXH32 of a number's or a vector's bits, for tables and for noise.

The algorithm is that of the xxHash specification (github.com/Cyan4973/xxHash, XXH32), with seed 0,
of the components' bytes one after another, the lowest first.
"""

# pyright: reportInvalidTypeForm=false, reportReturnType=false, reportUnknownParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportOperatorIssue=false, reportMissingParameterType=false
# The parameters' types are arguments of the factories: annotations here are evaluated, not text.

from typing import Any

from samebits.lang.decorators import kernel
from samebits.lang.families import Family
from samebits.lang.intrinsics import bitcast, rotl
from samebits.lang.kernel import Kernel
from samebits.lang.values.quaternions import dquaternion, quaternion
from samebits.lang.values.scalars import float32, float64, int32, int64, uint32, uint64
from samebits.lang.values.vectors import (
    double2,
    double3,
    double4,
    float2,
    float3,
    float4,
    int2,
    int3,
    int4,
    uint2,
    uint3,
    uint4,
)

_P1, _P2, _P3 = uint32(2654435761), uint32(2246822519), uint32(3266489917)
_P4, _P5 = uint32(668265263), uint32(374761393)


_START = uint4(0x24234428, 2246822519, 0, 0x61C8864F)
"""P1 + P2, P2, 0 and −P1, of 32 bits."""


@kernel
def _stripe(h: uint4, words: uint4) -> uint4:
    return rotl(h + words * _P2, 13) * _P1


@kernel
def _joined(h: uint4) -> uint32:
    return rotl(h.x, 1) + rotl(h.y, 7) + rotl(h.z, 12) + rotl(h.w, 18)


@kernel
def _word(h: uint32, word: uint32) -> uint32:
    return rotl(h + word * _P3, 17) * _P4


@kernel
def _ended(h: uint32) -> uint32:
    h = (h ^ (h >> 15)) * _P2
    h = (h ^ (h >> 13)) * _P3
    return h ^ (h >> 16)


@kernel
def _of_one(a: uint32) -> uint32:
    return _ended(_word(_P5 + 4, a))


@kernel
def _of_two(v: uint2) -> uint32:
    return _ended(_word(_word(_P5 + 8, v.x), v.y))


@kernel
def _of_three(v: uint3) -> uint32:
    return _ended(_word(_word(_word(_P5 + 12, v.x), v.y), v.z))


@kernel
def _of_four(v: uint4) -> uint32:
    return _ended(_joined(_stripe(_START, v)) + 16)


@kernel
def _of_six(v: uint4, w: uint2) -> uint32:
    return _ended(_word(_word(_joined(_stripe(_START, v)) + 24, w.x), w.y))


@kernel
def _of_eight(v: uint4, w: uint4) -> uint32:
    return _ended(_joined(_stripe(_stripe(_START, v), w)) + 32)


@kernel
def _halves(a: uint64) -> uint2:
    return uint2(uint32(a & 0xFFFF_FFFF), uint32(a >> 32))


def _of_words(T: Any, of: Kernel) -> Kernel:  # noqa: N803 - a type
    @kernel
    def hash(x: T) -> uint32:
        return of(bitcast(uint32, x))

    return hash


def _of_wide(T: Any) -> Kernel:  # noqa: N803 - a type
    @kernel
    def hash(x: T) -> uint32:
        return _of_two(_halves(bitcast(uint64, x)))

    return hash


@kernel
def _of_double2(v: double2) -> uint32:
    return _of_four(uint4(_halves(bitcast(uint64, v.x)), _halves(bitcast(uint64, v.y))))


@kernel
def _of_double3(v: double3) -> uint32:
    low = uint4(_halves(bitcast(uint64, v.x)), _halves(bitcast(uint64, v.y)))
    return _of_six(low, _halves(bitcast(uint64, v.z)))


@kernel
def _of_double4(v: double4) -> uint32:
    low = uint4(_halves(bitcast(uint64, v.x)), _halves(bitcast(uint64, v.y)))
    high = uint4(_halves(bitcast(uint64, v.z)), _halves(bitcast(uint64, v.w)))
    return _of_eight(low, high)


@kernel
def _of_quaternion(q: quaternion) -> uint32:
    return _of_four(bitcast(uint32, float4(q)))


@kernel
def _of_dquaternion(q: dquaternion) -> uint32:
    return _of_double4(double4(q))


_NARROW = (
    (float32, int32, uint32, _of_one), (float2, int2, uint2, _of_two),
    (float3, int3, uint3, _of_three), (float4, int4, uint4, _of_four),
)  # fmt: skip
hash = Family(
    "hash",
    [
        *(_of_words(t, of) for *types, of in _NARROW for t in types),
        *map(_of_wide, (float64, int64, uint64)),
        _of_double2, _of_double3, _of_double4, _of_quaternion, _of_dquaternion,
    ],
    """XXH32, seed 0, of the bytes of a number or vector, the lowest of each component first.

    Every NaN is the canonical one. 0 and −0 are equal and have different hashes: add 0.0 first.
    Not for secrets.
    """,
)  # fmt: skip
