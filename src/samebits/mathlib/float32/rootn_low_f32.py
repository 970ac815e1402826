"""float32 pown, powr and rootn at LOW precision, by pow at LOW.

MEDIUM is that of HIGH.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, select
from samebits.lang.values.scalars import float32, int32
from samebits.mathlib.float32.powers_fast_f32 import pow_low

NAN = float("nan")


@kernel
def pown(x: float32, n: int32) -> float32:
    """x^n, for |n| ≤ 2^22."""
    result = pow_low(abs(x), float32(n))
    return select(x < 0.0 and (n & 1) != 0, -result, result)


@kernel
def powr(x: float32, y: float32) -> float32:
    """x^y; NaN for x < 0."""
    return select(x >= 0.0, pow_low(abs(x), y), NAN)


@kernel
def rootn(x: float32, n: int32) -> float32:
    """x^(1/n); NaN for x < 0 and an even n."""
    result = pow_low(abs(x), 1.0 / float32(n))
    other = select((n & 1) != 0, -result, NAN)
    return select(x < 0.0, other, select(n == 0, NAN, result))
