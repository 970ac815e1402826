"""float64 pown, powr and rootn at LOW precision, by pow at LOW.

MEDIUM is that of HIGH.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, select
from samebits.lang.values.scalars import float64, int32
from samebits.mathlib.float64.log_fast_f64 import pow_low

NAN = float("nan")


@kernel
def pown(x: float64, n: int32) -> float64:
    """x^n."""
    return pow_low(x, float64(n))


@kernel
def powr(x: float64, y: float64) -> float64:
    """x^y; NaN for x < 0, and for a NaN y, of which `pow_low` makes numbers."""
    return select((x >= 0.0) & (y == y), pow_low(abs(x), y), NAN)


@kernel
def rootn(x: float64, n: int32) -> float64:
    """x^(1/n); NaN for x < 0 and an even n."""
    result = pow_low(abs(x), 1.0 / float64(n))
    other = select((n & 1) != 0, -result, NAN)
    return select(x < 0.0, other, select(n == 0, NAN, result))
