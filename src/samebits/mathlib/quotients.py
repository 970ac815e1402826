"""Remainder and quotient together: `remquo`, exact, float32 and float64."""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, select
from samebits.lang.values.scalars import float32, float64, int32, uint64
from samebits.mathlib.primitives import both_widths
from samebits.mathlib.remainders import fmod_f64

LARGE = 2.0**1000
LARGEST = float.fromhex("0x1.fffffffffffffp1023")
SCALE = 2.0**-60


@kernel
def remquo_f64(x: float64, y: float64) -> tuple[float64, int32]:
    """Of |x| modulo 8·|y| the multiples of |y| are taken off, which is exact."""
    a = abs(x)
    b = abs(y)
    if not (a <= LARGEST) or not (b > 0.0):
        return (x * y) / (x * y), int32(0)
    if b > LARGEST:
        return x, int32(0)
    # What is lost of a small x lies below half of such a y, where x is what remains.
    large = b > LARGE
    part = select(large, b * SCALE, b)
    rest = fmod_f64(select(large, a * SCALE, a), 8.0 * part)
    count = int32(0)
    if rest >= 4.0 * part:
        rest -= 4.0 * part
        count += 4
    if rest >= 2.0 * part:
        rest -= 2.0 * part
        count += 2
    if rest >= part:
        rest -= part
        count += 1
    other = part - rest
    if rest > other or (rest == other and (count & 1) != 0):
        rest -= part
        count += 1
    negative = (bitcast(uint64, x) ^ bitcast(uint64, y)) >> 63 != 0
    found = select(large, rest / SCALE, rest)
    if large and a < 0.5 * b:
        found = a
    found = select(bitcast(uint64, x) >> 63 != 0, -found, found)
    count &= 7
    return found, select(negative, -count, count)


@kernel
def remquo_f32(x: float32, y: float32) -> tuple[float32, int32]:
    """In float64, which has every remainder."""
    rest, count = remquo_f64(float64(x), float64(y))
    return float32(rest), count


remquo = both_widths(
    "remquo",
    remquo_f32,
    remquo_f64,
    """(r, q): r = x − n·y with n the integer nearest to x/y, ties to even, exactly, as `remainder`;
    q an int32, the last three bits of |n| with the sign of x/y.

    (NaN, 0) if x is infinite or y is 0; (x, 0) if y is infinite.
    """,
)
