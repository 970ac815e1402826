"""float64 sin, cos, tan, sinpi and cospi: one sum of two parts from a table of steps of π/256.

Owns these kernels at precision HIGH. A rounding test decides nearly every input up to 2^20, and
`trigonometric_exact_f64` the rest. The scheme of a fast and an accurate phase is Ziv's, "Fast
evaluation of elementary mathematical functions with correctly rounded last bit", ACM Transactions
on Mathematical Software 17(3), 1991; π/256 in three parts is Cody's and Waite's.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, copysign, select
from samebits.lang.values.scalars import float64, int32, uint64
from samebits.mathlib.float64.sin_cos_f64_table import SIN_STEPS
from samebits.mathlib.float64.trigonometric_exact_f64 import (
    cos_exact,
    cospi_exact,
    sin_exact,
    sinpi_exact,
    tan_exact,
)
from samebits.mathlib.primitives import muladd, product_error

ROUNDER = 1.5 * 2.0**52
"""Adding it to |v| < 2^51 rounds v to an integer, which stands in the sum's low bits."""
STEPS_ROUNDER = 1.5 * 2.0**44
"""The same for multiples of 1/256."""
QUARTER = 128
"""Steps in a quarter turn."""

# π/256 in three parts, the first two of 26 bits, whose product with a count of 27 bits is exact;
# and π in two. Made by tools/math/sin_cos_f64_table.py --constants.
STEP_1 = float.fromhex("0x1.921fb50000000p-7")
STEP_2 = float.fromhex("0x1.110b460000000p-33")
STEP_3 = float.fromhex("0x1.1a62633145c07p-61")
STEPS_PER_UNIT = float.fromhex("0x1.45f306dc9c883p+6")
PI = float.fromhex("0x1.921fb54442d18p+1")
PI_LOW = float.fromhex("0x1.1a62633145c07p-53")

# sin d - d = d³(S3 + S5·d² + S7·d⁴) and cos d - 1 = d²(C2 + C4·d² + C6·d⁴) for |d| ≤ π/512,
# relative errors 2^-54 and 2^-63. Made by tools/math/sin_cos_f64.sollya.
S3 = float.fromhex("-0x1.5555555555555p-3")
S5 = float.fromhex("0x1.11111110867d3p-7")
S7 = float.fromhex("-0x1.a00eb71662b06p-13")
C2 = -0.5
C4 = float.fromhex("0x1.5555555554cadp-5")
C6 = float.fromhex("-0x1.6c16aaf6dfa5ep-10")

LIMIT = 2.0**20
"""Up to here, a count of steps has 27 bits."""
HALF_TURNS_LIMIT = 2.0**42
SMALLEST = 2.0**-900
"""From here on, the low half of a product with π is normal."""

STEP_ERROR = 2.0**-109
"""Times the count of steps, bounds the absolute error of `reduce`: STEP_3 and its product are off
by 2^-112 each, the last two sums by 2^-112 and 2^-111."""
SERIES_MARGIN = 2.0**-51
"""Times (|a| + |s|)·d², bounds the error of `turned`: a·d²/2 is rounded eight times by 2^-53 and
b·d³/6 seven times, |b·d| being at most 2·|s|."""
MARGIN = 2.0**-100
"""The error of all else, relative to the result: low halves are rounded six times, which makes
2^-103. That the sum of the three, and with it tan's, is enough is proven by `make prove`."""


@kernel
def reduce(x: float64) -> tuple[uint64, float64, float64, float64]:
    """(n, d, d_low, error) with x = n·π/256 + d + d_low ± error, |d| ≤ π/511, for |x| ≤ 2^20.

    Of n only the low 44 bits are the count. The error is 0 where n is.
    """
    rounded = muladd(x, STEPS_PER_UNIT, ROUNDER)
    n = rounded - ROUNDER
    r = x - n * STEP_1  # both exact
    w = n * STEP_2  # exact
    t = r - w
    v = t - r
    rest = muladd(n, -STEP_3, (r - (t - v)) - (w + v))
    d = t + rest
    return bitcast(uint64, rounded), d, rest - (d - t), abs(n) * STEP_ERROR


