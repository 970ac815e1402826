"""Floating point with 192 bits of significand, in integers: the accurate phase's arithmetic.

A number is five scalars (negative, e, x2, x1, x0): ±x·2^e, x the fraction whose 192 bits the three
words are, highest first. Its top bit is set; zero has none. Only `to_float64` rounds, the others
cut; a unit is the last place of a fraction, 2^-192.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import bitcast, clamp, clz, min, select, sqrt
from samebits.lang.values.scalars import float64, int32, int64, uint64
from samebits.mathlib.wide.fraction128 import mul_high

TOP_BIT = 0x8000_0000_0000_0000
MAGNITUDE = 0x7FFF_FFFF_FFFF_FFFF
INFINITY_BITS = 0x7FF0_0000_0000_0000
ZERO_EXPONENT = -1000000
"""Far below that of any other number, so that adding zero shifts nothing out."""
NOISE_BITS = 24
"""The lowest bits, which `to_float64` rounds away: an argument must be good to 2^-169."""
HALF_NOISE = 1 << (NOISE_BITS - 1)
THREE_SIXTEENTHS = 0x3000_0000_0000_0000
UNIT_62 = 2.0**62
UNIT_125 = 2.0**125
FRACTION_63 = 2.0**-63


@kernel
def product(
    a2: uint64, a1: uint64, a0: uint64, b2: uint64, b1: uint64, b0: uint64
) -> tuple[uint64, uint64, uint64]:
    """a·b of two fractions, less than six units too small."""
    low = a2 * b1
    high = mul_high(a2, b2)
    middle = a2 * b2
    t = mul_high(a2, b1)
    middle = middle + t
    high = high + uint64(middle < t)
    t = mul_high(a1, b2)
    middle = middle + t
    high = high + uint64(middle < t)
    t = a1 * b2
    low = low + t
    carry = uint64(low < t)
    t = mul_high(a1, b1)
    low = low + t
    carry = carry + uint64(low < t)
    t = mul_high(a2, b0)
    low = low + t
    carry = carry + uint64(low < t)
    t = mul_high(a0, b2)
    low = low + t
    carry = carry + uint64(low < t)
    middle = middle + carry
    return high + uint64(middle < carry), middle, low


@kernel
def difference(
    a2: uint64, a1: uint64, a0: uint64, b2: uint64, b1: uint64, b0: uint64
) -> tuple[uint64, uint64, uint64]:
    """a - b of two fractions modulo 1."""
    borrow = uint64(a0 < b0)
    t = a1 - b1
    carry = uint64(a1 < b1) + uint64(t < borrow)
    return a2 - b2 - carry, t - borrow, a0 - b0


@kernel
def shifted(x2: uint64, x1: uint64, x0: uint64, n: int32) -> tuple[uint64, uint64, uint64]:
    """A fraction over 2^n for n ≥ 0, cut."""
    n = min(n, 192)
    while n >= 64:
        x0 = x1
        x1 = x2
        x2 = uint64(0)
        n = n - 64
    s = uint64(n)
    left = 64 - s
    return x2 >> s, (x1 >> s) | (x2 << left), (x0 >> s) | (x1 << left)


@kernel
def normalised(
    e: int32, x2: uint64, x1: uint64, x0: uint64
) -> tuple[int32, uint64, uint64, uint64]:
    """The same number with its top bit set."""
    if (x2 | x1 | x0) == 0:
        return int32(ZERO_EXPONENT), x2, x1, x0
    while x2 == 0:
        x2 = x1
        x1 = x0
        x0 = uint64(0)
        e = e - 64
    s = clz(x2)
    right = 64 - s
    return e - int32(s), (x2 << s) | (x1 >> right), (x1 << s) | (x0 >> right), x0 << s


@kernel
def multiply(
    ae: int32, a2: uint64, a1: uint64, a0: uint64, be: int32, b2: uint64, b1: uint64, b0: uint64
) -> tuple[int32, uint64, uint64, uint64]:
    """|a·b|, less than twelve units too small."""
    p2, p1, p0 = product(a2, a1, a0, b2, b1, b0)
    return normalised(ae + be, p2, p1, p0)


@kernel
def add(
    a_negative: bool, ae: int32, a2: uint64, a1: uint64, a0: uint64,
    b_negative: bool, be: int32, b2: uint64, b1: uint64, b0: uint64,
) -> tuple[bool, int32, uint64, uint64, uint64]:  # fmt: skip
    """a + b, off by less than three units of the greater; exact where no bit is shifted out."""
    same = a_negative == b_negative
    negative = a_negative
    e = ae
    n = ae - be
    if n < 0:
        a2, a1, a0, b2, b1, b0 = b2, b1, b0, a2, a1, a0
        negative = b_negative
        e = be
        n = -n
    if same:
        # Half the sum, so that no carry is lost: a/2 - (-b/2) modulo 1.
        e = e + 1
        a2, a1, a0 = shifted(a2, a1, a0, 1)
        b2, b1, b0 = shifted(b2, b1, b0, n + 1)
        b2, b1, b0 = difference(0, 0, 0, b2, b1, b0)
    else:
        b2, b1, b0 = shifted(b2, b1, b0, n)
        if a2 < b2 or (a2 == b2 and (a1 < b1 or (a1 == b1 and a0 < b0))):
            negative = not negative
            a2, a1, a0, b2, b1, b0 = b2, b1, b0, a2, a1, a0
    a2, a1, a0 = difference(a2, a1, a0, b2, b1, b0)
    e, a2, a1, a0 = normalised(e, a2, a1, a0)
    return negative, e, a2, a1, a0


@kernel
def reciprocal(
    e: int32, x2: uint64, x1: uint64, x0: uint64
) -> tuple[int32, uint64, uint64, uint64]:
    """1/|x| to a relative 2^-184, for x not 0.

    Newton's iteration for y = 1/(4d), d the fraction: y' = 4y(1/2 - dy), from 50 bits.
    """
    y2 = uint64(UNIT_125 / float64(int64(x2 >> 1)))
    y1 = uint64(0)
    y0 = uint64(0)
    for _ in range(2):
        t2, t1, t0 = product(x2, x1, x0, y2, y1, y0)
        t2, t1, t0 = difference(TOP_BIT, 0, 0, t2, t1, t0)
        t2, t1, t0 = product(y2, y1, y0, t2, t1, t0)
        y2 = (t2 << 2) | (t1 >> 62)
        y1 = (t1 << 2) | (t0 >> 62)
        y0 = t0 << 2
    return normalised(2 - e, y2, y1, y0)


@kernel
def reciprocal_root(
    e: int32, x2: uint64, x1: uint64, x0: uint64
) -> tuple[int32, uint64, uint64, uint64]:
    """1/√x to a relative 2^-182, for x > 0.

    Newton's iteration for y = 1/(4√d), d the fraction with an even exponent:
    y' = 8y(3/16 - dy²), from 50 bits.
    """
    odd = e & 1
    x2, x1, x0 = shifted(x2, x1, x0, odd)
    y2 = uint64(UNIT_62 / sqrt(float64(int64(x2 >> 1)) * FRACTION_63))
    y1 = uint64(0)
    y0 = uint64(0)
    for _ in range(2):
        t2, t1, t0 = product(y2, y1, y0, y2, y1, y0)
        t2, t1, t0 = product(x2, x1, x0, t2, t1, t0)
        t2, t1, t0 = difference(THREE_SIXTEENTHS, 0, 0, t2, t1, t0)
        t2, t1, t0 = product(y2, y1, y0, t2, t1, t0)
        y2 = (t2 << 3) | (t1 >> 61)
        y1 = (t1 << 3) | (t0 >> 61)
        y0 = t0 << 3
    return normalised(2 - ((e + odd) >> 1), y2, y1, y0)


@kernel
def root(e: int32, x2: uint64, x1: uint64, x0: uint64) -> tuple[int32, uint64, uint64, uint64]:
    """√x to a relative 2^-181, for x ≥ 0."""
    re, r2, r1, r0 = reciprocal_root(e, x2, x1, x0)
    return multiply(e, x2, x1, x0, re, r2, r1, r0)


@kernel
def from_float64(x: float64) -> tuple[int32, uint64]:
    """Exponent and highest word of |x|, x finite; the other words are zero."""
    u = bitcast(uint64, x) & MAGNITUDE
    e = int32(u >> 52)
    if e != 0:
        return e - 1022, (u << 11) | TOP_BIT
    e, u, _, _ = normalised(-1010, u, 0, 0)
    return e, u


@kernel
def from_int(n: int32) -> tuple[int32, uint64]:
    """As `from_float64`, of |n|."""
    m = int64(n)
    e, u, _, _ = normalised(64, uint64(select(m < 0, -m, m)), 0, 0)
    return e, u


@kernel
def to_float64(negative: bool, e: int32, x2: uint64, x1: uint64, x0: uint64) -> float64:
    """Rounded to nearest, ties to even, into subnormals and infinities as well.

    First to 168 bits, so that a number that ought to lie on a boundary does.
    """
    x0 = x0 + HALF_NOISE
    carry = uint64(x0 < HALF_NOISE)
    x0 = (x0 >> NOISE_BITS) << NOISE_BITS
    x1 = x1 + carry
    carry = uint64(x1 < carry)
    x2 = x2 + carry
    if x2 < carry:
        x2 = uint64(TOP_BIT)
        e = e + 1
    cut = uint64(clamp(-1010 - e, 11, 65))
    kept = x2 >> cut
    half = (x2 >> (cut - 1)) & 1
    if (x2 << (65 - cut) | x1 | x0) == 0:
        half = half & kept
    kept = kept + half + (uint64(clamp(e, -1021, 1024) + 1021) << 52)
    if e > 1024:
        kept = uint64(INFINITY_BITS)
    return bitcast(float64, kept | (uint64(negative) << 63))
