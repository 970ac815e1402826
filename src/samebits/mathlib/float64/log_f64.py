"""float64 log, log2, log10 and log1p, correctly rounded, by a table and a polynomial.

The table has reciprocals and their logarithms.

After Tang, "Table-driven implementation of the logarithm function in IEEE floating-point
arithmetic", ACM Transactions on Mathematical Software 16(4), 1990, with reciprocals so short that
the reduction is exact. A sum of two parts and a rounding test decide all but one input in ten
thousand, and `log_exact_f64` the rest with subnormal numbers, zeros, infinities and NaN.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, select
from samebits.lang.values.scalars import float64, int32, uint64
from samebits.mathlib.float64.exp_log_f64_table import LOG2S, LOG10S, LOGS, RECIPROCALS
from samebits.mathlib.float64.log_exact_f64 import log1p_exact, log2_exact, log10_exact, log_exact
from samebits.mathlib.primitives import muladd, product_error

# log(1 + r) - r + r²/2 = L3·r³ - r⁴/4 + L5·r⁵ + … + L9·r⁹ for |r| ≤ 2^-7, off by 2^-79.7 at most.
# Made by tools/math/exp_log_f64.sollya.
L3 = float.fromhex("0x1.5555555555555p-2")
L4 = -0.25
L5 = float.fromhex("0x1.99999999a53edp-3")
L6 = float.fromhex("-0x1.5555554cdd9dep-3")
L7 = float.fromhex("0x1.24924525b33a2p-3")
L8 = float.fromhex("-0x1.000547c79a8b3p-3")
L9 = float.fromhex("0x1.c802615ff9769p-4")

# Made by tools/math/exp_log_f64_table.py --constants: log 2 and log10 2 as multiples of 2^-42,
# exact times an exponent, with what they miss; 1/log 2 and 1/log 10 in two parts.
LN2_42 = float.fromhex("0x1.62e42fefa3800p-1")
LN2_REST = float.fromhex("0x1.ef35793c76730p-45")
LG2_42 = float.fromhex("0x1.34413509f8000p-2")
LG2_REST = float.fromhex("-0x1.80433b83b532ap-44")
PER_LN2 = float.fromhex("0x1.71547652b82fep+0")
PER_LN2_LOW = float.fromhex("0x1.777d0ffda0d24p-56")
PER_LN10 = float.fromhex("0x1.bcb7b1526e50ep-2")
PER_LN10_LOW = float.fromhex("0x1.95355baaafad3p-57")

OFFSET = 0x3FE6_0000_0000_0000
"""The bits of 11/16: significands are taken in [11/16, 11/8), so that those around 1 are whole."""
BIAS = 0x4000_0000_0000_0000
"""1024 in the place of the exponent, to have only positive ones."""
EXPONENT = 0xFFF0_0000_0000_0000
ONE_BITS = 0x3FF0_0000_0000_0000
UNIT = 2.0**52 + 1024.0
UNIT_BITS = 0x4330_0000_0000_0000
"""The bits of 2^52: an integer below 2^52 in its low bits is added to it."""
SMALLEST = 2.0**-1022
LARGEST = float.fromhex("0x1.fffffffffffffp1023")
LARGEST_1P = 2.0**1020

MARGIN_R = 2.0**-51
MARGIN_S = 2.0**-74
"""The error of s + low is below MARGIN_R·|r|³ + MARGIN_S·|s|, r the reduced argument: proven by
`make prove-rounding`."""
SCALED_MARGIN_R = 1.5 * 2.0**-51
"""The same where a logarithm is scaled, by 1.44 at most."""


@kernel
def reduce_log(x: float64) -> tuple[uint64, uint64, float64]:
    """x = z·2^e for a normal x > 0: e + 1024 in the top 12 bits of the first, z's table index in
    the 7 below, z's bits, e."""
    bits = bitcast(uint64, x)
    u = bits - OFFSET + BIAS
    e = bitcast(float64, (u >> 52) | UNIT_BITS) - UNIT
    return u, bits - ((u & EXPONENT) - BIAS), e


@kernel
def rest_of_log(r: float64, z: float64) -> float64:
    """log(1 + r) - r + r²/2 for |r| ≤ 2^-7 and z = r²."""
    high = muladd(z, muladd(z, muladd(z, L9, muladd(r, L8, L7)), muladd(r, L6, L5)),
                  muladd(r, L4, L3))  # fmt: skip
    return (z * r) * high


@kernel
def log_in_two_parts(
    e: float64, u: uint64, r: float64, r_low: float64
) -> tuple[float64, float64, float64]:
    """e·log 2 - log c + log(1 + r + r_low) as a sum s + low, and the margin of its error."""
    i = int32((u >> 45) & 127)
    a = muladd(e, LN2_42, LOGS[2 * i])  # exact
    a_low = muladd(e, LN2_REST, LOGS[2 * i + 1])
    z = r * r
    h = -0.5 * z
    s1 = a + r  # a is 0 or greater than r
    s = s1 + h
    lost = (r - (s1 - a)) + (h - (s - s1))
    z_low = muladd(-r, r_low, muladd(-0.5, product_error(r, r), r_low))
    low = lost + ((a_low + z_low) + rest_of_log(r, z))
    return s, low, muladd(abs(z * r), MARGIN_R, abs(s) * MARGIN_S)


