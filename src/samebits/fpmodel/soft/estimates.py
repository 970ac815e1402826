"""Estimates of reciprocals and reciprocal square roots that have an exact definition, as kernels.

ARM's are RecipEstimate and RecipSqrtEstimate of the Arm Architecture Reference Manual;
`rcp12` and `rsqrt12` are correctly rounded to twelve bits, then to the type. The reference is
`samebits.fpmodel.estimates`. The operand is a float's value, the result is not yet rounded to it.
"""

# pyright: reportReturnType=false, reportOperatorIssue=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.fpmodel.soft.division import div, reciprocal_kind, root_kind
from samebits.fpmodel.soft.wide import FINITE, KEPT, NEAREST, TOP_BIT
from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import clz, max
from samebits.lang.values.scalars import int32, uint64
from samebits.mathlib.wide.fraction128 import mul_high

ANY_EXPONENT = 1 << 20
"""Beyond the exponent of any number here."""


@kernel
def whole(n: uint64, exponent: int32, kind: int32) -> tuple[uint64, int32, int32]:
    """n·2^exponent for n > 0, if `kind` is that of a finite number; otherwise what it says."""
    if kind & FINITE == 0:
        return uint64(0), int32(0), kind
    zeros = clz(n)
    return n << zeros, exponent + 63 - int32(zeros), kind


@kernel
def arm_reciprocal(mantissa: uint64, exponent: int32, kind: int32) -> tuple[uint64, int32, int32]:
    """RecipEstimate: nine bits."""
    scaled = mantissa >> 55
    estimate = (uint64(1 << 19) // max(scaled * 2 + 1, 1) + 1) >> 1
    return whole(estimate, -9 - exponent, reciprocal_kind(kind))


@kernel
def arm_root(mantissa: uint64, exponent: int32, kind: int32) -> tuple[uint64, int32, int32]:
    """RecipSqrtEstimate: nine bits, the greatest t whose square times the operand's first eight
    bits and a half is below 2^28, halved."""
    scaled = (mantissa >> 56) * 2 + 1
    half = (exponent >> 1) + 1
    if exponent & 1 != 0:
        scaled = scaled * 2
    t = uint64(512)
    bit = uint64(256)
    while bit != 0:
        if scaled * (t + bit) * (t + bit) < 1 << 28:
            t += bit
        bit = bit >> 1
    return whole((t + 1) >> 1, -8 - half, reciprocal_kind(root_kind(kind)))


@kernel
def short_reciprocal(mantissa: uint64, exponent: int32, kind: int32) -> tuple[uint64, int32, int32]:
    """1/x rounded to twelve bits."""
    return div(
        TOP_BIT, 0, FINITE, mantissa, exponent, kind,
        12, -ANY_EXPONENT, ANY_EXPONENT, NEAREST, KEPT,
    )  # fmt: skip


@kernel
def short_root(mantissa: uint64, exponent: int32, kind: int32) -> tuple[uint64, int32, int32]:
    """1/√x rounded to twelve bits, for x of at most 63 bits.

    The greatest n whose lower neighbour's middle, (n − 1/2)·2^-12, has a square that times
    f = x·2^-exponent, the exponent even and so 1 ≤ f < 4, is at most 1: it is never 1, the odd
    2n − 1 being no power of two.
    """
    f = mantissa
    if exponent & 1 == 0:
        f = f >> 1
    n = uint64(2048)
    bit = uint64(2048)
    while bit != 0:
        middle = 2 * (n + bit) - 1
        if mul_high(middle * middle, f) < 1 << 24:
            n += bit
        bit = bit >> 1
    return whole(n, -12 - (exponent >> 1), reciprocal_kind(root_kind(kind)))
