"""float32 hypot, correctly rounded for every pair, in branch-free float64 code.

Owns the kernel. Squares of float32 are exact in float64, and √ is correctly rounded there, which
leaves one doubt: a root that comes out as a float32 tie. The squares then say on which side it is,
in the cold kernel, which infinities and NaN go to as well.
"""

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, copysign, select, sqrt
from samebits.lang.values.scalars import float32, float64, uint64
from samebits.mathlib.primitives import cold_kernel

INFINITY = float("inf")
LAST_DIGITS = 0x1FFF_FFFF
"""The bits of a float64 that a float32 lacks; a tie has the highest of them alone."""
TIE = 0x1000_0000
STEP = 2.0**-50


@cold_kernel
def hypot_rare(x: float32, y: float32) -> float32:
    """√(x² + y²), correctly rounded, of any pair."""
    a = float64(x)
    b = float64(y)
    p = a * a
    q = b * b
    total = p + q
    back = total - p
    lost = (p - (total - back)) + (q - back)  # p + q - total, exactly
    root = sqrt(total)
    # A tie's square is exact, and so is its difference from the sum so near to it. Of a true tie
    # nothing is left; results below the normal numbers lie far from their ties.
    left = (total - root * root) + lost
    tie = (bitcast(uint64, root) & LAST_DIGITS) == TIE
    aside = root + copysign(root * STEP, left)
    result = float32(select(tie and left != 0.0, aside, root))
    infinite = abs(x) == INFINITY or abs(y) == INFINITY
    return select(infinite, INFINITY, result)


@kernel
def hypot(x: float32, y: float32) -> float32:
    """√(x² + y²), correctly rounded; inf where x or y is infinite, else NaN where one is NaN."""
    a = float64(x)
    b = float64(y)
    total = a * a + b * b
    root = sqrt(total)
    if total < INFINITY and (bitcast(uint64, root) & LAST_DIGITS) != TIE:
        return float32(root)
    return hypot_rare(x, y)