@kernel
def turned(n: uint64, d: float64, d_low: float64) -> tuple[float64, float64, float64]:
    """sin(n·π/256 + d + d_low) as a sum s + low, and a margin; |d| ≤ π/511."""
    # sin(α + d) = a + b·d + a·(cos d - 1) + b·(sin d - d), a and b the step's sine and cosine.
    i = int32(n & 511)
    j = int32((n + QUARTER) & 511)
    a = SIN_STEPS[2 * i]
    a_low = SIN_STEPS[2 * i + 1]
    b = SIN_STEPS[2 * j]
    b_low = SIN_STEPS[2 * j + 1]
    z = d * d
    sin_rest = (d * z) * muladd(z, muladd(z, S7, S5), S3)
    cos_rest = muladd(-d, d_low, z * muladd(z, muladd(z, C6, C4), C2))
    p = b * d
    s = a + p  # a is 0 or more than |p|
    rest = muladd(b, sin_rest, muladd(b, d_low, muladd(b_low, d, a_low)))
    low = (p - (s - a)) + (product_error(b, d) + muladd(a, cos_rest, rest))
    size = abs(s)
    return s, low, muladd(z * (abs(a) + size), SERIES_MARGIN, size * MARGIN)


@kernel
def sin(x: float64) -> float64:
    """Sine of x radians, correctly rounded; NaN for NaN and infinities, −0 for −0."""
    n, d, d_low, error = reduce(x)
    s, low, margin = turned(n, d, d_low)
    margin = margin + error
    y = s + (low - margin)
    if (not abs(x) <= LIMIT) | (y != s + (low + margin)):
        return sin_exact(x)
    return select(x == 0.0, x, y)


@kernel
def cos(x: float64) -> float64:
    """Cosine of x radians, correctly rounded; NaN for NaN and infinities."""
    n, d, d_low, error = reduce(x)
    s, low, margin = turned(n + QUARTER, d, d_low)
    margin = margin + error
    y = s + (low - margin)
    if (not abs(x) <= LIMIT) | (y != s + (low + margin)):
        return cos_exact(x)
    return y


@kernel
def sincos(x: float64) -> tuple[float64, float64]:
    """Sine and cosine of x radians, as `sin` and `cos` give them."""
    return sin(x), cos(x)


@kernel
def tan_in_two_parts(
    n: uint64, d: float64, d_low: float64, error: float64
) -> tuple[float64, float64, float64]:
    """tan(n·π/256 + d + d_low ± error) as a sum q + low, and a margin; |d| ≤ π/511."""
    s, s_low, s_margin = turned(n, d, d_low)
    c, c_low, c_margin = turned(n + QUARTER, d, d_low)
    # Low parts go up to 2^-15 of the high ones; of these, to 2^-53.
    sine = s + s_low
    sine_low = s_low - (sine - s)
    cosine = c + c_low
    cosine_low = c_low - (cosine - c)
    inverse = 1.0 / cosine
    q = sine * inverse
    rest = (sine - q * cosine) - product_error(q, cosine)
    low = (rest + muladd(-q, cosine_low, sine_low)) * inverse
    size = abs(q)
    margin = muladd(size, c_margin, s_margin) * abs(inverse) + size * MARGIN
    return q, low, margin + muladd(q * q, error, error)


@kernel
def tan(x: float64) -> float64:
    """Tangent of x radians, correctly rounded; NaN for NaN and infinities, −0 for −0."""
    n, d, d_low, error = reduce(x)
    s, low, margin = tan_in_two_parts(n, d, d_low, error)
    y = s + (low - margin)
    if (not abs(x) <= LIMIT) | (y != s + (low + margin)):
        return tan_exact(x)
    return select(x == 0.0, x, y)


@kernel
def reduce_half_turns(x: float64) -> tuple[uint64, float64, float64]:
    """(n, d, d_low) with πx = n·π/256 + d + d_low, |d| ≤ π/512, for 2^-900 ≤ |x| ≤ 2^42 or x = 0.

    Of n only the low 44 bits are the count.
    """
    rounded = x + STEPS_ROUNDER
    f = x - (rounded - STEPS_ROUNDER)  # exact
    return bitcast(uint64, rounded), f * PI, muladd(f, PI_LOW, product_error(f, PI))


@kernel
def sinpi(x: float64) -> float64:
    """Sine of x half turns, correctly rounded; of an integer 0 with the sign of x."""
    n, d, d_low = reduce_half_turns(x)
    s, low, margin = turned(n, d, d_low)
    y = s + (low - margin)
    size = abs(x)
    known = (size <= HALF_TURNS_LIMIT) & ((size >= SMALLEST) | (x == 0.0))
    if not (known & (y == s + (low + margin))):
        return sinpi_exact(x)
    return select(y == 0.0, copysign(0.0, x), y)


@kernel
def cospi(x: float64) -> float64:
    """Cosine of x half turns, correctly rounded; +0 half way between integers."""
    n, d, d_low = reduce_half_turns(x)
    s, low, margin = turned(n + QUARTER, d, d_low)
    y = s + (low - margin)
    size = abs(x)
    known = (size <= HALF_TURNS_LIMIT) & ((size >= SMALLEST) | (x == 0.0))
    if not (known & (y == s + (low + margin))):
        return cospi_exact(x)
    return y
