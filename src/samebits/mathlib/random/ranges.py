"""Whole numbers below a bound without bias, by one multiplication and rarely a division.

D. Lemire, "Fast random integer generation in an interval", ACM Transactions on Modeling and
Computer Simulation 29(1), 2019.
"""

# pyright: reportReturnType=false, reportOperatorIssue=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.values.scalars import uint32, uint64
from samebits.mathlib.wide.fraction128 import mul_high


@kernel
def threshold32(bound: uint32) -> uint32:
    """How many of the 2^32 words are one too many: 2^32 modulo `bound`, which is not 0."""
    return (-bound) % bound


@kernel
def threshold64(bound: uint64) -> uint64:
    """2^64 modulo `bound`, which is not 0."""
    return (-bound) % bound


@kernel
def scaled32(word: uint32, bound: uint32) -> tuple[uint32, uint32]:
    """word·bound / 2^32 and the low half, which tells whether the word must be drawn again."""
    product = uint64(word) * uint64(bound)
    return uint32(product >> 32), uint32(product)


@kernel
def scaled64(word: uint64, bound: uint64) -> tuple[uint64, uint64]:
    """The same with 64 bits."""
    return mul_high(word, bound), word * bound
