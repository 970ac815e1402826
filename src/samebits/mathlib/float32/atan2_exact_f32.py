"""The arc tangent of a quotient of float32, to a relative error of 2^-98, and rounded once.

Owns `atan2_exact`, right for every pair whose result is not within 2^-98 of a rounding boundary;
exact quotients, which can lie on one, are told from their arc tangents by the sign of the rest.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, clamp, copysign, select
from samebits.lang.memory.tables import table
from samebits.lang.values.scalars import float32, float64, int32, uint64
from samebits.mathlib.primitives import cold_kernel, product_error

# π, and atan(i/8), each rounded to a float64 and the rest.
PI = float.fromhex("0x1.921fb54442d18p1")
PI_LOW = float.fromhex("0x1.1a62633145c07p-53")
ATAN_EIGHTHS = table(
    [
        0.0, 0.12435499454676144, 0.24497866312686414, 0.35877067027057225, 0.4636476090008061,
        0.5585993153435624, 0.6435011087932844, 0.7188299996216245, 0.7853981633974483,
    ],
    float64,
)  # fmt: skip
ATAN_EIGHTHS_LOW = table(
    [
        0.0, -3.1253241424539383e-18, 1.0698755618734451e-17, -2.4623815582638635e-17,
        2.2698777452961687e-17, -5.4556305485916264e-18, 1.5834785051444286e-17,
        -2.1478388444456983e-17, 3.061616997868383e-17,
    ],
    float64,
)  # fmt: skip

LARGEST = float.fromhex("0x1.fffffep127")

# Coefficients of the series t - t³/3 + …, for |t| ≤ 1/16 enough up to t²⁷.
T3 = float.fromhex("-0x1.5555555555555p-2")
T3_LOW = float.fromhex("-0x1.5555555555555p-56")
T5 = float.fromhex("0x1.999999999999ap-3")
T5_LOW = float.fromhex("-0x1.999999999999ap-57")
T7 = float.fromhex("-0x1.2492492492492p-3")
T7_LOW = float.fromhex("-0x1.2492492492492p-57")
T9 = float.fromhex("0x1.c71c71c71c71cp-4")
T9_LOW = float.fromhex("0x1.c71c71c71c71cp-58")
T11 = float.fromhex("-0x1.745d1745d1746p-4")
T11_LOW = float.fromhex("0x1.745d1745d1746p-59")
T13 = float.fromhex("0x1.3b13b13b13b14p-4")
T13_LOW = float.fromhex("-0x1.3b13b13b13b14p-58")
T15 = -1.0 / 15.0
T17 = 1.0 / 17.0
T19 = -1.0 / 19.0
T21 = 1.0 / 21.0
T23 = -1.0 / 23.0
T25 = 1.0 / 25.0
T27 = -1.0 / 27.0


@kernel
def product(a: float64, a_low: float64, b: float64, b_low: float64) -> tuple[float64, float64]:
    """(a + a_low)·(b + b_low)."""
    return a * b, product_error(a, b) + (a * b_low + a_low * b)


@kernel
def sum_of(a: float64, a_low: float64, b: float64, b_low: float64) -> tuple[float64, float64]:
    """(a + a_low) + (b + b_low), where |a| ≥ |b| or a is 0."""
    s = a + b
    return s, (b - (s - a)) + (a_low + b_low)


@kernel
def horner(
    z: float64, z_low: float64, p: float64, p_low: float64, c: float64, c_low: float64
) -> tuple[float64, float64]:
    """z·p + c, where |c| is the larger."""
    m, m_low = product(z, z_low, p, p_low)
    s, s_low = sum_of(c, c_low, m, m_low)
    return s, s_low


@kernel
def atan_in_two_parts(t: float64, t_low: float64) -> tuple[float64, float64]:
    """atan(t + t_low) for |t| ≤ 1/16."""
    z, z_low = product(t, t_low, t, t_low)
    p = T15 + z * (T17 + z * (T19 + z * (T21 + z * (T23 + z * (T25 + z * T27)))))
    p, p_low = horner(z, z_low, p, 0.0, T13, T13_LOW)
    p, p_low = horner(z, z_low, p, p_low, T11, T11_LOW)
    p, p_low = horner(z, z_low, p, p_low, T9, T9_LOW)
    p, p_low = horner(z, z_low, p, p_low, T7, T7_LOW)
    p, p_low = horner(z, z_low, p, p_low, T5, T5_LOW)
    p, p_low = horner(z, z_low, p, p_low, T3, T3_LOW)
    p, p_low = product(z, z_low, p, p_low)
    p, p_low = product(t, t_low, p, p_low)
    p, p_low = sum_of(t, t_low, p, p_low)
    return p, p_low


@kernel
def rounded_to_odd(a: float64, a_low: float64) -> float64:
    """a + a_low ≥ 0 as a float64 whose last bit is set unless it is exact: rounded again, to any
    shorter length, it gives what a + a_low would."""
    s = a + a_low
    rest = a_low - (s - a)
    bits = bitcast(uint64, s)
    inexact = rest != 0.0 and (bits & 1) == 0
    bits = select(inexact, select(rest < 0.0, bits - 1, bits + 1), bits)
    return bitcast(float64, bits)


@cold_kernel
def atan2_exact(y: float32, x: float32) -> float32:
    """The angle of the point (x, y) in radians; NaN if either is NaN, IEEE 754's special values."""
    size_x = abs(float64(x))
    size_y = abs(float64(y))
    steep = size_y > size_x
    over = select(steep, size_x, size_y)
    under = select(steep, size_y, size_x)
    same = size_x == size_y  # both may be zero or infinite
    zero = over == 0.0
    unbounded = under > LARGEST
    over = select(same, select(zero, 0.0, 1.0), select(unbounded, 0.0, over))
    under = select(same or unbounded, 1.0, under)
    # atan(q) = atan(c) + atan((q - c)/(1 + q·c)) with c = i/8; both its terms are exact.
    i = clamp(int32(over / under * 8.0 + 0.5), 0, 8)
    c = float64(i) * 0.125
    over, under = over - c * under, under + c * over
    t = over / under
    t_low = ((over - t * under) - product_error(t, under)) / under
    v, v_low = atan_in_two_parts(t, t_low)
    v, v_low = sum_of(ATAN_EIGHTHS[i], ATAN_EIGHTHS_LOW[i], v, v_low)
    if steep:
        v, v_low = sum_of(0.5 * PI, 0.5 * PI_LOW, -v, -v_low)
    if bitcast(int32, x) < 0:
        v, v_low = sum_of(PI, PI_LOW, -v, -v_low)
    result = float32(copysign(rounded_to_odd(v, v_low), float64(y)))
    return select(x != x or y != y, x + y, result)
