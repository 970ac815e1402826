"""float64 cbrt, rsqrt and hypot: a root, corrected by one step of Newton's method.

Owns these kernels at precisions HIGH and LOW. The step takes what the root's power leaves of the
argument, in two parts, so that root and step together are good to 2^-96; what that leaves open, and
what is too large or too small for it, `roots_exact_f64` decides. The start from the bits of x alone
is that of Moroz and others, "Fast calculation of cube and inverse cube roots using a magic constant
and its implementation on microcontrollers", Energies 14(4), 2021.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, copysign, select, sqrt
from samebits.lang.values.scalars import float64, uint64
from samebits.mathlib.float64.roots_exact_f64 import cbrt_exact, hypot_exact, rsqrt_exact
from samebits.mathlib.primitives import muladd, product_error

INFINITY = float("inf")
NAN = float("nan")
LARGEST = float.fromhex("0x1.fffffffffffffp1023")
# Less a third, or half, of the high word of x: that of x^(-1/3) within 3.4 %, of x^(-1/2) within
# 3.5 %. Found by trying all.
THIRD_ROOT_WORD = 0x553E_E960
HALF_ROOT_WORD = 0x5FE6_E8E0
THIRD_32 = 0x5555_5555
# (1 - h)^(-1/3) for |h| ≤ 0.1021, relative error 2^-18.9, and (1 - h)^(-1/2) for |h| ≤ 0.0682,
# relative error 2^-25.4. Made by tools/math/roots_f64.sollya.
C0 = float.fromhex("0x1.ffffbdade3d23p-1")
C1 = float.fromhex("0x1.55540d789dafcp-2")
C2 = float.fromhex("0x1.ca35a33239591p-3")
C3 = float.fromhex("0x1.657e08eb1e557p-3")
R0 = float.fromhex("0x1.00000002ca094p+0")
R1 = float.fromhex("0x1.ffff8fbb48981p-2")
R2 = float.fromhex("0x1.7fff4e1d952a3p-2")
R3 = float.fromhex("0x1.4178a2a0f5166p-2")
R4 = float.fromhex("0x1.19983bfbbe047p-2")
THIRD = 1.0 / 3.0
TWO_NINTHS = 2.0 / 9.0

SMALL = 2.0**-900
LARGE = 2.0**900
"""Between these, no product of three and no low half of one leaves the normal numbers."""
SMALL_LEG = 2.0**-450
LARGE_LEG = 2.0**450
MARGIN = 2.0**-96
"""Bounds the relative error of a root and its step together. The root r is off by less than
e = 2^-49.9, the step neglects e² = 2^-99.8 and is itself off by 2^-50·e: 2^-98.8 in all.
tools/math/two_parts_error_f64.py finds 2^-101.0; it is proven by `make prove-rounding`."""


@kernel
def inverse_cube_root(x: float64) -> float64:
    """x^(-1/3) to 2^-50.5 for normal x > 0."""
    third = ((bitcast(uint64, x) >> 32) * THIRD_32) >> 32
    start = bitcast(float64, (THIRD_ROOT_WORD - third) << 32)
    h = 1.0 - ((x * start) * start) * start
    near = start * ((C0 + h * C1) + (h * h) * (C2 + h * C3))
    h = 1.0 - ((x * near) * near) * near
    return near + (near * h) * (THIRD + h * TWO_NINTHS)


@kernel
def cbrt_in_two_parts(x: float64) -> tuple[float64, float64]:
    """∛x as a sum s + low, for 2^-900 ≤ x ≤ 2^900."""
    y = inverse_cube_root(x)
    z = y * y
    s = x * z
    square = s * s
    cube = square * s
    rest = (x - cube) - muladd(product_error(s, s), s, product_error(square, s))
    return s, rest * (z * THIRD)


@kernel
def cbrt(x: float64) -> float64:
    """∛x, correctly rounded."""
    size = abs(x)
    s, low = cbrt_in_two_parts(size)
    margin = MARGIN * s
    y = s + (low - margin)
    known = (size >= SMALL) & (size <= LARGE) & (y == s + (low + margin))
    if not (known | (x == 0.0)):
        return cbrt_exact(x)
    return copysign(select(x == 0.0, 0.0, y), x)


@kernel
def cbrt_low(x: float64) -> float64:
    """∛x to 8 ULP for normal x, infinities and zeros; some number for a subnormal x."""
    size = abs(x)
    y = inverse_cube_root(size)
    root = select((size > 0.0) & (size <= LARGEST), size * (y * y), size)
    return copysign(root, x)


@kernel
def rsqrt_in_two_parts(x: float64) -> tuple[float64, float64]:
    """1/√x as a sum s + low, for 2^-900 ≤ x ≤ 2^900."""
    s = 1.0 / sqrt(x)
    square = s * s
    one = x * square
    rest = (1.0 - one) - muladd(x, product_error(s, s), product_error(x, square))
    return s, rest * (s * 0.5)


@kernel
def rsqrt(x: float64) -> float64:
    """1/√x, correctly rounded; ±inf for ±0, NaN below."""
    s, low = rsqrt_in_two_parts(x)
    margin = MARGIN * s
    y = s + (low - margin)
    if not ((x >= SMALL) & (x <= LARGE) & (y == s + (low + margin))):
        return rsqrt_exact(x)
    return y


@kernel
def rsqrt_low(x: float64) -> float64:
    """1/√x to 14 ULP for normal x; ±inf for ±0, NaN below, 0 for inf; else some number."""
    y = bitcast(float64, (HALF_ROOT_WORD - (bitcast(uint64, x) >> 33)) << 32)
    h = 1.0 - (x * y) * y
    z = h * h
    y = y * (((R0 + h * R1) + z * (R2 + h * R3)) + (z * z) * R4)
    y = y + y * (0.5 - (0.5 * x * y) * y)
    y = select(x <= LARGEST, y, 0.0)
    return select(x > 0.0, y, select(x == 0.0, copysign(INFINITY, x), NAN))


@kernel
def hypot_in_two_parts(large: float64, small: float64) -> tuple[float64, float64]:
    """√(large² + small²) as a sum s + low, for 2^-450 ≤ large ≤ 2^450 and 0 ≤ small ≤ large."""
    a = large * large
    b = small * small
    square = a + b
    square_low = (b - (square - a)) + (product_error(large, large) + product_error(small, small))
    s = sqrt(square)
    rest = ((square - s * s) - product_error(s, s)) + square_low
    return s, rest / (s + s)


@kernel
def hypot(x: float64, y: float64) -> float64:
    """√(x² + y²), correctly rounded; inf where x or y is infinite, else NaN for a NaN."""
    x = abs(x)
    y = abs(y)
    large = select(x < y, y, x)
    small = select(x < y, x, y)
    s, low = hypot_in_two_parts(large, small)
    margin = MARGIN * s
    result = s + (low - margin)
    known = (large >= SMALL_LEG) & (large <= LARGE_LEG) & (result == s + (low + margin))
    if not known:
        return hypot_exact(x, y)
    return result


@kernel
def hypot_low(x: float64, y: float64) -> float64:
    """√(x² + y²) to 2.5 ULP where the larger of |x| and |y| is between 2^-480 and 2^510."""
    return sqrt(x * x + y * y)
