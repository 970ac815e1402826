"""float32 erfc, correctly rounded on all 2³² inputs, in branch-free float64 code.

Owns the kernel at precision HIGH: e^(-x²) times the series and the table of float64's, in one part;
up to 1/2, and below 0, 1 less erf.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, clamp, copysign, select
from samebits.lang.values.scalars import float32, float64
from samebits.mathlib.float32.erf_f32 import LARGEST, erf_above_0
from samebits.mathlib.float32.logaddexp_f32 import exp_below_0
from samebits.mathlib.float64.erfc_f64 import HALF, LAST_STEP, scaled_step
from samebits.mathlib.float64.erfc_f64_table import SCALED_ERFC
from samebits.mathlib.primitives import muladd

LARGEST_C = 10.25
"""Beyond, erfc rounds to 0."""

# So near a float32 tie that float64 gives the tie itself.
HARD = float.fromhex("-0x1.d93ec4p-17")
ERFC_HARD = float.fromhex("0x1.00010ap0")


@kernel
def erfc(x: float32) -> float32:
    """1 − erf x, correctly rounded."""
    wide = float64(x)
    size = abs(wide)
    far = wide >= HALF
    inside = select(far, select(wide > LARGEST_C, LARGEST_C, wide), 1.0)
    j, h = scaled_step(inside)
    i = 12 * clamp(j, 0, LAST_STEP)
    z = h * h
    high = muladd(z, muladd(h, SCALED_ERFC[i + 9], SCALED_ERFC[i + 8]),
                  muladd(h, SCALED_ERFC[i + 7], SCALED_ERFC[i + 6]))  # fmt: skip
    high = muladd(z, high, muladd(h, SCALED_ERFC[i + 5], SCALED_ERFC[i + 4]))
    scaled = muladd(z, high, muladd(h, SCALED_ERFC[i + 2], SCALED_ERFC[i]))
    tail = exp_below_0(-(inside * inside)) * scaled
    near = 1.0 - copysign(erf_above_0(select(size > LARGEST, LARGEST, size)), wide)
    return select(x == HARD, ERFC_HARD, float32(select(far, tail, near)))
