"""float64 sin, cos, sinpi and cospi at precision MEDIUM: within 1 ULP, the same bits everywhere.

Quarter turns are taken off in four parts, and two polynomials evaluated, the sine's and the
cosine's, with what the reduced argument misses. What is larger than that allows goes to
`trigonometric_exact_f64`. The corrections are those of FDLIBM's k_sin.c and k_cos.c.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, copysign, select
from samebits.lang.values.scalars import float64, uint64
from samebits.mathlib.float64.trigonometric_exact_f64 import (
    cos_exact,
    cospi_exact,
    sin_exact,
    sinpi_exact,
)
from samebits.mathlib.float64.trigonometric_low_f64 import (
    PI,
    QUARTER_TURN_1,
    QUARTER_TURN_2,
    QUARTER_TURN_3,
    QUARTER_TURN_4,
    QUARTER_TURNS_PER_UNIT,
    ROUNDER,
)

HALVES_ROUNDER = ROUNDER / 2.0
TOP_26_BITS = 0xFFFF_FFFF_F800_0000
PI_TOP = float.fromhex("0x1.921fb5p+1")
PI_REST = float.fromhex("0x1.110b46p-25")
PI_LOW = float.fromhex("0x1.1a62633145c07p-53")
"""π is PI + PI_LOW, and PI is PI_TOP + PI_REST, of 25 and 24 bits."""

# sin d = d + S3·d³ + … and cos d = 1 - d²/2 + C4·d⁴ + … for |d| ≤ π/4, relative errors 2^-57.8 and
# 2^-64.3. Made by tools/math/sin_cos_f64.sollya.
S3 = float.fromhex("-0x1.5555555555548p-3")
S5 = float.fromhex("0x1.111111110f75ep-7")
S7 = float.fromhex("-0x1.a01a019bf261dp-13")
S9 = float.fromhex("0x1.71de355f53864p-19")
S11 = float.fromhex("-0x1.ae5e54bf4ccb8p-26")
S13 = float.fromhex("0x1.5d8e4f9ceb61ap-33")
C4 = float.fromhex("0x1.5555555555533p-5")
C6 = float.fromhex("-0x1.6c16c16c13558p-10")
C8 = float.fromhex("0x1.a01a019ac391bp-16")
C10 = float.fromhex("-0x1.27e4f6f0f7268p-22")
C12 = float.fromhex("0x1.1ee94c43f5e8ep-29")
C14 = float.fromhex("-0x1.8f66ea19d79f7p-37")

LIMIT = 2.0**20
"""Up to here, a count of quarter turns has 21 bits."""
HALF_TURNS_LIMIT = 2.0**49
SMALLEST = 2.0**-900
"""Below, the low half of a product with π would be subnormal, and is not needed."""


@kernel
def top_26(x: float64) -> float64:
    """x cut to its leading 26 bits: the product of two such is exact."""
    return bitcast(float64, bitcast(uint64, x) & TOP_26_BITS)


@kernel
def turned(quarters: uint64, d: float64, d_low: float64) -> float64:
    """sin(quarters·π/2 + d + d_low) within 0.9 ULP, for |d| ≤ π/4·(1 + 2^-30)."""
    z = d * d
    w = z * z
    half = 0.5 * z
    p = S3 + (z * (S5 + z * S7) + (w * z) * ((S9 + z * S11) + w * S13))
    sine = d + ((d * z) * p + (d_low - half * d_low))
    q = C4 + (z * (C6 + z * C8) + (w * z) * ((C10 + z * C12) + w * C14))
    near = 1.0 - half
    cosine = near + (((1.0 - near) - half) + (w * q - d * d_low))
    y = select((quarters & 1) != 0, cosine, sine)
    return select((quarters & 2) != 0, -y, y)


@kernel
def reduce(x: float64) -> tuple[uint64, float64, float64]:
    """(k, d, d_low) with x = k·π/2 + d + d_low, |d| ≤ π/4, for |x| ≤ 2^20."""
    rounded = x * QUARTER_TURNS_PER_UNIT + ROUNDER
    k = rounded - ROUNDER
    r = x - k * QUARTER_TURN_1  # both exact
    w = k * QUARTER_TURN_2  # exact, as is the next
    t = r - w
    v = t - r
    rest = (r - (t - v)) - (w + v)
    w = k * QUARTER_TURN_3
    u = t - w
    v = u - t
    rest = (rest + ((t - (u - v)) - (w + v))) - k * QUARTER_TURN_4
    d = u + rest
    return bitcast(uint64, rounded), d, rest - (d - u)


@kernel
def sin(x: float64) -> float64:
    """Sine of x radians within 1 ULP; NaN for NaN and infinities, −0 for −0."""
    k, d, d_low = reduce(x)
    if not abs(x) <= LIMIT:
        return sin_exact(x)
    return select(x == 0.0, x, turned(k, d, d_low))


@kernel
def cos(x: float64) -> float64:
    """Cosine of x radians within 1 ULP; NaN for NaN and infinities."""
    k, d, d_low = reduce(x)
    if not abs(x) <= LIMIT:
        return cos_exact(x)
    return turned(k + 1, d, d_low)


@kernel
def sincos(x: float64) -> tuple[float64, float64]:
    """Sine and cosine of x radians, as `sin` and `cos` give them."""
    return sin(x), cos(x)


@kernel
def reduce_half_turns(x: float64) -> tuple[uint64, float64, float64]:
    """(k, d, d_low) with πx = k·π/2 + d + d_low, |d| ≤ π/4, for |x| ≤ 2^49."""
    rounded = x + HALVES_ROUNDER
    f = x - (rounded - HALVES_ROUNDER)  # exact
    d = f * PI
    top = top_26(f)
    rest = f - top
    error = ((top * PI_TOP - d) + (top * PI_REST + rest * PI_TOP)) + rest * PI_REST
    d_low = select(abs(f) < SMALLEST, 0.0, error + f * PI_LOW)
    return bitcast(uint64, rounded), d, d_low


@kernel
def sinpi(x: float64) -> float64:
    """Sine of x half turns within 1 ULP; of an integer 0 with the sign of x."""
    k, d, d_low = reduce_half_turns(x)
    if not abs(x) <= HALF_TURNS_LIMIT:
        return sinpi_exact(x)
    y = turned(k, d, d_low)
    return select(y == 0.0, copysign(0.0, x), y)


@kernel
def cospi(x: float64) -> float64:
    """Cosine of x half turns within 1 ULP; +0 half way between integers."""
    k, d, d_low = reduce_half_turns(x)
    if not abs(x) <= HALF_TURNS_LIMIT:
        return cospi_exact(x)
    return turned(k + 1, d, d_low) + 0.0
