"""Remainders of a division, exact: `fmod` and `remainder`, float32 and float64.

`fmod` is that of the truncated quotient, `remainder` IEEE 754's, of the nearest one.

The quotient is rounded to an integer in float64 and its multiple taken off, without a branch; where
that would not be exact, `remainders_exact` divides integers.
"""

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, copysign, select
from samebits.lang.values.scalars import float32, float64
from samebits.mathlib.primitives import muladd, product_error
from samebits.mathlib.remainders_exact import (
    fmod_exact_f32,
    fmod_exact_f64,
    remainder_exact_f32,
    remainder_exact_f64,
)

ROUNDER = 1.5 * 2.0**52
"""Adding it to 0 ≤ v < 2⁵¹ rounds v to an integer."""
LARGEST_F32 = float.fromhex("0x1.fffffep127")
QUOTIENT_F32 = 2.0**29
"""Below, the product of the quotient and 24 bits has 53."""
QUOTIENT_F64 = 2.0**51
LEAST_F64 = 2.0**-900
GREATEST_F64 = 2.0**900
"""Between, neither the multiple nor its rounding error leaves the normal numbers."""


@kernel
def nearest_rest_f32(a: float64, b: float64, quotient: float64) -> float64:
    """a − k·b, exactly, for k the integer nearest to the quotient as rounded."""
    return muladd((ROUNDER - quotient) - ROUNDER, b, a)


@kernel
def nearest_rest_f64(a: float64, b: float64, quotient: float64) -> float64:
    """a − k·b, exactly, for k the integer nearest to the quotient as rounded."""
    k = (quotient + ROUNDER) - ROUNDER
    p = k * b
    return (a - p) - product_error(k, b)


@kernel
def halved(r: float64, b: float64) -> float64:
    """`r` brought into [-b/2, b/2]. The rounded quotient may have missed; a tie it has not."""
    r = select(r + r > b, r - b, r)
    return select(r + r < -b, r + b, r)


@kernel
def fmod_f32(x: float32, y: float32) -> float32:
    """x − n·y with n = x/y truncated, exactly; the sign of x."""
    wide = float64(x)
    a = abs(wide)
    b = abs(float64(y))
    quotient = a / b
    if not ((quotient < QUOTIENT_F32) & (b <= LARGEST_F32)):
        return fmod_exact_f32(x, y)
    r = nearest_rest_f32(a, b, quotient)
    return copysign(float32(select(r < 0.0, r + b, r)), x)


@kernel
def remainder_f32(x: float32, y: float32) -> float32:
    """x − n·y with n the integer nearest to x/y, ties to even, exactly; a zero has x's sign."""
    wide = float64(x)
    a = abs(wide)
    b = abs(float64(y))
    quotient = a / b
    if not ((quotient < QUOTIENT_F32) & (b <= LARGEST_F32)):
        return remainder_exact_f32(x, y)
    r = nearest_rest_f32(a, b, quotient)
    return float32(halved(r, b) * copysign(1.0, wide))


@kernel
def fmod_f64(x: float64, y: float64) -> float64:
    """x − n·y with n = x/y truncated, exactly; the sign of x."""
    a = abs(x)
    b = abs(y)
    quotient = a / b
    if not ((quotient < QUOTIENT_F64) & (b >= LEAST_F64) & (b <= GREATEST_F64)):
        return fmod_exact_f64(x, y)
    r = nearest_rest_f64(a, b, quotient)
    return copysign(select(r < 0.0, r + b, r), x)


@kernel
def remainder_f64(x: float64, y: float64) -> float64:
    """x − n·y with n the integer nearest to x/y, ties to even, exactly; a zero has x's sign."""
    a = abs(x)
    b = abs(y)
    quotient = a / b
    if not ((quotient < QUOTIENT_F64) & (b >= LEAST_F64) & (b <= GREATEST_F64)):
        return remainder_exact_f64(x, y)
    r = nearest_rest_f64(a, b, quotient)
    return halved(r, b) * copysign(1.0, x)
