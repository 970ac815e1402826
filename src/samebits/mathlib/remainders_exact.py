"""`fmod` and `remainder` of any floats, by dividing integers eleven bits of quotient at a time.

Owns the kernels that remainders.py calls for huge quotients, subnormals and special values.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import bitcast, copysign, max, min
from samebits.lang.values.scalars import float32, float64, int32, uint64
from samebits.mathlib.primitives import cold_kernel

WITHOUT_SIGN = 0x7FFF_FFFF_FFFF_FFFF
INFINITY = 0x7FF0_0000_0000_0000
FRACTION = 0x000F_FFFF_FFFF_FFFF
HIDDEN = 0x0010_0000_0000_0000
LEAST = 2.0**-1074
STEP = 11
"""53 bits and these are 64."""


@kernel
def rest_of_division(x: float64, y: float64) -> tuple[float64, bool]:
    """|x| modulo |y|, and whether the quotient is odd; NaN where there is none."""
    a = bitcast(uint64, x) & WITHOUT_SIGN
    b = bitcast(uint64, y) & WITHOUT_SIGN
    if b == 0 or a >= INFINITY or b > INFINITY:
        return (x * y) / (x * y), False
    if a < b:
        return bitcast(float64, a), False
    exponent_a = max(int32(a >> 52), 1)
    exponent_b = max(int32(b >> 52), 1)
    rest = a & FRACTION
    if a >= HIDDEN:
        rest += HIDDEN
    divisor = b & FRACTION
    if b >= HIDDEN:
        divisor += HIDDEN
    divisor = max(divisor, 1)
    quotient = rest // divisor
    rest -= quotient * divisor
    left = exponent_a - exponent_b
    while left > 0:
        step = min(left, STEP)
        left -= step
        rest <<= uint64(step)
        quotient = rest // divisor
        rest -= quotient * divisor
    # rest·2^(exponent_b - 1075): every product is exact.
    up = exponent_b - 1
    half = up >> 1
    first = bitcast(float64, uint64(half + 1023) << 52)
    second = bitcast(float64, uint64(up - half + 1023) << 52)
    return ((float64(rest) * LEAST) * first) * second, (quotient & 1) != 0


@kernel
def fmod_any(x: float64, y: float64) -> float64:
    """x − n·y with n = x/y truncated."""
    r, _ = rest_of_division(x, y)
    return copysign(r, x)


@kernel
def remainder_any(x: float64, y: float64) -> float64:
    """x − n·y with n the integer nearest to x/y, ties to even."""
    r, odd = rest_of_division(x, y)
    b = copysign(y, 1.0)
    above = b - r  # exact where r is near b/2; elsewhere only its order counts
    if r > above or (r == above and odd):
        r = r - b
    return r * copysign(1.0, x)


@cold_kernel
def fmod_exact_f64(x: float64, y: float64) -> float64:
    """x − n·y with n = x/y truncated."""
    return fmod_any(x, y)


@cold_kernel
def remainder_exact_f64(x: float64, y: float64) -> float64:
    """x − n·y with n the integer nearest to x/y, ties to even."""
    return remainder_any(x, y)


@cold_kernel
def fmod_exact_f32(x: float32, y: float32) -> float32:
    """x − n·y with n = x/y truncated."""
    return float32(fmod_any(float64(x), float64(y)))


@cold_kernel
def remainder_exact_f32(x: float32, y: float32) -> float32:
    """x − n·y with n the integer nearest to x/y, ties to even."""
    return float32(remainder_any(float64(x), float64(y)))
