"""float64 trigonometric functions rounded right for every argument, by 192-bit integers."""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, select
from samebits.lang.values.scalars import float64, int64, uint64
from samebits.mathlib.primitives import cold_kernel
from samebits.mathlib.wide.arithmetic import TOP_BIT, from_float64, multiply, reciprocal, to_float64
from samebits.mathlib.wide.sin_cos import quarter_turns, sine

LARGEST = float.fromhex("0x1.fffffffffffffp1023")
TINY = 2.0**-27
"""Below, sin x and tan x round to x, cos x to 1."""
ALL_EVEN = 2.0**53
"""From here on every float64 is an even integer."""


@kernel
def sin_turned(x: float64, turns: uint64) -> float64:
    """sin(|x| + turns·π/2), rounded to nearest, for |x| ≥ 2^-27."""
    n, negative, e, x2, x1, x0 = quarter_turns(x)
    n = n + turns
    odd = (n & 1) != 0
    e, x2, x1, x0 = sine(e, x2, x1, x0, odd)
    return to_float64(((n & 2) != 0) != (negative and not odd), e, x2, x1, x0)


@cold_kernel
def sin_exact(x: float64) -> float64:
    """sin x, rounded to nearest; −0 for −0, NaN for infinities."""
    if abs(x) < TINY:
        return x
    if not abs(x) <= LARGEST:
        return x - x
    y = sin_turned(x, 0)
    return -y if x < 0.0 else y


@cold_kernel
def cos_exact(x: float64) -> float64:
    """cos x, rounded to nearest; NaN for infinities."""
    if abs(x) < TINY:
        return 1.0
    if not abs(x) <= LARGEST:
        return x - x
    return sin_turned(x, 1)


@cold_kernel
def tan_exact(x: float64) -> float64:
    """tan x, rounded to nearest; −0 for −0, NaN for infinities."""
    if abs(x) < TINY:
        return x
    if not abs(x) <= LARGEST:
        return x - x
    n, negative, e, x2, x1, x0 = quarter_turns(x)
    odd = (n & 1) != 0
    de, d2, d1, d0 = sine(e, x2, x1, x0, not odd)
    de, d2, d1, d0 = reciprocal(de, d2, d1, d0)
    e, x2, x1, x0 = sine(e, x2, x1, x0, odd)
    e, x2, x1, x0 = multiply(e, x2, x1, x0, de, d2, d1, d0)
    return to_float64((negative != odd) != (x < 0.0), e, x2, x1, x0)


@kernel
def sinpi_turned(a: float64, turns: uint64) -> float64:
    """sin((a + turns/2)·π), rounded to nearest, for 0 ≤ a < 2^53; a zero has any sign."""
    halves = a + a
    whole = int64(halves)
    f = halves - float64(whole)
    if f > 0.5:
        whole = whole + 1
        f = f - 1.0
    n = uint64(whole) + turns
    odd = (n & 1) != 0
    e, h = from_float64(f)
    e, x2, x1, x0 = sine(e, h, 0, 0, odd)
    return to_float64(((n & 2) != 0) != (f < 0.0 and not odd), e, x2, x1, x0)


@cold_kernel
def sinpi_exact(x: float64) -> float64:
    """sin(x·π), rounded to nearest; of integers a zero with the sign of x, NaN for infinities."""
    if not abs(x) <= LARGEST:
        return x - x
    a = abs(x)
    y = float64(0.0)
    if a < ALL_EVEN:
        y = sinpi_turned(a, 0)
        y = select(y == 0.0, float64(0.0), y)
    return -y if bitcast(uint64, x) >= TOP_BIT else y


@cold_kernel
def cospi_exact(x: float64) -> float64:
    """cos(x·π), rounded to nearest; +0 half way between integers, NaN for infinities."""
    if not abs(x) <= LARGEST:
        return x - x
    a = abs(x)
    if a >= ALL_EVEN:
        return 1.0
    y = sinpi_turned(a, 1)
    return select(y == 0.0, float64(0.0), y)
