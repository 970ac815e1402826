"""`shuffle` and `compress`: components picked from two vectors, by a mask into an array."""

# pyright: reportInvalidTypeForm=false, reportReturnType=false, reportUnknownParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportOperatorIssue=false, reportMissingParameterType=false
# pyright: reportIndexIssue=false
# The parameters' types are arguments of `_picks`: annotations here are evaluated, not text.

from typing import Any

from samebits.lang.annotations import Array
from samebits.lang.decorators import kernel
from samebits.lang.families import Family
from samebits.lang.kernel import Kernel
from samebits.lang.memory.arrays import zeros
from samebits.lang.values.scalars import float32, float64, int32, uint32
from samebits.lang.values.vectors import (
    bool4,
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

_VECTORS: dict[Any, tuple[Any, Any, Any]] = {
    float32: (float2, float3, float4), float64: (double2, double3, double4),
    int32: (int2, int3, int4), uint32: (uint2, uint3, uint4),
}  # fmt: skip


def _picks(T: Any, V2: Any, V3: Any, V4: Any) -> list[Kernel]:  # noqa: N803 - types
    @kernel
    def one(a: V4, b: V4, x: int) -> T:
        both = zeros(8, T)
        both[0], both[1], both[2], both[3] = a.x, a.y, a.z, a.w
        both[4], both[5], both[6], both[7] = b.x, b.y, b.z, b.w
        return both[x]

    @kernel
    def two(a: V4, b: V4, x: int, y: int) -> V2:
        return V2(one(a, b, x), one(a, b, y))

    @kernel
    def three(a: V4, b: V4, x: int, y: int, z: int) -> V3:
        return V3(one(a, b, x), one(a, b, y), one(a, b, z))

    @kernel
    def four(a: V4, b: V4, x: int, y: int, z: int, w: int) -> V4:
        return V4(one(a, b, x), one(a, b, y), one(a, b, z), one(a, b, w))

    return [one, two, three, four]


def _packing(T: Any, V: Any) -> Kernel:  # noqa: N803 - types
    @kernel
    def compress(out: Array[T], at: int, v: V, mask: bool4) -> int:
        if mask.x:
            out[at] = v.x
            at += 1
        if mask.y:
            out[at] = v.y
            at += 1
        if mask.z:
            out[at] = v.z
            at += 1
        if mask.w:
            out[at] = v.w
            at += 1
        return at

    return compress


shuffle = Family(
    "shuffle",
    [row for t, vectors in _VECTORS.items() for row in _picks(t, *vectors)],
    """The components of the 4-vectors a and b by number, 0 to 3 those of a, 4 to 7 those of b: a
    number of one, a vector of two to four. Traps where a number is none of these.""",
)
compress = Family(
    "compress",
    [_packing(t, vectors[2]) for t, vectors in _VECTORS.items()],
    """Write those components of the 4-vector v whose mask holds to out[at], out[at + 1], …; the
    index behind the last one written. Traps where the array ends before them.""",
)
