"""Random words to floats in [0, 1), exactly: every result is one of equally spaced values."""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.values.scalars import float32, float64, int32, int64, uint32, uint64

ULP_24 = 2.0**-24
ULP_53 = 2.0**-53


@kernel
def uniform_float32(bits: uint32) -> float32:
    """The top 24 bits as a multiple of 2^-24 in [0, 1 - 2^-24]."""
    return float32(int32(bits >> 8)) * ULP_24


@kernel
def uniform_float64(high: uint32, low: uint32) -> float64:
    """53 bits, all of `high` and the top 21 of `low`, as a multiple of 2^-53 in [0, 1 - 2^-53]."""
    bits = (uint64(high) << 21) | (uint64(low) >> 11)
    return float64(int64(bits)) * ULP_53
