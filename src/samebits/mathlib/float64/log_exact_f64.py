"""float64 logarithms rounded right for every argument, by 192-bit integers."""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs
from samebits.lang.values.scalars import float64, int32, uint64
from samebits.mathlib.primitives import cold_kernel
from samebits.mathlib.wide.arithmetic import (
    TOP_BIT,
    add,
    from_float64,
    multiply,
    reciprocal,
    to_float64,
)
from samebits.mathlib.wide.log import atanh_series, log
from samebits.mathlib.wide.table import (
    LOG2_E_HIGH,
    LOG2_E_LOW,
    LOG2_E_MIDDLE,
    LOG10_E_HIGH,
    LOG10_E_LOW,
    LOG10_E_MIDDLE,
)

LARGEST = float.fromhex("0x1.fffffffffffffp1023")
TINY = 2.0**-54
"""Below, ln(1 + x) = x - x²/2 + … rounds to x."""
SERIES_END = 2.0**-6


@kernel
def special(x: float64) -> float64:
    """log x where x has no finite one: −inf for zeros, inf for inf, else NaN."""
    if x == 0.0:
        return -1.0 / abs(x)
    if x > 0.0:
        return x
    return (x - x) / 0.0


@cold_kernel
def log_exact(x: float64) -> float64:
    """ln x, rounded to nearest."""
    if not (x > 0.0 and x <= LARGEST):
        return special(x)
    e, h = from_float64(x)
    n, e, x2, x1, x0 = log(e, h, 0, 0)
    return to_float64(n, e, x2, x1, x0)


@cold_kernel
def log2_exact(x: float64) -> float64:
    """log2 x, rounded to nearest."""
    if not (x > 0.0 and x <= LARGEST):
        return special(x)
    e, h = from_float64(x)
    n, e, x2, x1, x0 = log(e, h, 0, 0)
    e, x2, x1, x0 = multiply(e, x2, x1, x0, 1, LOG2_E_HIGH, LOG2_E_MIDDLE, LOG2_E_LOW)
    return to_float64(n, e, x2, x1, x0)


@cold_kernel
def log10_exact(x: float64) -> float64:
    """log10 x, rounded to nearest."""
    if not (x > 0.0 and x <= LARGEST):
        return special(x)
    e, h = from_float64(x)
    n, e, x2, x1, x0 = log(e, h, 0, 0)
    e, x2, x1, x0 = multiply(e, x2, x1, x0, -1, LOG10_E_HIGH, LOG10_E_MIDDLE, LOG10_E_LOW)
    return to_float64(n, e, x2, x1, x0)


@cold_kernel
def log1p_exact(x: float64) -> float64:
    """ln(1 + x), rounded to nearest; −0 for −0."""
    if abs(x) < TINY:
        return x
    if not (x > -1.0 and x <= LARGEST):
        return special(x + 1.0)
    e, h = from_float64(x)
    _, e, x2, x1, x0 = add(False, 1, TOP_BIT, 0, 0, x < 0.0, e, h, 0, 0)
    n, e, x2, x1, x0 = log(e, x2, x1, x0)
    return to_float64(n, e, x2, x1, x0)


@kernel
def wide_log1p(x: float64) -> tuple[bool, int32, uint64, uint64, uint64]:
    """ln(1 + x) to a relative 2^-179, for finite x > -1."""
    e, h = from_float64(x)
    if abs(x) < SERIES_END:
        # 2·atanh(x/(2 + x))
        _, de, d2, d1, d0 = add(False, 2, TOP_BIT, 0, 0, x < 0.0, e, h, 0, 0)
        de, d2, d1, d0 = reciprocal(de, d2, d1, d0)
        e, x2, x1, x0 = multiply(e, h, 0, 0, de, d2, d1, d0)
        n, e, x2, x1, x0 = atanh_series(x < 0.0, e, x2, x1, x0, False)
        return n, e + 1, x2, x1, x0
    _, e, x2, x1, x0 = add(False, 1, TOP_BIT, 0, 0, x < 0.0, e, h, 0, 0)
    n, e, x2, x1, x0 = log(e, x2, x1, x0)
    return n, e, x2, x1, x0


@cold_kernel
def log2p1_exact(x: float64) -> float64:
    """log2(1 + x), rounded to nearest; −0 for −0."""
    if x == 0.0:
        return x
    if not (x > -1.0 and x <= LARGEST):
        return special(x + 1.0)
    n, e, x2, x1, x0 = wide_log1p(x)
    e, x2, x1, x0 = multiply(e, x2, x1, x0, 1, LOG2_E_HIGH, LOG2_E_MIDDLE, LOG2_E_LOW)
    return to_float64(n, e, x2, x1, x0)


@cold_kernel
def log10p1_exact(x: float64) -> float64:
    """log10(1 + x), rounded to nearest; −0 for −0."""
    if x == 0.0:
        return x
    if not (x > -1.0 and x <= LARGEST):
        return special(x + 1.0)
    n, e, x2, x1, x0 = wide_log1p(x)
    e, x2, x1, x0 = multiply(e, x2, x1, x0, -1, LOG10_E_HIGH, LOG10_E_MIDDLE, LOG10_E_LOW)
    return to_float64(n, e, x2, x1, x0)
