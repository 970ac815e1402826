"""float64 hyperbolic functions rounded right for every argument, by 192-bit integers."""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, min
from samebits.lang.values.scalars import float64
from samebits.mathlib.primitives import cold_kernel
from samebits.mathlib.wide.arithmetic import (
    TOP_BIT,
    add,
    from_float64,
    multiply,
    reciprocal,
    to_float64,
)
from samebits.mathlib.wide.exp import exp2
from samebits.mathlib.wide.sin_cos import sine_or_cosine
from samebits.mathlib.wide.table import LOG2_E_HIGH, LOG2_E_LOW, LOG2_E_MIDDLE

TINY = 2.0**-27
"""Below, sinh x and tanh x round to x."""
SERIES_END = 0.75
LARGEST = 800.0
"""Beyond, sinh and cosh are infinite."""
LARGEST_TANH = 50.0
"""Beyond, tanh rounds to 1."""


@kernel
def sinh_or_cosh(x: float64, cosh: bool) -> float64:
    """sinh |x|, or cosh x if `cosh`, rounded to nearest; x is not NaN."""
    x = min(abs(x), LARGEST)
    e, h = from_float64(x)
    if x < SERIES_END:
        e, x2, x1, x0 = sine_or_cosine(e, h, 0, 0, cosh, False)
        return to_float64(False, e, x2, x1, x0)
    # (e^x ± e^-x)/2
    e, x2, x1, x0 = multiply(e, h, 0, 0, 1, LOG2_E_HIGH, LOG2_E_MIDDLE, LOG2_E_LOW)
    _, e, x2, x1, x0 = exp2(False, e, x2, x1, x0, False)
    be, b2, b1, b0 = reciprocal(e, x2, x1, x0)
    _, e, x2, x1, x0 = add(False, e, x2, x1, x0, not cosh, be, b2, b1, b0)
    return to_float64(False, e - 1, x2, x1, x0)


@cold_kernel
def sinh_exact(x: float64) -> float64:
    """sinh x, rounded to nearest; −0 for −0."""
    if x != x or abs(x) < TINY:
        return x
    y = sinh_or_cosh(x, False)
    return -y if x < 0.0 else y


@cold_kernel
def cosh_exact(x: float64) -> float64:
    """cosh x, rounded to nearest."""
    return x if x != x else sinh_or_cosh(x, True)


@cold_kernel
def tanh_exact(x: float64) -> float64:
    """tanh x, rounded to nearest; −0 for −0."""
    if x != x or abs(x) < TINY:
        return x
    # E/(E + 2), E = e^(2x) - 1
    e, h = from_float64(min(abs(x), LARGEST_TANH))
    e, x2, x1, x0 = multiply(e + 1, h, 0, 0, 1, LOG2_E_HIGH, LOG2_E_MIDDLE, LOG2_E_LOW)
    _, e, x2, x1, x0 = exp2(False, e, x2, x1, x0, True)
    _, de, d2, d1, d0 = add(False, e, x2, x1, x0, False, 2, TOP_BIT, 0, 0)
    de, d2, d1, d0 = reciprocal(de, d2, d1, d0)
    e, x2, x1, x0 = multiply(e, x2, x1, x0, de, d2, d1, d0)
    return to_float64(x < 0.0, e, x2, x1, x0)
