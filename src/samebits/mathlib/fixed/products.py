"""The product of 64-bit fractions, of which polynomials of fixed-point numbers are made."""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.values.scalars import int64

LOW_32 = 0xFFFF_FFFF


@kernel
def scaled(a: int64, b: int64) -> int64:
    """a·b·2^-64, less than 3 too small: the product of the low halves is left out.

    One expression of few operations, so that what is made of it is small enough to be inlined into
    loops, which then vectorise.
    """
    return (
        (a >> 32) * (b >> 32)
        + ((a >> 32) * (b & LOW_32) >> 32)
        + ((a & LOW_32) * (b >> 32) >> 32)
    )  # fmt: skip
