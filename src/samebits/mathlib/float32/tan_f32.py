"""float32 tangent, correctly rounded on all 2³² inputs, by one fraction in float64.

Owns the kernel `tan` at precision HIGH. Radians beyond 2²⁴ and what is not finite are taken by
`sin_cos_large_f32`.
"""

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, select
from samebits.lang.values.scalars import float32, float64, uint64
from samebits.mathlib.float32.sin_cos_large_f32 import tan_large
from samebits.mathlib.primitives import muladd

ROUNDER = 1.5 * 2.0**52
"""Adding it to |v| < 2⁵¹ rounds v to an integer, which stands in the sum's low bits."""
LIMIT = 2.0**24

# 2/π in 29 bits, whose product with a float32 is exact, and the next 53.
TWO_OVER_PI = float.fromhex("0x1.45f306dc9c883p-1")
TWO_OVER_PI_HIGH = float.fromhex("0x1.45f306dp-1")
TWO_OVER_PI_REST = float.fromhex("0x1.9391054a7f09dp-30")

# tan(π/2·f) = f·P(f²)/Q(f²) for |f| ≤ 0.5005, relative error 2^-54.5 (all of it P0 = π/2 rounded).
# Q is the denominator of the Padé approximant. Made by tools/math/trigonometry_f32.sollya.
P0 = float.fromhex("0x1.921fb54442d18p0")
P1 = float.fromhex("-0x1.105e6dba69c9ep-1")
P2 = float.fromhex("0x1.33384252359a3p-5")
P3 = float.fromhex("-0x1.636a56c0a4a0ap-11")
P4 = float.fromhex("0x1.c588e9dcf1825p-20")
Q1 = float.fromhex("-0x1.293fcfa1c7dfep0")
Q2 = float.fromhex("0x1.5644d07ab92b4p-3")
Q3 = float.fromhex("-0x1.8bf67aa8e30ap-8")
Q4 = float.fromhex("0x1.96068cee156a7p-15")


@kernel
def tan(x: float32) -> float32:
    """Tangent of x radians, correctly rounded; NaN for NaN and infinities, −0 for −0."""
    if not abs(x) <= LIMIT:
        return tan_large(x)
    wide = float64(x)
    rounded = muladd(wide, TWO_OVER_PI, ROUNDER)
    f = muladd(wide, TWO_OVER_PI_REST, muladd(wide, TWO_OVER_PI_HIGH, -(rounded - ROUNDER)))
    z = f * f
    p = f * muladd(z, muladd(z, muladd(z, muladd(z, P4, P3), P2), P1), P0)
    q = muladd(z, muladd(z, muladd(z, muladd(z, Q4, Q3), Q2), Q1), 1.0)
    odd = (bitcast(uint64, rounded) & 1) != 0
    return float32(select(odd, -q, p) / select(odd, p, q))
