"""float64 tanpi and arcs in half turns rounded right for every argument, by 192-bit integers."""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, min, select
from samebits.lang.values.scalars import float64, int32, int64, uint64
from samebits.mathlib.float64.atan_exact_f64 import INFINITY, LARGEST, other_leg
from samebits.mathlib.primitives import cold_kernel
from samebits.mathlib.wide.arithmetic import TOP_BIT, from_float64, multiply, reciprocal, to_float64
from samebits.mathlib.wide.atan import atan2
from samebits.mathlib.wide.sin_cos import sine
from samebits.mathlib.wide.table import INVERSE_PI_HIGH, INVERSE_PI_LOW, INVERSE_PI_MIDDLE

ALL_EVEN = 2.0**53
"""From here on every float64 is an even integer."""


@kernel
def in_half_turns(
    e: int32, x2: uint64, x1: uint64, x0: uint64
) -> tuple[int32, uint64, uint64, uint64]:
    """x/π."""
    return multiply(e, x2, x1, x0, -1, INVERSE_PI_HIGH, INVERSE_PI_MIDDLE, INVERSE_PI_LOW)


@cold_kernel
def atanpi_exact(x: float64) -> float64:
    """atan(x)/π, rounded to nearest; −0 for −0."""
    if x != x or x == 0.0:
        return x
    e, h = from_float64(min(abs(x), LARGEST))
    e, x2, x1, x0 = atan2(e, h, 0, 0, False, 1, TOP_BIT, 0, 0)
    e, x2, x1, x0 = in_half_turns(e, x2, x1, x0)
    return to_float64(x < 0.0, e, x2, x1, x0)


@kernel
def wide_atan2pi(y: float64, x: float64) -> tuple[int32, uint64, uint64, uint64]:
    """The angle of (x, |y|) in half turns, for numbers and infinities."""
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
    return in_half_turns(e, x2, x1, x0)


@cold_kernel
def atan2pi_exact(y: float64, x: float64) -> float64:
    """The angle of (x, y) in half turns, rounded to nearest; special cases as IEEE 754-2019."""
    if x != x or y != y:
        return x + y
    e, x2, x1, x0 = wide_atan2pi(y, x)
    return to_float64(bitcast(uint64, y) >= TOP_BIT, e, x2, x1, x0)


@cold_kernel
def asinpi_exact(x: float64) -> float64:
    """asin(x)/π, rounded to nearest; −0 for −0, NaN beyond 1."""
    if x == 0.0:
        return x
    if not abs(x) <= 1.0:
        return (x - x) / 0.0
    ye, yh = from_float64(x)
    e, x2, x1, x0 = other_leg(x)
    e, x2, x1, x0 = atan2(ye, yh, 0, 0, False, e, x2, x1, x0)
    e, x2, x1, x0 = in_half_turns(e, x2, x1, x0)
    return to_float64(x < 0.0, e, x2, x1, x0)


@cold_kernel
def acospi_exact(x: float64) -> float64:
    """acos(x)/π, rounded to nearest; NaN beyond 1."""
    if not abs(x) <= 1.0:
        return (x - x) / 0.0
    xe, xh = from_float64(x)
    e, x2, x1, x0 = other_leg(x)
    e, x2, x1, x0 = atan2(e, x2, x1, x0, x < 0.0, xe, xh, 0, 0)
    e, x2, x1, x0 = in_half_turns(e, x2, x1, x0)
    return to_float64(False, e, x2, x1, x0)


@cold_kernel
def tanpi_exact(x: float64) -> float64:
    """tan(x·π), rounded to nearest; of integers a zero and half way between them an infinity, both
    with the sign of x for every other one, else the other; NaN for infinities."""
    if not abs(x) <= LARGEST:
        return x - x
    a = abs(x)
    if a >= ALL_EVEN or x == 0.0:
        return select(x < 0.0, float64(-0.0), x * 0.0)
    halves = a + a
    n = int64(halves)
    f = halves - float64(n)
    if f > 0.5:
        n = n + 1
        f = f - 1.0
    odd = (n & 1) != 0
    if f == 0.0:
        y = select(odd, float64(INFINITY), float64(0.0))
        return -y if ((n & 2) != 0) != (x < 0.0) else y
    e, h = from_float64(f)
    de, d2, d1, d0 = sine(e, h, 0, 0, not odd)
    de, d2, d1, d0 = reciprocal(de, d2, d1, d0)
    e, x2, x1, x0 = sine(e, h, 0, 0, odd)
    e, x2, x1, x0 = multiply(e, x2, x1, x0, de, d2, d1, d0)
    return to_float64(((f < 0.0) != odd) != (x < 0.0), e, x2, x1, x0)
