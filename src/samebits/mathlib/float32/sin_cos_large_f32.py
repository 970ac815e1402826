"""float32 sine, cosine and tangent of any number of radians, in branch-free float64 code.

Owns the kernels that sin_cos_f32.py and tan_f32.py call beyond 2²⁴: they reduce by rows of 2/π.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, select
from samebits.lang.values.scalars import float32, float64, uint64
from samebits.mathlib.float32.sin_cos_f32_table import (
    FROM_1,
    FROM_2,
    FROM_3,
    FROM_4,
    FROM_5,
    HIGH_0,
    HIGH_1,
    HIGH_2,
    HIGH_3,
    HIGH_4,
    HIGH_5,
    LOW_0,
    LOW_1,
    LOW_2,
    LOW_3,
    LOW_4,
    LOW_5,
    REST_0,
    REST_1,
    REST_2,
    REST_3,
    REST_4,
    REST_5,
)
from samebits.mathlib.primitives import cold_kernel

ROUNDER = 1.5 * 2.0**52
"""Adding it to |v| < 2⁵¹ rounds v to an integer, which stands in the sum's low bits."""

# sin(π/2·f) = f·(S1 + S3·f² + …) and cos(π/2·f) = 1 + C2·f² + … for |f| ≤ 0.501, relative errors
# 2^-54.5 (all of it S1 = π/2 rounded) and 2^-61.1. Made by tools/math/sin_cos_f32.sollya.
S1 = float.fromhex("0x1.921fb54442d18p0")
S3 = float.fromhex("-0x1.4abbce625be09p-1")
S5 = float.fromhex("0x1.466bc67754ff5p-4")
S7 = float.fromhex("-0x1.32d2ccdfe8033p-8")
S9 = float.fromhex("0x1.50782d5d62eb8p-13")
S11 = float.fromhex("-0x1.e2fe75168fc4cp-19")
S13 = float.fromhex("0x1.e3572d5024da5p-25")
C2 = float.fromhex("-0x1.3bd3cc9be45dep0")
C4 = float.fromhex("0x1.03c1f081b5a67p-2")
C6 = float.fromhex("-0x1.55d3c7e3c326bp-6")
C8 = float.fromhex("0x1.e1f5067b9403p-11")
C10 = float.fromhex("-0x1.a6d1e72d32197p-16")
C12 = float.fromhex("0x1.f9c8a08b050f8p-22")
C14 = float.fromhex("-0x1.b1689bc8beec4p-28")

# Two cosines lie within 0.17 float64 ULP of a float32 tie, on its far side from what float64 gives.
# No last bit of the coefficients moves them (tools/math/tune_cos_f32.py): they are named.
HARD_A = float.fromhex("0x1.3170f00000000p+63")
COS_A = float.fromhex("0x1.fe2976p-1")
HARD_B = float.fromhex("0x1.2b96220000000p+67")
COS_B = float.fromhex("0x1.f0285ep-1")


@kernel
def quarter_turns(x: float32) -> tuple[float64, uint64]:
    """(f, n) with x = (f + n)·π/2 but for whole turns, |f| ≤ 0.5005; NaN for NaN and infinities."""
    wide = float64(x)
    size = abs(wide)
    high = float64(HIGH_0)
    rest = float64(REST_0)
    low = float64(LOW_0)
    high = select(size >= FROM_1, HIGH_1, high)
    rest = select(size >= FROM_1, REST_1, rest)
    low = select(size >= FROM_1, LOW_1, low)
    high = select(size >= FROM_2, HIGH_2, high)
    rest = select(size >= FROM_2, REST_2, rest)
    low = select(size >= FROM_2, LOW_2, low)
    high = select(size >= FROM_3, HIGH_3, high)
    rest = select(size >= FROM_3, REST_3, rest)
    low = select(size >= FROM_3, LOW_3, low)
    high = select(size >= FROM_4, HIGH_4, high)
    rest = select(size >= FROM_4, REST_4, rest)
    low = select(size >= FROM_4, LOW_4, low)
    high = select(size >= FROM_5, HIGH_5, high)
    rest = select(size >= FROM_5, REST_5, rest)
    low = select(size >= FROM_5, LOW_5, low)
    p0 = wide * high
    p1 = wide * rest
    p2 = wide * low
    rounded = (p0 + p1) + ROUNDER
    k = rounded - ROUNDER
    return ((p0 - k) + p1) + p2, bitcast(uint64, rounded)


@kernel
def sine_series(f: float64) -> float64:
    """sin(π/2·f)."""
    z = f * f
    return f * (S1 + z * (S3 + z * (S5 + z * (S7 + z * (S9 + z * (S11 + z * S13))))))


@kernel
def cosine_series(f: float64) -> float64:
    """cos(π/2·f)."""
    z = f * f
    return 1.0 + z * (C2 + z * (C4 + z * (C6 + z * (C8 + z * (C10 + z * (C12 + z * C14))))))


@kernel
def sin_turned(x: float32, turns: uint64) -> float64:
    """sin(x + turns·π/2) within 2 float64 ULP; NaN for NaN and infinities."""
    f, n = quarter_turns(x)
    quadrant = n + turns
    r = select((quadrant & 1) != 0, cosine_series(f), sine_series(f))
    return select((quadrant & 2) != 0, -r, r)


@cold_kernel
def sin_large(x: float32) -> float32:
    """Sine of any x, correctly rounded."""
    return float32(sin_turned(x, 0))


@cold_kernel
def cos_large(x: float32) -> float32:
    """Cosine of any x, correctly rounded."""
    y = float32(sin_turned(x, 1))
    magnitude = abs(x)
    y = select(magnitude == HARD_A, COS_A, y)
    return select(magnitude == HARD_B, COS_B, y)


@cold_kernel
def tan_large(x: float32) -> float32:
    """Tangent of any x, correctly rounded."""
    f, n = quarter_turns(x)
    s = sine_series(f)
    c = cosine_series(f)
    odd = (n & 1) != 0
    return float32(select(odd, -c, s) / select(odd, s, c))
