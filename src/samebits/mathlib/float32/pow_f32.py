"""float32 pow, correctly rounded: |x|^y = 2^(y·log2 |x|) in float64, and integers for open cases.

Owns the kernel at precision HIGH. What float64 leaves open, one pair in 2^18, goes to the cold
kernel, and so do results outside the normal numbers, zeros, infinities and NaN: the rest of a loop
still vectorises.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, clamp, select
from samebits.lang.values.scalars import float32, float64, int32, int64, uint32, uint64
from samebits.mathlib.float32.exp_f32 import ROUNDER, power_of_two
from samebits.mathlib.float32.log_f32 import INFINITY, split
from samebits.mathlib.float64.pow_exact_f64 import BEYOND, pow_exact
from samebits.mathlib.primitives import cold_kernel, muladd
from samebits.mathlib.wide.arithmetic import HALF_NOISE, NOISE_BITS, TOP_BIT, from_float64, multiply
from samebits.mathlib.wide.exp import exp2
from samebits.mathlib.wide.log import log
from samebits.mathlib.wide.table import LOG2_E_HIGH, LOG2_E_LOW, LOG2_E_MIDDLE

ALL_INTEGERS = 2.0**22
"""Up to here `ROUNDER` shows which float32 are integers, and which of those are odd."""
LAST_DIGITS = 0x1FFF_FFFF
"""The bits of a float64 that a float32 lacks; a tie has the highest of them alone."""
TIE = 0x1000_0000
MARGIN = 1 << 11
"""In units of the last place: a relative 2^-42 to 2^-41. tools/prove/rounding shows that the result
is off by less than half of it: with |y·log2 |x|| < 126, the product by a relative 1.25·2^-50."""
FRACTION = 0xF_FFFF_FFFF_FFFF

# log2 m = s·(B1 + B3·s² + …) for |s| ≤ 0.1717 and 2^r for |r| ≤ 0.5005, relative errors 2^-52.3
# and 2^-45.7. Made by tools/math/powers_f32.sollya.
B1 = float.fromhex("0x1.71547652b82ffp1")
B3 = float.fromhex("0x1.ec709dc39ccafp-1")
B5 = float.fromhex("0x1.2776c5167ff15p-1")
B7 = float.fromhex("0x1.a617569746fdcp-2")
B9 = float.fromhex("0x1.484fa63882ca6p-2")
B11 = float.fromhex("0x1.0bb83da6b2017p-2")
B13 = float.fromhex("0x1.f17d02bf583eep-3")
E1 = float.fromhex("0x1.62e42fefa36abp-1")
E2 = float.fromhex("0x1.ebfbdff81b692p-3")
E3 = float.fromhex("0x1.c6b08d70f48dep-5")
E4 = float.fromhex("0x1.3b2ab724bec14p-7")
E5 = float.fromhex("0x1.5d87fd524b747p-10")
E6 = float.fromhex("0x1.430896c8cb3e7p-13")
E7 = float.fromhex("0x1.ffcec7c80329fp-17")
E8 = float.fromhex("0x1.63e7d49ccfbcfp-20")
E9 = float.fromhex("0x1.b3642f6745b02p-24")


@cold_kernel
def pow_rare(x: float32, y: float32) -> float32:
    """x^y, correctly rounded, from 192-bit integers."""
    a = float64(abs(x))
    n = float64(y)
    whole = abs(n) >= ALL_INTEGERS * 4.0 or float64(int64(n)) == n
    finite = a > 0.0 and a < INFINITY and abs(n) < INFINITY
    if not finite or n == 0.0 or (x < 0.0 and not whole):
        return float32(pow_exact(float64(x), n))  # exact in float32 too: 0, 1, infinite or NaN
    e, h = from_float64(a)
    below, e, x2, x1, x0 = log(e, h, 0, 0)
    e, x2, x1, x0 = multiply(e, x2, x1, x0, 1, LOG2_E_HIGH, LOG2_E_MIDDLE, LOG2_E_LOW)
    ye, yh = from_float64(n)
    e, x2, x1, x0 = multiply(e, x2, x1, x0, ye, yh, 0, 0)
    if e > 11:
        e = int32(11)
        x2 = uint64(BEYOND)
    _, e, x2, x1, x0 = exp2(below != (n < 0.0), e, x2, x1, x0, False)
    # To 168 bits, so that a power on a boundary is there, and to an odd float64, so that the next
    # rounding is the only one.
    x0 = x0 + HALF_NOISE
    carry = uint64(x0 < HALF_NOISE)
    x1 = x1 + carry
    carry = uint64(x1 < carry)
    x2 = x2 + carry
    if x2 < carry:
        x2 = uint64(TOP_BIT)
        e = e + 1
    inexact = (x2 & 0x7FF) | x1 | (x0 >> NOISE_BITS)
    bits = ((x2 >> 11) & FRACTION) | uint64(inexact != 0)
    result = float32(bitcast(float64, bits | (uint64(clamp(e, -300, 300) + 1022) << 52)))
    odd = x < 0.0 and abs(n) < ALL_INTEGERS * 4.0 and (int64(n) & 1) != 0
    return select(odd, -result, result)


@kernel
def pow(x: float32, y: float32) -> float32:
    """x^y, correctly rounded; special cases as IEEE 754-2019, 9.2.1 has them."""
    size = abs(x)
    k, m = split(size)
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    w = z * z
    q = muladd(w, B13, muladd(z, B11, B9))
    q = muladd(w, q, muladd(z, B7, B5))
    t = float64(y) * muladd(s, muladd(w, q, muladd(z, B3, B1)), k)
    near = float32(t)
    rounded = near + ROUNDER
    r = t - float64(rounded - ROUNDER)
    z = r * r
    p = muladd(z, muladd(r, E9, E8), muladd(r, E7, E6))
    p = muladd(z, muladd(z, p, muladd(r, E5, E4)), muladd(r, E3, E2))
    power = muladd(z, p, muladd(r, E1, 1.0)) * power_of_two(rounded)
    result = float32(power)
    lattice = y + ROUNDER
    whole = abs(y) < ALL_INTEGERS and lattice - ROUNDER == y
    negative = x < 0.0
    certain = ((bitcast(uint64, power) - (TIE - MARGIN)) & LAST_DIGITS) >= 2 * MARGIN
    plain = size > 0.0 and size < INFINITY and abs(near) < 126.0 and (whole or not negative)
    if not (certain and plain):
        return pow_rare(x, y)
    odd = (bitcast(uint32, lattice) & 1) != 0
    return select(negative and odd, -result, result)
