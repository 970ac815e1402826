"""float64 tanpi, correctly rounded: reduced as for sinpi, then as tan.

A rounding test and `atanpi_exact_f64` decide as for those.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, copysign, select
from samebits.lang.values.scalars import float64
from samebits.mathlib.float64.atanpi_exact_f64 import tanpi_exact
from samebits.mathlib.float64.trigonometric_f64 import (
    HALF_TURNS_LIMIT,
    SMALLEST,
    reduce_half_turns,
    tan_in_two_parts,
)

HALF_TURN = 256
"""Steps in half a turn."""


@kernel
def tanpi(x: float64) -> float64:
    """Tangent of x half turns, correctly rounded; of an even integer 0 with the sign of x, of an
    odd one with the other."""
    n, d, d_low = reduce_half_turns(x)
    s, low, margin = tan_in_two_parts(n, d, d_low, 0.0)
    y = s + (low - margin)
    size = abs(x)
    known = (size <= HALF_TURNS_LIMIT) & ((size >= SMALLEST) | (x == 0.0))
    if not (known & (y == s + (low + margin))):
        return tanpi_exact(x)
    zero = copysign(0.0, select((n & HALF_TURN) != 0, -x, x))
    return select(y == 0.0, zero, y)
