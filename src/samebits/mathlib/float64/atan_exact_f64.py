"""float64 inverse trigonometric functions rounded right for every argument, by 192-bit integers."""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, min, select
from samebits.lang.values.scalars import float64, int32, uint64
from samebits.mathlib.primitives import cold_kernel
from samebits.mathlib.wide.arithmetic import (
    TOP_BIT,
    add,
    difference,
    from_float64,
    multiply,
    root,
    to_float64,
)
from samebits.mathlib.wide.atan import atan2

INFINITY = float("inf")
LARGEST = float.fromhex("0x1.fffffffffffffp1023")
TINY = 2.0**-27
"""Below, atan x and asin x round to x."""
LEAST_NORMAL = -1021
BELOW = 0x400_0000_0000
"""2^-150 of a fraction, in its lowest word."""


@cold_kernel
def atan_exact(x: float64) -> float64:
    """atan x, rounded to nearest; −0 for −0."""
    if x != x or abs(x) < TINY:
        return x
    e, h = from_float64(min(abs(x), LARGEST))
    e, x2, x1, x0 = atan2(e, h, 0, 0, False, 1, TOP_BIT, 0, 0)
    return to_float64(x < 0.0, e, x2, x1, x0)


@cold_kernel
def atan2_exact(y: float64, x: float64) -> float64:
    """The angle of (x, y), rounded to nearest; special cases as IEEE 754-2019, 9.2.1 has them."""
    if x != x or y != y:
        return x + y
    y_negative = bitcast(uint64, y) >= TOP_BIT
    x_negative = bitcast(uint64, x) >= TOP_BIT
    if abs(x) == INFINITY:
        x = float64(1.0)
        y = select(abs(y) == INFINITY, float64(1.0), float64(0.0))
    elif abs(y) == INFINITY:
        y = float64(1.0)
        x = float64(0.0)
    ye, yh = from_float64(y)
    xe, xh = from_float64(x)
    e, x2, x1, x0 = atan2(ye, yh, 0, 0, x_negative, xe, xh, 0, 0)
    if e < LEAST_NORMAL:
        # y/x may be half way between two subnormals, and the angle is less by too little to see.
        # No other quotient is so near.
        x2, x1, x0 = difference(x2, x1, x0, 0, 0, BELOW)
    return to_float64(y_negative, e, x2, x1, x0)


@kernel
def other_leg(x: float64) -> tuple[int32, uint64, uint64, uint64]:
    """√(1 - x²) for |x| ≤ 1, as √((1 - x)·(1 + x))."""
    e, h = from_float64(x)
    _, ae, a2, a1, a0 = add(False, 1, TOP_BIT, 0, 0, True, e, h, 0, 0)
    _, be, b2, b1, b0 = add(False, 1, TOP_BIT, 0, 0, False, e, h, 0, 0)
    ae, a2, a1, a0 = multiply(ae, a2, a1, a0, be, b2, b1, b0)
    return root(ae, a2, a1, a0)


@cold_kernel
def asin_exact(x: float64) -> float64:
    """asin x, rounded to nearest; −0 for −0, NaN beyond 1."""
    if abs(x) < TINY:
        return x
    if not abs(x) <= 1.0:
        return (x - x) / 0.0
    ye, yh = from_float64(x)
    e, x2, x1, x0 = other_leg(x)
    e, x2, x1, x0 = atan2(ye, yh, 0, 0, False, e, x2, x1, x0)
    return to_float64(x < 0.0, e, x2, x1, x0)


@cold_kernel
def acos_exact(x: float64) -> float64:
    """acos x, rounded to nearest; NaN beyond 1."""
    if not abs(x) <= 1.0:
        return (x - x) / 0.0
    xe, xh = from_float64(x)
    e, x2, x1, x0 = other_leg(x)
    e, x2, x1, x0 = atan2(e, x2, x1, x0, x < 0.0, xe, xh, 0, 0)
    return to_float64(False, e, x2, x1, x0)
