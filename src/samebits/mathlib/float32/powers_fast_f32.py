"""float32 pow, cbrt, rsqrt and hypot at MEDIUM and LOW precision.

Owns these kernels. Nothing is fused: the results are not correctly rounded, and have to be the same
everywhere nevertheless.
"""

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, copysign, select, sqrt
from samebits.lang.values.scalars import float32, float64, int32, uint32, uint64
from samebits.mathlib.float32.exp_f32 import ROUNDER, power_of_two
from samebits.mathlib.float32.exp_fast_f32 import D1, D2, D3, D4, scale
from samebits.mathlib.float32.log_f32 import INFINITY, LEAST_NORMAL, NAN, TWO_24, split
from samebits.mathlib.float32.log_fast_f32 import split_low
from samebits.mathlib.float32.pow_f32 import ALL_INTEGERS, pow_rare
from samebits.mathlib.float32.roots_f32 import (
    H1,
    INVERSE_ROOT_TWO,
    R0,
    R1,
    R2,
    R3,
    R4,
    R5,
    ROOT_TWO,
)

# log2((1 + s)/(1 - s)) = s·(P1 + …) for |s| ≤ 0.1717 and 2^r for |r| ≤ 0.5005, relative errors
# 2^-37.8 and 2^-28.8: for MEDIUM. Made by tools/math/medium_low_f32.sollya.
P1 = 2.885390081790171645792497656657360494136810302734375
P3 = 0.96179667322576622989771522043156437575817108154296875
P5 = 0.577083608581879570209594021434895694255828857421875
P7 = 0.411671223220657633845576128805987536907196044921875
P9 = 0.3407591111687795493168096072622574865818023681640625
B1 = 0.6931472058612671016675221835612319409847259521484375
B2 = 0.2402264860924588629753628765683970414102077484130859375
B3 = 5.5503284919662464191869588603367446921765804290771484375e-2
B4 = 9.61835344100643585552035119690117426216602325439453125e-3
B5 = 1.3400050122854795069118356115623352257230035960674285888671875e-3
B6 = 1.537661803570131830408429518541879588156007230281829833984375e-4

# log2((1 + s)/(1 - s)) = s·(G1 + …) for |s| ≤ 0.1717, relative error 2^-26.2: for LOW.
G1 = 2.8853900432586669921875
G3 = 0.96180880069732666015625
G5 = 0.576037585735321044921875
G7 = 0.4448762834072113037109375


@kernel
def pow_medium(x: float32, y: float32) -> float32:
    """x^y, at most 0.55 ULP off; special cases as IEEE 754-2019, 9.2.1 has them."""
    size = abs(x)
    k, m = split(size)
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    w = z * z
    t = float64(y) * (k + s * ((P1 + z * P3) + w * ((P5 + z * P7) + w * P9)))
    lattice = y + ROUNDER
    whole = abs(y) < ALL_INTEGERS and lattice - ROUNDER == y
    negative = x < 0.0
    plain = size > 0.0 and size < INFINITY and abs(t) < 126.0 and (whole or not negative)
    if not plain:
        return pow_rare(x, y)
    rounded = float32(t) + ROUNDER
    r = t - float64(rounded - ROUNDER)
    z = r * r
    p = (1.0 + r * B1) + z * ((B2 + r * B3) + z * ((B4 + r * B5) + z * B6))
    result = float32(p * power_of_two(rounded))
    odd = (bitcast(uint32, lattice) & 1) != 0
    return select(negative and odd, -result, result)


