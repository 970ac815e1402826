"""log(e^x + e^y) rounded right for every pair of arguments, by 192-bit integers."""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, max, min
from samebits.lang.values.scalars import float64, int32, uint64
from samebits.mathlib.primitives import cold_kernel
from samebits.mathlib.wide.arithmetic import (
    TOP_BIT,
    add,
    from_float64,
    multiply,
    reciprocal,
    to_float64,
)
from samebits.mathlib.wide.exp import exp2
from samebits.mathlib.wide.log import atanh_series, log
from samebits.mathlib.wide.table import LOG2_E_HIGH, LOG2_E_LOW, LOG2_E_MIDDLE

LARGEST = float.fromhex("0x1.fffffffffffffp1023")
FAR = 2000.0
"""e^-2000 is below half of the least float64, and changes no other number's rounding."""
NEAR_0 = -6
"""The exponent up to which log(1 + x) is taken from its series."""


@kernel
def wide_logaddexp(big: float64, small: float64) -> tuple[bool, int32, uint64, uint64, uint64]:
    """log(e^big + e^small) for finite numbers, big the greater by 2000 at most."""
    be, bh = from_float64(big)
    e, h = from_float64(small)
    _, e, x2, x1, x0 = add(small < 0.0, e, h, 0, 0, not big < 0.0, be, bh, 0, 0)
    e, x2, x1, x0 = multiply(e, x2, x1, x0, 1, LOG2_E_HIGH, LOG2_E_MIDDLE, LOG2_E_LOW)
    _, e, x2, x1, x0 = exp2(True, e, x2, x1, x0, False)
    if e <= NEAR_0:
        # log(1 + x) = 2·atanh(x/(2 + x))
        _, de, d2, d1, d0 = add(False, 2, TOP_BIT, 0, 0, False, e, x2, x1, x0)
        de, d2, d1, d0 = reciprocal(de, d2, d1, d0)
        e, x2, x1, x0 = multiply(e, x2, x1, x0, de, d2, d1, d0)
        _, e, x2, x1, x0 = atanh_series(False, e, x2, x1, x0, False)
        e = e + 1
    else:
        _, e, x2, x1, x0 = add(False, e, x2, x1, x0, False, 1, TOP_BIT, 0, 0)
        _, e, x2, x1, x0 = log(e, x2, x1, x0)
    return add(big < 0.0, be, bh, 0, 0, False, e, x2, x1, x0)


@cold_kernel
def logaddexp_exact(x: float64, y: float64) -> float64:
    """log(e^x + e^y), rounded to nearest; NaN for NaN."""
    if x != x or y != y:
        return x + y
    big = max(x, y)
    small = min(x, y)
    if not (abs(big) <= LARGEST and small >= -LARGEST) or big - small > FAR:
        return big + 0.0
    n, e, x2, x1, x0 = wide_logaddexp(big, small)
    return to_float64(n, e, x2, x1, x0)
