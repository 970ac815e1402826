"""float64 inverse hyperbolic functions rounded right for every argument, by 192-bit integers."""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.intrinsics import abs
from samebits.lang.values.scalars import float64
from samebits.mathlib.primitives import cold_kernel
from samebits.mathlib.wide.arithmetic import (
    TOP_BIT,
    add,
    from_float64,
    multiply,
    reciprocal,
    reciprocal_root,
    root,
    to_float64,
)
from samebits.mathlib.wide.log import atanh_series, log

LARGEST = float.fromhex("0x1.fffffffffffffp1023")
TINY = 2.0**-27
"""Below, asinh x and atanh x round to x."""
SERIES_END = 2.0**-6
NEAR_ONE = 1.0 + 2.0**-14


@cold_kernel
def asinh_exact(x: float64) -> float64:
    """asinh x, rounded to nearest; −0 for −0."""
    if abs(x) < TINY or not abs(x) <= LARGEST:
        return x
    # ln(|x| + √q), or near 0 atanh(|x|/√q), q = x² + 1
    xe, xh = from_float64(x)
    e, x2, x1, x0 = multiply(xe, xh, 0, 0, xe, xh, 0, 0)
    _, e, x2, x1, x0 = add(False, e, x2, x1, x0, False, 1, TOP_BIT, 0, 0)
    re, r2, r1, r0 = reciprocal_root(e, x2, x1, x0)
    if abs(x) < SERIES_END:
        e, x2, x1, x0 = multiply(xe, xh, 0, 0, re, r2, r1, r0)
        _, e, x2, x1, x0 = atanh_series(False, e, x2, x1, x0, False)
    else:
        e, x2, x1, x0 = multiply(e, x2, x1, x0, re, r2, r1, r0)
        _, e, x2, x1, x0 = add(False, e, x2, x1, x0, False, xe, xh, 0, 0)
        _, e, x2, x1, x0 = log(e, x2, x1, x0)
    return to_float64(x < 0.0, e, x2, x1, x0)


@cold_kernel
def acosh_exact(x: float64) -> float64:
    """acosh x, rounded to nearest; NaN below 1."""
    if not x >= 1.0:
        return (x - x) / 0.0
    if x > LARGEST:
        return x
    # ln(x + √q), or near 1 atanh(√q/x), q = x² - 1
    xe, xh = from_float64(x)
    e, x2, x1, x0 = multiply(xe, xh, 0, 0, xe, xh, 0, 0)
    _, e, x2, x1, x0 = add(False, e, x2, x1, x0, True, 1, TOP_BIT, 0, 0)
    e, x2, x1, x0 = root(e, x2, x1, x0)
    if x < NEAR_ONE:
        xe, r2, r1, r0 = reciprocal(xe, xh, 0, 0)
        e, x2, x1, x0 = multiply(e, x2, x1, x0, xe, r2, r1, r0)
        _, e, x2, x1, x0 = atanh_series(False, e, x2, x1, x0, False)
    else:
        _, e, x2, x1, x0 = add(False, e, x2, x1, x0, False, xe, xh, 0, 0)
        _, e, x2, x1, x0 = log(e, x2, x1, x0)
    return to_float64(False, e, x2, x1, x0)


@cold_kernel
def atanh_exact(x: float64) -> float64:
    """atanh x, rounded to nearest; −0 for −0, infinities for ±1, NaN beyond."""
    if abs(x) < TINY:
        return x
    if not abs(x) < 1.0:
        return x / (1.0 - abs(x)) if abs(x) == 1.0 else (x - x) / 0.0
    e, h = from_float64(x)
    if abs(x) < SERIES_END:
        _, e, x2, x1, x0 = atanh_series(False, e, h, 0, 0, False)
        return to_float64(x < 0.0, e, x2, x1, x0)
    # ln((1 + x)/(1 - x))/2
    _, de, d2, d1, d0 = add(False, 1, TOP_BIT, 0, 0, True, e, h, 0, 0)
    _, e, x2, x1, x0 = add(False, 1, TOP_BIT, 0, 0, False, e, h, 0, 0)
    de, d2, d1, d0 = reciprocal(de, d2, d1, d0)
    e, x2, x1, x0 = multiply(e, x2, x1, x0, de, d2, d1, d0)
    _, e, x2, x1, x0 = log(e, x2, x1, x0)
    return to_float64(x < 0.0, e - 1, x2, x1, x0)
