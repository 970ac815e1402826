"""float64 sine and cosine, correctly rounded on every published hard case.

Owns the kernels `sin` and `cos`: a table of sin(i·π/256) with two-part arithmetic, a rounding
test, and for the one input in a thousand that it leaves open `sin_cos_exact_f64`. The scheme of a
fast and an accurate phase is Ziv's, "Fast evaluation of elementary mathematical functions with
correctly rounded last bit", ACM Transactions on Mathematical Software 17(3), 1991.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.functions import abs, select
from samebits.lang.scalars import float64, int32, uint32, uint64
from samebits.mathlib.reduce_f64 import reduce, top_26
from samebits.mathlib.sin_cos_exact_f64 import sin_turned_exact
from samebits.mathlib.sin_cos_f64_table import SIN_STEPS

# sin d - d = d³(S3 + S5·d² + S7·d⁴) and cos d - 1 = d²(C2 + C4·d² + C6·d⁴) for |d| ≤ π/512,
# relative errors 2^-54 and 2^-63. Made by tools/math/sin_cos_f64.sollya.
S3 = float.fromhex("-0x1.5555555555555p-3")
S5 = float.fromhex("0x1.11111110867d3p-7")
S7 = float.fromhex("-0x1.a00eb71662b06p-13")
C2 = -0.5
C4 = float.fromhex("0x1.5555555554cadp-5")
C6 = float.fromhex("-0x1.6c16aaf6dfa5ep-10")

TINY = 2.0**-27
"""Below, sin x rounds to x and cos x to 1."""
LARGEST = float.fromhex("0x1.fffffffffffffp1023")
NEAREST = 2.0**-50
"""Closer than this to a multiple of π/256 an absolute error of 2^-126 is too much."""
MARGIN = 2.0**-64
"""Bounds the relative error of `sin_in_two_parts`: 2^-65.1 by hand, at worst for n = 1 and
d = -π/512; 2^-65.9 is the most that tools/math/two_parts_error_f64.py has found."""


@kernel
def sin_in_two_parts(
    n: uint32, d: float64, d_low: float64, turns: uint64
) -> tuple[float64, float64]:
    """sin(n·π/256 + d + d_low + turns·π/2) but for whole half turns, as a sum s + low.

    For n < 512, 2^-50 ≤ |d| ≤ π/512 or n = 0, and turns 0 or 1.
    """
    odd = (((uint64(n) >> 7) + turns) & 1) != 0
    # sin(a + d) = A + B·sin d + A·(cos d - 1) + B·(sin d - d), A and B the step's sine and cosine.
    i = int32(n & 127)
    i = select(odd, 128 - i, i)
    a = SIN_STEPS[2 * i]
    a_low = SIN_STEPS[2 * i + 1]
    b = SIN_STEPS[256 - 2 * i]
    b_low = SIN_STEPS[257 - 2 * i]
    b = select(odd, -b, b)
    b_low = select(odd, -b_low, b_low)
    b1 = top_26(b)
    b2 = (b - b1) + b_low
    d1 = top_26(d)
    d2 = (d - d1) + d_low
    z = d * d
    sin_rest = (d * z) * (S3 + z * (S5 + z * S7))
    cos_rest = z * (C2 + z * (C4 + z * C6))
    p = b1 * d1  # exact
    s = a + p  # a is 0 or at least twice p
    lost = p - (s - a)
    return s, (((b1 * d2 + b2 * d) + a_low) + (a * cos_rest + b * sin_rest)) + lost


@kernel
def sin_turned(x: float64, turns: uint64) -> float64:
    """sin(x + turns·π/2), turns 0 or 1, for 2^-27 ≤ x < 2^1024."""
    n, d, d_low = reduce(x)
    if abs(d) < NEAREST:
        return sin_turned_exact(x, turns)
    s, low = sin_in_two_parts(n, d, d_low, turns)
    # The error of s + low is below MARGIN·|s|: where that could change the rounding, be exact.
    margin = MARGIN * s
    y = s + (low - margin)
    if y != s + (low + margin):
        return sin_turned_exact(x, turns)
    return select((((uint64(n) >> 7) + turns) & 2) != 0, -y, y)


@kernel
def sin(x: float64) -> float64:
    """Sine of x radians, correctly rounded; NaN for NaN and infinities, −0 for −0."""
    magnitude = abs(x)
    if magnitude < TINY:
        return x
    if not magnitude <= LARGEST:
        return x - x
    y = sin_turned(magnitude, 0)
    return select(x < 0.0, -y, y)


@kernel
def cos(x: float64) -> float64:
    """Cosine of x radians, correctly rounded; NaN for NaN and infinities."""
    magnitude = abs(x)
    if magnitude < TINY:
        return 1.0
    if not magnitude <= LARGEST:
        return x - x
    return sin_turned(magnitude, 1)
