"""Bits of integers turned round, and powers of two near them: of 32 and 64 bits, and vectors."""

# pyright: reportInvalidTypeForm=false, reportReturnType=false, reportUnknownParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportOperatorIssue=false, reportMissingParameterType=false
# The parameters' types are arguments of `_kernels`: annotations here are evaluated, not text.

from typing import Any

from samebits.lang import intrinsics as functions
from samebits.lang.decorators import kernel
from samebits.lang.families import Family
from samebits.lang.kernel import Kernel
from samebits.lang.values.scalars import int32, int64, uint32, uint64
from samebits.lang.values.vectors import bool2, bool3, bool4, int2, int3, int4, uint2, uint3, uint4

_MASKS = {
    32: [(1, 0x5555_5555), (2, 0x3333_3333), (4, 0x0F0F_0F0F), (8, 0x00FF_00FF), (16, 0xFFFF)],
}
_MASKS[64] = [(n, mask | mask << 32) for n, mask in _MASKS[32]] + [(32, 0xFFFF_FFFF)]


def _kernels(T: Any, U: Any, I: Any, B: Any, bits: int) -> dict[str, Kernel]:  # noqa: N803, E741
    """Of a type, the unsigned one of its size, and int32 and bool of its length."""
    steps = tuple(n for n, _ in _MASKS[bits])
    masks = tuple(mask for _, mask in _MASKS[bits])
    (one, two, four, eight, sixteen), wide = steps[:5], bits == 64
    m1, m2, m4, m8, m16 = masks[:5]

    @kernel
    def reversebits(x: T) -> T:
        u = U(x)
        u = ((u >> one) & U(m1)) | ((u & U(m1)) << one)
        u = ((u >> two) & U(m2)) | ((u & U(m2)) << two)
        u = ((u >> four) & U(m4)) | ((u & U(m4)) << four)
        u = ((u >> eight) & U(m8)) | ((u & U(m8)) << eight)
        u = ((u >> sixteen) & U(m16)) | ((u & U(m16)) << sixteen)
        if wide:
            u = functions.rotl(u, 32)
        return T(u)

    @kernel
    def ceilpow2(x: T) -> T:
        u = U(x)
        above = functions.clz(u - 1)
        return T(functions.select(u == 0, U(0), U(1) << (bits - above)))

    @kernel
    def ispow2(x: T) -> B:
        return (x > 0) & ((x & (x - 1)) == 0)

    @kernel
    def floorlog2(x: T) -> I:
        return bits - 1 - I(functions.clz(x))

    @kernel
    def ceillog2(x: T) -> I:
        return bits - I(functions.clz(U(x) - 1))

    found = (reversebits, ceilpow2, ispow2, floorlog2, ceillog2)
    return {k.__name__: k for k in found}


_ROWS = [
    _kernels(int32, uint32, int32, bool, 32), _kernels(uint32, uint32, int32, bool, 32),
    _kernels(int64, uint64, int32, bool, 64), _kernels(uint64, uint64, int32, bool, 64),
    *(_kernels(t, u, i, b, 32) for t, u, i, b in
      ((int2, uint2, int2, bool2), (int3, uint3, int3, bool3), (int4, uint4, int4, bool4),
       (uint2, uint2, int2, bool2), (uint3, uint3, int3, bool3), (uint4, uint4, int4, bool4))),
]  # fmt: skip


def _family(name: str, doc: str) -> Family:
    return Family(name, [row[name] for row in _ROWS], doc)


reversebits = _family("reversebits", "The bits of an integer in the other order, in its type.")
ceilpow2 = _family(
    "ceilpow2",
    """The least power of two that is x or more, in its type; 0 for 0, and where it would be 2^32 or
    2^64. A signed x counts as its bits.""",
)
ispow2 = _family("ispow2", "Whether x is a power of two; a bool, False for 0 and below.")
floorlog2 = _family(
    "floorlog2",
    "The greatest n with 2^n ≤ x, an int32; −1 for 0. A signed x counts as its bits.",
)
ceillog2 = _family(
    "ceillog2",
    """The least n with 2^n ≥ x, an int32; 32 or 64, the number of bits, for 0. A signed x counts as
    its bits.""",
)
