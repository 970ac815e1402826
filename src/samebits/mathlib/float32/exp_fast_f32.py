"""float32 exp, exp2, exp10 and expm1 at MEDIUM and LOW precision, mostly in float32 alone.

Owns these kernels. Nothing is fused: the results are not correctly rounded, and have to be the same
everywhere nevertheless.
"""

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import bitcast, copysign, select
from samebits.lang.values.scalars import float32, float64, int32
from samebits.mathlib.float32.exp_f32 import ROUNDER, ROUNDER_BITS, power_of_two

LOG2_E = float.fromhex("0x1.71547652b82fep0")
LOG2_10 = float.fromhex("0x1.a934f0979a371p1")
LN2 = float.fromhex("0x1.62e42fefa39efp-1")
LOG10_2 = float.fromhex("0x1.34413509f79ffp-2")
LN10 = float.fromhex("0x1.26bb1bbb55516p1")
LN10_REST = -3.1975435632602967e-08
"""Of ln 10 beyond float32."""
# ln 2 and log10 2 in 12 bits, of which 8-bit multiples are exact in float32, and the rests.
LN2_TOP = 0.693115234375
LN2_REST = 3.1946183298714458942413330078125e-5
LOG10_2_TOP = 0.301025390625
LOG10_2_REST = 4.605039066518656909465789794921875e-6

# e^r for |r| ≤ 0.3475 and 2^r for |r| ≤ 0.5005, relative errors 2^-28.2 and 2^-28.0, and
# (e^r - 1)/r for |r| ≤ 0.3475, 2^-32.0: for MEDIUM. Made by tools/math/medium_low_f32.sollya, as
# are those for LOW.
X2 = 0.4999999105930328369140625
X3 = 0.16666519641876220703125
X4 = 4.16689552366733551025390625e-2
X5 = 8.36885161697864532470703125e-3
X6 = 1.37835857458412647247314453125e-3
Y1 = 0.693147182464599609375
Y2 = 0.240226447582244873046875
Y3 = 5.55035881698131561279296875e-2
Y4 = 9.6188373863697052001953125e-3
Y5 = 1.339132781140506267547607421875e-3
Y6 = 1.52398613863624632358551025390625e-4
M1 = 1.000000000031869173966470043524168431758880615234375
M2 = 0.500000004740344561326992334215901792049407958984375
M3 = 0.1666666624289603049202668216821621172130107879638671875
M4 = 4.1666351102784847382221045108963153325021266937255859375e-2
M5 = 8.333403644615829108932558710876037366688251495361328125e-3
M6 = 1.39412838214950161701277675518895193818025290966033935546875e-3
M7 = 1.9841251423971810637081336636811101925559341907501220703125e-4

# e^r and 2^r, 10^r and (e^r - 1)/r, relative errors 2^-18.3 and less: for LOW.
E1 = 0.99996650218963623046875
E2 = 0.500030457973480224609375
E3 = 0.1678809821605682373046875
E4 = 4.1513018310070037841796875e-2
D1 = 0.693121731281280517578125
D2 = 0.240235984325408935546875
D3 = 5.591858550906181335449218750e-2
D4 = 9.606371633708477020263671875e-3
T1 = 2.302500247955322265625
T2 = 2.651053905487060546875
T3 = 2.0498998165130615234375
T4 = 1.16982614994049072265625
L1 = 0.999999940395355224609375
L2 = 0.4999937117099761962890625
L3 = 0.16666956245899200439453125
L4 = 4.1876137256622314453125e-2
L5 = 8.332072757184505462646484375e-3


@kernel
def times_power(p: float32, rounded: float32) -> float32:
    """p·2^k for the k that `rounded` = k + ROUNDER holds, |k| ≤ 200, ½ < p < 2; rounded once."""
    k = bitcast(int32, rounded) - ROUNDER_BITS
    half = k >> 1
    first = p * bitcast(float32, (half + 127) << 23)
    return first * bitcast(float32, (k - half + 127) << 23)


@kernel
def one_plus(a: float32, b: float32) -> float32:
    """1 + a + b for 1 > |a|, and |b| far less, with little more than the error of one sum."""
    total = 1.0 + a
    return total + ((a - (total - 1.0)) + b)


@kernel
def exp_near_zero(r: float32) -> float32:
    """e^r for |r| ≤ 0.3475."""
    z = r * r
    return one_plus(r, z * ((X2 + r * X3) + z * ((X4 + r * X5) + z * X6)))


