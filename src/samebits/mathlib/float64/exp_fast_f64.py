"""float64 exp, exp2, exp10 and expm1 at MEDIUM and LOW precision.

Owns these kernels. Nothing is fused: the results are not correctly rounded, and have to be the same
everywhere nevertheless. MEDIUM takes the table of HIGH, LOW a longer polynomial alone; expm1 at
MEDIUM is that of HIGH.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, select
from samebits.lang.values.scalars import float64, int32, uint64
from samebits.mathlib.float64.exp_f64 import (
    LN2,
    LN10,
    ONE_BITS,
    ROUNDER,
    STEP_1,
    STEP_2,
    STEP_10_1,
    STEP_10_2,
    STEPS_PER_UNIT,
    STEPS_PER_UNIT_10,
    STEPS_ROUNDER,
)
from samebits.mathlib.float64.exp_log_f64_table import POWERS

# e^r - 1 - r - r²/2 for |r| ≤ log(2)/256, off by 2^-63.9. Made by tools/math/exp_log_f64.sollya.
M3 = float.fromhex("0x1.555555555547p-3")
M4 = float.fromhex("0x1.55555a3891269p-5")
M5 = float.fromhex("0x1.1111160e63d32p-7")

# e^r - 1 - r = r²·(L2 + L3·r + … + L10·r⁸) for |r| ≤ 0.347, off by 2^-48 of e^r - 1. Made by
# tools/math/exp_low_f64.py.
L2 = float.fromhex("0x1.0000000000000p-1")
L3 = float.fromhex("0x1.5555555553b3cp-3")
L4 = float.fromhex("0x1.5555555554ca3p-5")
L5 = float.fromhex("0x1.1111111c5b16fp-7")
L6 = float.fromhex("0x1.6c16c1739cf9cp-10")
L7 = float.fromhex("0x1.a019ad41ef162p-13")
L8 = float.fromhex("0x1.a019c964743c8p-16")
L9 = float.fromhex("0x1.72c7b3ac3a215p-19")
L10 = float.fromhex("0x1.28809b1a1156ep-22")
PER_LN2 = float.fromhex("0x1.71547652b82fep+0")
PER_LG2 = float.fromhex("0x1.a934f0979a371p+1")
# log 2 and log10 2, 128 times STEP_1 and so on: the first parts are exact times 11 bits.
LN2_1 = float.fromhex("0x1.62e42fefc0000p-1")
LN2_2 = float.fromhex("-0x1.c610ca86c3899p-37")
LG2_1 = float.fromhex("0x1.3441350a00000p-2")
LG2_2 = float.fromhex("-0x1.0c0219dc1da99p-39")

BOUND = 760.0
BOUND_2 = 1100.0
BOUND_10 = 331.0
"""Beyond, results are as here: 0 or infinity."""
BOUND_M1 = 709.9
"""Beyond, e^x - 1 is infinite."""
LEAST_M1 = -60.0
"""Below, e^x - 1 rounds to -1."""
TINY = 2.0**-54
"""Below, e^x - 1 rounds to x."""


@kernel
def between(x: float64, first: float64, last: float64) -> float64:
    """x within [first, last]; NaN for NaN."""
    x = select(x > last, last, x)
    return select(x < first, first, x)


@kernel
def times_power(y: float64, n: uint64) -> float64:
    """y·2^n in two steps, the first exact, for |n| ≤ 2044 in the low 12 bits of n, two's complement
    with one more above."""
    half = n >> 1
    first = bitcast(float64, (half << 52) + ONE_BITS)
    return (y * first) * bitcast(float64, ((n - half) << 52) + ONE_BITS)


@kernel
def medium_power(k: uint64, r: float64) -> float64:
    """2^(k/128)·e^r for |r| ≤ log(2)/256."""
    i = int32(k & 127)
    t = POWERS[2 * i]
    z = r * r
    p = r + z * ((0.5 + r * M3) + z * (M4 + r * M5))
    return times_power(t + (POWERS[2 * i + 1] + t * p), k >> 7)


@kernel
def low_rest(r: float64) -> float64:
    """e^r - 1 for |r| ≤ 0.347."""
    z = r * r
    high = (L6 + r * L7) + z * ((L8 + r * L9) + z * L10)
    return r + z * ((L2 + r * L3) + z * ((L4 + r * L5) + z * high))


@kernel
def exp_medium(x: float64) -> float64:
    """e^x, within 0.8 ULP."""
    x = between(x, -BOUND, BOUND)
    shifted = x * STEPS_PER_UNIT + ROUNDER
    k = shifted - ROUNDER
    return medium_power(bitcast(uint64, shifted), (x - k * STEP_1) - k * STEP_2)


@kernel
def exp2_medium(x: float64) -> float64:
    """2^x, within 0.8 ULP."""
    x = between(x, -BOUND_2, BOUND_2)
    shifted = x + STEPS_ROUNDER
    return medium_power(bitcast(uint64, shifted), (x - (shifted - STEPS_ROUNDER)) * LN2)


@kernel
def exp10_medium(x: float64) -> float64:
    """10^x, within 0.8 ULP."""
    x = between(x, -BOUND_10, BOUND_10)
    shifted = x * STEPS_PER_UNIT_10 + ROUNDER
    k = shifted - ROUNDER
    r = ((x - k * STEP_10_1) - k * STEP_10_2) * LN10
    return medium_power(bitcast(uint64, shifted), r)


@kernel
def exp_low(x: float64) -> float64:
    """e^x, within 10 ULP."""
    x = between(x, -BOUND, BOUND)
    shifted = x * PER_LN2 + ROUNDER
    k = shifted - ROUNDER
    return times_power(1.0 + low_rest((x - k * LN2_1) - k * LN2_2), bitcast(uint64, shifted))


@kernel
def exp2_low(x: float64) -> float64:
    """2^x, within 10 ULP."""
    x = between(x, -BOUND_2, BOUND_2)
    shifted = x + ROUNDER
    r = (x - (shifted - ROUNDER)) * LN2
    return times_power(1.0 + low_rest(r), bitcast(uint64, shifted))


@kernel
def exp10_low(x: float64) -> float64:
    """10^x, within 10 ULP."""
    x = between(x, -BOUND_10, BOUND_10)
    shifted = x * PER_LG2 + ROUNDER
    k = shifted - ROUNDER
    r = ((x - k * LG2_1) - k * LG2_2) * LN10
    return times_power(1.0 + low_rest(r), bitcast(uint64, shifted))


@kernel
def half_expm1_low(x: float64) -> float64:
    """(e^x - 1)/2 for -60 ≤ x < 710.48, within 40 ULP."""
    shifted = x * PER_LN2 + ROUNDER
    k = shifted - ROUNDER
    r = (x - k * LN2_1) - k * LN2_2
    # An eighth of e^x - 1, so that no power of two overflows.
    unit = 0.5 * bitcast(float64, ((bitcast(uint64, shifted) - 2) << 52) + ONE_BITS)
    return 4.0 * (unit * low_rest(r) + (unit - 0.125))


@kernel
def expm1_low(x: float64) -> float64:
    """e^x - 1, within 40 ULP."""
    y = 2.0 * half_expm1_low(between(x, LEAST_M1, BOUND_M1))
    return select(abs(x) < TINY, x, y)
