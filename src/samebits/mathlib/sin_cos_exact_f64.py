"""float64 sine in integers: 128-bit fractions, relative error below 2^-120, rounded once.

The way out for the one input in a thousand whose sine lies too near a rounding boundary for
`sin_cos_f64` to decide.
"""

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.functions import bitcast, clz, select
from samebits.lang.scalars import float64, int32, int64, uint64
from samebits.mathlib.fraction128 import mul_fraction
from samebits.mathlib.reduce_f64 import quarter_turns
from samebits.mathlib.sin_cos_f64_table import COS_FACTORS, SIN_FACTORS

# π/4 as a fraction of 2^128, made by tools/math/sin_cos_f64_table.py.
QUARTER_PI_HIGH = 0xC90F_DAA2_2168_C234
QUARTER_PI_LOW = 0xC4C6_628B_80DC_1CD1


@kernel
def series(u_high: uint64, u_low: uint64, odd: bool) -> tuple[uint64, uint64]:
    """cos √u, or sin √u / √u unless `odd`, as a fraction: 1 - u·c1·(1 - u·c2·(1 - …)).

    The first of 16 terms left out is below 2^-128 for u ≤ (π/4)².
    """
    high = ~uint64(0)
    low = ~uint64(0)
    for j in range(15, -1, -1):
        c_high = select(odd, COS_FACTORS[2 * j], SIN_FACTORS[2 * j])
        c_low = select(odd, COS_FACTORS[2 * j + 1], SIN_FACTORS[2 * j + 1])
        c_high, c_low = mul_fraction(u_high, u_low, c_high, c_low)
        high, low = mul_fraction(c_high, c_low, high, low)
        high = ~high
        low = ~low
    return high, low


@kernel
def sin_turned_exact(x: float64, turns: uint64) -> float64:
    """sin(x + turns·π/2), rounded to nearest; for 2^-27 ≤ x < 2^1024."""
    high, middle, low = quarter_turns(x)
    n = (high + 0x2000_0000_0000_0000) >> 62
    high = high - (n << 62)
    negative = (high >> 63) != 0
    if negative:
        low = -low
        middle = ~middle + uint64(low == 0)
        high = ~high + uint64(middle == 0 and low == 0)
    # The leading bit to the top: |f| = (high:middle)·2^(-126 - zeros) quarter turns.
    zeros = uint64(0)
    if high == 0:
        high = middle
        middle = low
        low = uint64(0)
        zeros = uint64(64)
    s = clz(high)  # high is not 0: no float64 is within 2^-70 of a multiple of π/2
    high = (high << s) | (middle >> (64 - s))
    middle = (middle << s) | (low >> (64 - s))
    zeros = zeros + s  # 2 or more
    # |r| = v·2^(3 - zeros) ≤ π/4, v a fraction.
    v_high, v_low = mul_fraction(high, middle, QUARTER_PI_HIGH, QUARTER_PI_LOW)
    if zeros < 3:
        high = (v_high << 1) | (v_low >> 63)
        middle = v_low << 1
    elif zeros < 67:
        high = v_high >> (zeros - 3)
        middle = (v_low >> (zeros - 3)) | (v_high << (67 - zeros))
    else:
        high = uint64(0)
        middle = v_high >> (zeros - 67)
    u_high, u_low = mul_fraction(high, middle, high, middle)
    quadrant = n + turns
    odd = (quadrant & 1) != 0
    w_high, w_low = series(u_high, u_low, odd)
    e = int32(0)  # |result| = w·2^e
    if not odd:
        w_high, w_low = mul_fraction(v_high, v_low, w_high, w_low)
        e = 3 - int32(zeros)
    s = clz(w_high)
    w_high = (w_high << s) | (w_low >> (64 - s))
    e = e - int32(s)
    # No sine of a float64 lies half way between two, so the first bit left out decides.
    y = (w_high >> 11) + ((w_high >> 10) & 1)
    value = float64(int64(y)) * bitcast(float64, uint64(e + 970) << 52)
    minus = ((quadrant & 2) != 0) != (negative and not odd)
    return select(minus, -value, value)