@kernel
def exp_medium(x: float32) -> float32:
    """e^x, at most 0.81 ULP off; 0 for −inf."""
    x = select(x > 89.0, 89.0, x)
    x = select(x < -104.0, -104.0, x)
    rounded = x * LOG2_E + ROUNDER
    k = rounded - ROUNDER
    r = (x - k * LN2_TOP) - k * LN2_REST
    return times_power(exp_near_zero(r), rounded)


@kernel
def exp2_medium(x: float32) -> float32:
    """2^x, at most 0.9 ULP off; 0 for −inf."""
    x = select(x > 129.0, 129.0, x)
    x = select(x < -151.0, -151.0, x)
    rounded = x + ROUNDER
    r = x - (rounded - ROUNDER)
    z = r * r
    p = one_plus(r * Y1, z * ((Y2 + r * Y3) + z * ((Y4 + r * Y5) + z * Y6)))
    return times_power(p, rounded)


@kernel
def exp10_medium(x: float32) -> float32:
    """10^x, at most 1 ULP off; 0 for −inf."""
    x = select(x > 39.0, 39.0, x)
    x = select(x < -46.0, -46.0, x)
    rounded = x * LOG2_10 + ROUNDER
    k = rounded - ROUNDER
    top = x - k * LOG10_2_TOP  # exact
    rest = k * LOG10_2_REST
    r = (top - rest) * LN10
    z = r * r
    # The series' first term is top·LN10: no rounding of top - rest or of ln 10 is in it.
    beyond = top * LN10_REST - rest * LN10
    curve = z * ((X2 + r * X3) + z * ((X4 + r * X5) + z * X6))
    return times_power(one_plus(top * LN10, curve + beyond), rounded)


@kernel
def expm1_medium(x: float32) -> float32:
    """e^x − 1, at most 0.51 ULP off; −1 for −inf, −0 for −0."""
    x = select(x > 89.0, 89.0, x)
    x = select(x < -20.0, -20.0, x)
    wide = float64(x)
    rounded = x * LOG2_E + ROUNDER
    r = wide - float64(rounded - ROUNDER) * LN2
    z = r * r
    p = (M1 + r * M2) + z * ((M3 + r * M4) + z * ((M5 + r * M6) + z * M7))
    power = power_of_two(rounded)
    return copysign(float32((power - 1.0) + power * (r * p)), x)


@kernel
def scale(rounded: float32) -> float32:
    """2^k for the k from −127 (giving 0) to 128 (inf) that `rounded` = k + ROUNDER holds."""
    return bitcast(float32, (bitcast(int32, rounded) - (ROUNDER_BITS - 127)) << 23)


@kernel
def exp_low(x: float32) -> float32:
    """e^x, at most 150 ULP off for −87.3 < x < 88.3; 0 below, inf above."""
    x = select(x > 89.0, 89.0, x)
    x = select(x < -88.0, -88.0, x)
    rounded = x * LOG2_E + ROUNDER
    r = x - (rounded - ROUNDER) * LN2
    p = 1.0 + r * (E1 + r * (E2 + r * (E3 + r * E4)))
    return p * scale(rounded)


@kernel
def exp2_low(x: float32) -> float32:
    """2^x, at most 60 ULP off for −126 ≤ x < 127.5; 0 below −126.5, inf above."""
    x = select(x > 128.0, 128.0, x)
    x = select(x < -127.0, -127.0, x)
    rounded = x + ROUNDER
    r = x - (rounded - ROUNDER)
    p = 1.0 + r * (D1 + r * (D2 + r * (D3 + r * D4)))
    return p * scale(rounded)


@kernel
def exp10_low(x: float32) -> float32:
    """10^x, at most 250 ULP off for −37.9 < x < 38.3; 0 below, inf above."""
    x = select(x > 38.6, 38.6, x)
    x = select(x < -38.2, -38.2, x)
    rounded = x * LOG2_10 + ROUNDER
    r = x - (rounded - ROUNDER) * LOG10_2
    p = 1.0 + r * (T1 + r * (T2 + r * (T3 + r * T4)))
    return p * scale(rounded)


@kernel
def expm1_low(x: float32) -> float32:
    """e^x − 1, at most 100 ULP off; inf where that overflows, −0 for −0."""
    x = select(x > 89.0, 89.0, x)
    x = select(x < -20.0, -20.0, x)
    rounded = x * LOG2_E + ROUNDER
    r = x - (rounded - ROUNDER) * LN2
    p = r * (L1 + r * (L2 + r * (L3 + r * (L4 + r * L5))))
    power = scale(rounded - 1.0)
    half = (power - 0.5) + power * p  # so that no power overflows: inf - inf would be NaN
    return copysign(half + half, x)