@kernel
def scaled_log_in_two_parts(
    a: float64, a_low: float64, r: float64, unit: float64, unit_low: float64
) -> tuple[float64, float64, float64]:
    """a + a_low + log(1 + r)·(unit + unit_low) as a sum s + low, and the margin of its error."""
    z = r * r
    h = -0.5 * z
    v = r + h
    v_low = (h - (v - r)) + muladd(-0.5, product_error(r, r), rest_of_log(r, z))
    p = v * unit
    s = a + p  # a is 0 or greater than p
    low = product_error(v, unit) + muladd(v, unit_low, muladd(v_low, unit, a_low))
    return s, (p - (s - a)) + low, muladd(abs(z * r), SCALED_MARGIN_R, abs(s) * MARGIN_S)


@kernel
def reduced(z: float64, u: uint64) -> float64:
    """z·c - 1, exactly: a multiple of 2^-60 below 2^-7."""
    c = RECIPROCALS[int32((u >> 45) & 127)]
    return (z * c - 1.0) + product_error(z, c)


@kernel
def log(x: float64) -> float64:
    """Natural logarithm, correctly rounded."""
    u, z_bits, e = reduce_log(x)
    s, low, margin = log_in_two_parts(e, u, reduced(bitcast(float64, z_bits), u), 0.0)
    y = s + (low - margin)
    if (x < SMALLEST) | (not x <= LARGEST) | (y != s + (low + margin)):
        return log_exact(x)
    return y


@kernel
def log2_in_two_parts(x: float64) -> tuple[float64, float64, float64]:
    """log2 x as a sum s + low, and the margin of its error."""
    u, z_bits, e = reduce_log(x)
    i = int32((u >> 45) & 127)
    return scaled_log_in_two_parts(
        e + LOG2S[2 * i], LOG2S[2 * i + 1], reduced(bitcast(float64, z_bits), u),
        PER_LN2, PER_LN2_LOW,
    )  # fmt: skip


@kernel
def log2(x: float64) -> float64:
    """Logarithm to base 2, correctly rounded."""
    s, low, margin = log2_in_two_parts(x)
    y = s + (low - margin)
    if (x < SMALLEST) | (not x <= LARGEST) | (y != s + (low + margin)):
        return log2_exact(x)
    return y


@kernel
def log10_in_two_parts(x: float64) -> tuple[float64, float64, float64]:
    """log10 x as a sum s + low, and the margin of its error."""
    u, z_bits, e = reduce_log(x)
    i = int32((u >> 45) & 127)
    return scaled_log_in_two_parts(
        muladd(e, LG2_42, LOG10S[2 * i]), muladd(e, LG2_REST, LOG10S[2 * i + 1]),
        reduced(bitcast(float64, z_bits), u), PER_LN10, PER_LN10_LOW,
    )  # fmt: skip


@kernel
def log10(x: float64) -> float64:
    """Logarithm to base 10, correctly rounded."""
    s, low, margin = log10_in_two_parts(x)
    y = s + (low - margin)
    if (x < SMALLEST) | (not x <= LARGEST) | (y != s + (low + margin)):
        return log10_exact(x)
    return y


@kernel
def log1p_in_two_parts(x: float64, x_low: float64) -> tuple[float64, float64, float64]:
    """log(1 + x + x_low) as a sum s + low, and the margin of its error.

    For -1 < x ≤ 2^1020 and 1 + x normal; x_low is 0, or x ≥ 2^-900 and |x_low| ≤ 1.75·2^-52·x.
    """
    h = 1.0 + x
    part = h - 1.0
    lost = (1.0 - (h - part)) + (x - part)
    u, z_bits, e = reduce_log(h)
    down = bitcast(float64, z_bits - bitcast(uint64, h) + ONE_BITS)  # 2^-e
    c = RECIPROCALS[int32((u >> 45) & 127)]
    near = reduced(bitcast(float64, z_bits), u)
    first = (lost * down) * c
    second = (x_low * down) * c
    rest = first + second
    r = near + rest
    return log_in_two_parts(e, u, r, ((near - r) + rest) + (second - (rest - first)))


@kernel
def log1p(x: float64) -> float64:
    """log(1 + x), correctly rounded."""
    s, low, margin = log1p_in_two_parts(x, 0.0)
    y = s + (low - margin)
    if (not x > -1.0) | (not x <= LARGEST_1P) | (y != s + (low + margin)):
        return log1p_exact(x)
    return select(x == 0.0, x, y)
