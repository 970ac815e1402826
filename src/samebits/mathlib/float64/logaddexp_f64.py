"""float64 logaddexp, correctly rounded: the greater argument plus log1p of an exp.

The exp is of the difference; each is in two parts.

A rounding test and `logaddexp_exact_f64` decide as for those.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, copysign, select
from samebits.lang.values.scalars import float64, int32, uint64
from samebits.mathlib.float64.exp_f64 import MARGIN, power_in_two_parts, scale
from samebits.mathlib.float64.exp_log_f64_table import RECIPROCALS
from samebits.mathlib.float64.log_f64 import ONE_BITS, log_in_two_parts, reduce_log, reduced
from samebits.mathlib.float64.logaddexp_exact_f64 import logaddexp_exact
from samebits.mathlib.float64.pow_f64 import reduce_exp_sum
from samebits.mathlib.primitives import muladd

NEAR = -680.0
"""From here on, e^d is normal, and what is computed of it too."""
NOTICED = 2.0**-800
"""Of numbers from here on, e^-680 changes no rounding."""
LOST = 2.0**-52
"""Times what 1 + e^d lost in its first part, bounds what the rest of that is rounded by: much where
d is below -37, which nothing but a result next to 0 shows."""
SUM_MARGIN = 2.0**-102
"""Times the sum of two summands' sizes, bounds what their low parts are rounded by."""


@kernel
def exact_sum(a: float64, b: float64) -> tuple[float64, float64]:
    """a + b and what it misses, whichever is the greater."""
    s = a + b
    part = s - a
    return s, (a - (s - part)) + (b - part)


@kernel
def logaddexp_in_two_parts(
    big: float64, d: float64, d_low: float64
) -> tuple[float64, float64, float64]:
    """log(e^big + e^(big + d + d_low)) as a sum s + low, and the margin of its error, for
    -680 ≤ d ≤ 0."""
    k, r, r_low = reduce_exp_sum(d, d_low)
    s, low = power_in_two_parts(k, r, r_low)
    unit = scale(k)
    power = s * unit
    # log(1 + power): as log1p does it, power not above 1
    h = 1.0 + power
    lost = (power - (h - 1.0)) + low * unit
    u, z_bits, e = reduce_log(h)
    down = bitcast(float64, z_bits - bitcast(uint64, h) + ONE_BITS)  # 2^-e
    near = reduced(bitcast(float64, z_bits), u)
    rest = (lost * down) * RECIPROCALS[int32((u >> 45) & 127)]
    r = near + rest
    a, a_low, margin = log_in_two_parts(e, u, r, (near - r) + rest)
    total, missed = exact_sum(big, a)
    margin = margin + muladd(abs(lost), LOST, power * MARGIN)
    return total, missed + a_low, muladd(abs(big) + a, SUM_MARGIN, margin)


@kernel
def logaddexp(x: float64, y: float64) -> float64:
    """log(e^x + e^y), correctly rounded."""
    big = select(x < y, y, x)
    difference, lost = exact_sum(x, -y)
    down = copysign(1.0, -difference)
    d = difference * down
    s, low, margin = logaddexp_in_two_parts(big, d, lost * down)
    result = s + (low - margin)
    known = (d >= NEAR) & (result == s + (low + margin))
    far = (d < NEAR) & (abs(big) >= NOTICED)
    if not (known | far):
        return logaddexp_exact(x, y)
    return select(far, big, result)
