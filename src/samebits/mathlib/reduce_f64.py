"""Argument reduction for float64 sine and cosine: x modulo a full turn, by Cody and Waite below
32768 and by Payne and Hanek beyond.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.functions import abs, bitcast, clamp, select
from samebits.lang.scalars import float64, int32, int64, uint32, uint64
from samebits.mathlib.sin_cos_f64_table import TWO_OVER_PI_WORDS

LOW_32 = 0xFFFF_FFFF
TOP_26_BITS = 0xFFFF_FFFF_F800_0000
ROUNDER = 1.5 * 2.0**52
"""Adding it to |v| < 2⁵¹ rounds v to an integer, which stands in the sum's low bits."""

# Made by tools/math/sin_cos_f64_table.py. The first two parts of π/256 have 31 bits each, so that a
# count of up to 22 bits times one is exact; the top of π/2 has 25, so that 26 bits times it are.
STEP_1 = float.fromhex("0x1.921fb54400000p-7")
STEP_2 = float.fromhex("0x1.0b4611a000000p-41")
STEP_3 = float.fromhex("0x1.898cc51701b84p-71")
STEPS_PER_UNIT = float.fromhex("0x1.45f306dc9c883p+6")
HALF_PI = float.fromhex("0x1.921fb54442d18p+0")
HALF_PI_LOW = float.fromhex("0x1.1a62633145c07p-54")
HALF_PI_TOP = float.fromhex("0x1.921fb5p+0")
HALF_PI_REST = float.fromhex("0x1.110b46p-26")

UNIT_54 = 2.0**-54
UNIT_102 = 2.0**-102
UNIT_126 = 2.0**-126
NEAR_STEP = 2.0**-29
"""Closer than this to a multiple of π/256, three parts of it are too few."""


@kernel
def top_26(x: float64) -> float64:
    """x cut to its leading 26 bits: the product of two such is exact."""
    return bitcast(float64, bitcast(uint64, x) & TOP_26_BITS)


@kernel
def quarter_turns(x: float64) -> tuple[uint64, uint64, uint64]:
    """x·2/π modulo 4 in 192 bits, high word first, the point after two; error below 2^-200.

    For 2^-27 ≤ x < 2^1024. Payne and Hanek, "Radian reduction for trigonometric functions", ACM
    SIGNUM Newsletter 18(1), 1983: only 256 bits of 2/π matter, from weight 2^(1-e) on, where
    x = m·2^e with m an integer; heavier ones give whole turns.
    """
    u = bitcast(uint64, x)
    m = (u & 0xF_FFFF_FFFF_FFFF) | 0x10_0000_0000_0000
    m1 = m >> 32
    m0 = m & LOW_32
    start = int32(u >> 52) - 949  # the table starts at weight 2^127
    i = clamp(start >> 5, 0, 34)
    down = uint64(32 - (start & 31))
    t1 = TWO_OVER_PI_WORDS[i + 1]
    t2 = TWO_OVER_PI_WORDS[i + 2]
    t3 = TWO_OVER_PI_WORDS[i + 3]
    t4 = TWO_OVER_PI_WORDS[i + 4]
    t5 = TWO_OVER_PI_WORDS[i + 5]
    t6 = TWO_OVER_PI_WORDS[i + 6]
    t7 = TWO_OVER_PI_WORDS[i + 7]
    w7 = (((TWO_OVER_PI_WORDS[i] << 32) | t1) >> down) & LOW_32
    w6 = (((t1 << 32) | t2) >> down) & LOW_32
    w5 = (((t2 << 32) | t3) >> down) & LOW_32
    w4 = (((t3 << 32) | t4) >> down) & LOW_32
    w3 = (((t4 << 32) | t5) >> down) & LOW_32
    w2 = (((t5 << 32) | t6) >> down) & LOW_32
    w1 = (((t6 << 32) | t7) >> down) & LOW_32
    w0 = (((t7 << 32) | TWO_OVER_PI_WORDS[i + 8]) >> down) & LOW_32
    # m·w modulo 2^256, column by column; the two lowest columns only carry.
    a = m0 * w0
    a = m0 * w1 + (a >> 32)
    b = m1 * w0 + (a & LOW_32)
    a = m0 * w2 + ((a >> 32) + (b >> 32))
    b = m1 * w1 + (a & LOW_32)
    r2 = b & LOW_32
    a = m0 * w3 + ((a >> 32) + (b >> 32))
    b = m1 * w2 + (a & LOW_32)
    r3 = b & LOW_32
    a = m0 * w4 + ((a >> 32) + (b >> 32))
    b = m1 * w3 + (a & LOW_32)
    r4 = b & LOW_32
    a = m0 * w5 + ((a >> 32) + (b >> 32))
    b = m1 * w4 + (a & LOW_32)
    r5 = b & LOW_32
    a = m0 * w6 + ((a >> 32) + (b >> 32))
    b = m1 * w5 + (a & LOW_32)
    r6 = b & LOW_32
    r7 = (m0 * w7 + m1 * w6 + ((a >> 32) + (b >> 32))) & LOW_32
    return (r7 << 32) | r6, (r5 << 32) | r4, (r3 << 32) | r2


@kernel
def reduce_large(x: float64) -> tuple[uint32, float64, float64]:
    """As `reduce`, for 2^-8 ≤ x < 2^1024, to an absolute error of 2^-126."""
    high, middle, _ = quarter_turns(x)
    # Nine bits are the step, the rest is a signed remainder.
    n = (high + 0x40_0000_0000_0000) >> 55
    high = high - (n << 55)
    negative = (high >> 63) != 0
    if negative:
        middle = -middle
        high = ~high + uint64(middle == 0)
    f0 = float64(int64(high >> 8)) * UNIT_54
    f1 = float64(int64(((high & 255) << 40) | (middle >> 24))) * UNIT_102
    f2 = float64(int64(middle & 0xFF_FFFF)) * UNIT_126
    t = f1 + f2
    f = f0 + t
    f_low = (t - (f - f0)) + (f2 - (t - f1))
    # Times π/2, both in two parts.
    p = f * HALF_PI
    a = top_26(f)
    b = f - a
    error = ((a * HALF_PI_TOP - p) + (a * HALF_PI_REST + b * HALF_PI_TOP)) + b * HALF_PI_REST
    rest = error + (f * HALF_PI_LOW + f_low * HALF_PI)
    d = p + rest
    d_low = rest - (d - p)
    return (
        uint32(n & 511),
        select(negative, -d, d),
        select(negative, -d_low, d_low),
    )


@kernel
def reduce(x: float64) -> tuple[uint32, float64, float64]:
    """(n, d, d_low) with x = n·π/256 + d + d_low, n modulo 512 and |d| ≤ π/512.

    For 2^-27 ≤ x < 2^1024. Error below 2^-98 where x < 32768 and |d| ≥ 2^-29 or n = 0, else 2^-126.
    """
    if x < 32768.0:
        rounded = x * STEPS_PER_UNIT + ROUNDER
        n = rounded - ROUNDER
        r = x - n * STEP_1  # exact
        w = n * STEP_2  # exact
        t = r - w
        v = t - r
        rest = ((r - (t - v)) - (w + v)) - n * STEP_3
        d = t + rest
        if n == 0.0 or abs(d) >= NEAR_STEP:
            return uint32(bitcast(uint64, rounded) & 511), d, rest - (d - t)
    return reduce_large(x)