@kernel
def pow_low(x: float32, y: float32) -> float32:
    """x^y, at most 560 ULP off for normal x and 2^-126 ≤ |x^y| ≤ 2^127.4.

    For x < 0 this holds for |y| ≤ 2^22, where it is NaN unless y is an integer; 0 or inf beyond
    the range of results.
    """
    size = abs(x)
    k, f = split_low(size)
    s = f / (f + 2.0)
    z = s * s
    t = y * (k + s * ((G1 + z * G3) + (z * z) * (G5 + z * G7)))
    t = select(x == 0.0, -y * INFINITY, t)
    t = select(y == 0.0, 0.0, select(size < INFINITY, t, y * size))
    t = select(t > 128.0, 128.0, t)
    t = select(t < -127.0, -127.0, t)
    rounded = t + ROUNDER
    r = t - (rounded - ROUNDER)
    result = (1.0 + r * (D1 + r * (D2 + r * (D3 + r * D4)))) * scale(rounded)
    lattice = y + ROUNDER
    odd = (bitcast(uint32, lattice) & 1) != 0
    other = select(lattice - ROUNDER == y, select(odd, -result, result), NAN)
    return select(x < 0.0, other, result)


@kernel
def cbrt_medium(x: float32) -> float32:
    """Cube root, at most 0.51 ULP off; −0 for −0."""
    size = abs(x)
    small = size < LEAST_NORMAL
    bits = bitcast(int32, select(small, size * TWO_24, size))
    third = ((bits >> 23) * 171) >> 9
    wide, r = start_of_root(bits, third)
    start = float64(r)
    t = float64(wide) * (start * start)
    h = 1.0 - t * start
    power = bitcast(float64, uint64(select(small, third - 8, third) + (1023 - 42)) << 52)
    y = float32((t + (t * h) * H1) * power)
    y = select(size < INFINITY, y, size)
    return copysign(select(size > 0.0, y, size), x)


@kernel
def start_of_root(bits: int32, third: int32) -> tuple[float32, float32]:
    """A number from ½ to 4 with the significand of `bits` and exponent less 3·(third − 42), and
    its inverse cube root, relative error 2^-17."""
    rest = (bits >> 23) - third * 3 - 1
    m = bitcast(float32, (bits & 0x7F_FFFF) | 0x3F80_0000)
    wide = bitcast(float32, (bits & 0x7F_FFFF) | ((rest + 127) << 23))
    z = m * m
    r = (R0 + m * R1) + z * ((R2 + m * R3) + z * (R4 + m * R5))
    return wide, select(rest > 0, r * INVERSE_ROOT_TWO, select(rest < 0, r * ROOT_TWO, r))


@kernel
def cbrt_low(x: float32) -> float32:
    """Cube root, at most 250 ULP off for normal x; zeros, subnormals and infinities stay."""
    size = abs(x)
    bits = bitcast(int32, size)
    third = ((bits >> 23) * 171) >> 9
    wide, r = start_of_root(bits, third)
    y = (wide * (r * r)) * bitcast(float32, (third + (127 - 42)) << 23)
    return select(size >= LEAST_NORMAL and size < INFINITY, copysign(y, x), x)


@kernel
def rsqrt_medium(x: float32) -> float32:
    """1/√x, at most 0.51 ULP off; ±inf for ±0, NaN below."""
    start = float64(1.0 / sqrt(x))
    h = 1.0 - (float64(x) * start) * start
    result = select(x < INFINITY, float32(start + (start * h) * 0.5), 0.0)
    return select(x > 0.0, result, select(x == 0.0, copysign(INFINITY, x), NAN))


@kernel
def rsqrt_low(x: float32) -> float32:
    """1/√x, at most 2 ULP off; ±inf for ±0, NaN below."""
    return 1.0 / sqrt(x)


@kernel
def hypot_medium(x: float32, y: float32) -> float32:
    """√(x² + y²), at most 0.51 ULP off; inf where x or y is infinite, else NaN for a NaN."""
    a = float64(x)
    b = float64(y)
    infinite = abs(x) == INFINITY or abs(y) == INFINITY
    return select(infinite, INFINITY, float32(sqrt(a * a + b * b)))


@kernel
def hypot_low(x: float32, y: float32) -> float32:
    """√(x² + y²), at most 2 ULP off where the greater is from 2^-50 to 2^63; inf far beyond, less
    accurate below, NaN where one is NaN."""
    return sqrt(x * x + y * y)
