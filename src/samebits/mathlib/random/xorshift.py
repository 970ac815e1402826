"""Marsaglia's 32-bit xorshift: the smallest sequential generator with a full period."""

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.values.scalars import uint32


@kernel
def xorshift32(state: uint32) -> uint32:
    """The state after `state`, which is the output too; never 0, from a state that must not be 0.

    The triple 13, 17, 5 of Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8(14), 2003;
    period 2³² - 1. Quick and small, but weak: it fails BigCrush, where `philox4x32` passes. Traps
    "assert" at 0, from which it would never come away.
    """
    assert state != 0, "xorshift32 needs a state that is not 0"
    x = state ^ (state << 13)
    x = x ^ (x >> 17)
    return x ^ (x << 5)
