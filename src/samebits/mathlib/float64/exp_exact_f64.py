"""float64 exponentials rounded right for every argument, by 192-bit integers."""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.intrinsics import clamp
from samebits.lang.values.scalars import float64
from samebits.mathlib.primitives import cold_kernel
from samebits.mathlib.wide.arithmetic import from_float64, multiply, to_float64
from samebits.mathlib.wide.exp import exp2
from samebits.mathlib.wide.table import (
    LOG2_10_HIGH,
    LOG2_10_LOW,
    LOG2_10_MIDDLE,
    LOG2_E_HIGH,
    LOG2_E_LOW,
    LOG2_E_MIDDLE,
)

# Beyond these every result is an infinity, zero or -1.
LARGEST_2 = 1200.0
LARGEST_E = 800.0
LARGEST_10 = 400.0


@cold_kernel
def exp_exact(x: float64) -> float64:
    """e^x, rounded to nearest."""
    if x != x:
        return x
    x = clamp(x, -LARGEST_E, LARGEST_E)
    e, h = from_float64(x)
    e, x2, x1, x0 = multiply(e, h, 0, 0, 1, LOG2_E_HIGH, LOG2_E_MIDDLE, LOG2_E_LOW)
    n, e, x2, x1, x0 = exp2(x < 0.0, e, x2, x1, x0, False)
    return to_float64(n, e, x2, x1, x0)


@cold_kernel
def exp2_exact(x: float64) -> float64:
    """2^x, rounded to nearest."""
    if x != x:
        return x
    x = clamp(x, -LARGEST_2, LARGEST_2)
    e, h = from_float64(x)
    n, e, x2, x1, x0 = exp2(x < 0.0, e, h, 0, 0, False)
    return to_float64(n, e, x2, x1, x0)


@cold_kernel
def exp10_exact(x: float64) -> float64:
    """10^x, rounded to nearest."""
    if x != x:
        return x
    x = clamp(x, -LARGEST_10, LARGEST_10)
    e, h = from_float64(x)
    e, x2, x1, x0 = multiply(e, h, 0, 0, 2, LOG2_10_HIGH, LOG2_10_MIDDLE, LOG2_10_LOW)
    n, e, x2, x1, x0 = exp2(x < 0.0, e, x2, x1, x0, False)
    return to_float64(n, e, x2, x1, x0)


@cold_kernel
def expm1_exact(x: float64) -> float64:
    """e^x - 1, rounded to nearest; −0 for −0."""
    if x == 0.0 or x != x:
        return x
    x = clamp(x, -LARGEST_E, LARGEST_E)
    e, h = from_float64(x)
    e, x2, x1, x0 = multiply(e, h, 0, 0, 1, LOG2_E_HIGH, LOG2_E_MIDDLE, LOG2_E_LOW)
    n, e, x2, x1, x0 = exp2(x < 0.0, e, x2, x1, x0, True)
    return to_float64(n, e, x2, x1, x0)


@cold_kernel
def exp2m1_exact(x: float64) -> float64:
    """2^x - 1, rounded to nearest; −0 for −0."""
    if x == 0.0 or x != x:
        return x
    x = clamp(x, -LARGEST_2, LARGEST_2)
    e, h = from_float64(x)
    n, e, x2, x1, x0 = exp2(x < 0.0, e, h, 0, 0, True)
    return to_float64(n, e, x2, x1, x0)


@cold_kernel
def exp10m1_exact(x: float64) -> float64:
    """10^x - 1, rounded to nearest; −0 for −0."""
    if x == 0.0 or x != x:
        return x
    x = clamp(x, -LARGEST_10, LARGEST_10)
    e, h = from_float64(x)
    e, x2, x1, x0 = multiply(e, h, 0, 0, 2, LOG2_10_HIGH, LOG2_10_MIDDLE, LOG2_10_LOW)
    n, e, x2, x1, x0 = exp2(x < 0.0, e, x2, x1, x0, True)
    return to_float64(n, e, x2, x1, x0)
