"""sin, cos, tan and atan2 of fixed-point numbers, from integers alone.

A kernel takes counts of steps and the fraction bits, 16 or 32. It gives the count of steps; for a
tangent modulo 2^64, with whether it is too small (-1), too large (1) or neither. Coefficients, and
what error they have, are from tools/math/fixed_point.sollya. "Qn" is an integer that counts 2^-n.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.fixed_wide import divide, quotient
from samebits.lang.intrinsics import max, min, select
from samebits.lang.values.scalars import int32, int64, uint64
from samebits.mathlib.fixed.products import scaled
from samebits.mathlib.wide.fraction128 import mul_high

TWO_OVER_PI_HIGH = 826379711036337417960374660267341 >> 64
TWO_OVER_PI_LOW = 826379711036337417960374660267341 & (2**64 - 1)
"""2/π·2^110, for fractions of 16 bits."""
TWO_OVER_PI_HIGH_32 = 12609553696233175933233255924 >> 64
TWO_OVER_PI_LOW_32 = 12609553696233175933233255924 & (2**64 - 1)
"""2/π·2^94, for fractions of 32 bits."""
EIGHTH = 1 << 61
"""An eighth of a turn, where a quarter is 2^62."""
QUARTER_MASK = (1 << 62) - 1
PI_61 = 7244019458077122842
"""π in Q61."""
TAN_PI_8 = 7640891576956012809
"""tan π/8 in Q64."""


@kernel
def phase(a: int64, fraction: int64) -> uint64:
    """a radians as a part of a turn, of 2^64, off by less than 2 units."""
    wide = fraction == 32
    high = select(wide, uint64(TWO_OVER_PI_HIGH_32), uint64(TWO_OVER_PI_HIGH))
    low = select(wide, uint64(TWO_OVER_PI_LOW_32), uint64(TWO_OVER_PI_LOW))
    m = uint64(select(a < 0, -a, a))
    turn = m * high + mul_high(m, low)
    return select(a < 0, 0 - turn, turn)


@kernel
def sine(turn: uint64) -> int64:
    """The sine of a part of a turn, in Q61, off by less than 2^-53."""
    near = turn + EIGHTH
    g = (int64(near & QUARTER_MASK) - EIGHTH) << 2
    z = scaled(g, g)
    odd = (near >> 62) & 1 == 1
    p = select(odd, int64(1073439389109), int64(129909776654))
    p = scaled(p, z) + select(odd, int64(-58107556609506), int64(-8297906699435))
    p = scaled(p, z) + select(odd, int64(2119669129700949), int64(369952105851950))
    p = scaled(p, z) + select(odd, int64(-48107911200573180), int64(-10795390036918727))
    p = scaled(p, z) + select(odd, int64(584922061441582881), int64(183758685115318179))
    p = scaled(p, z) + select(odd, int64(-2844719788994532954), int64(-1489491798437806414))
    p = scaled(p, z) + select(odd, int64(2305843009213693843), int64(3622009729038561410))
    result = select(odd, p, scaled(p, g))
    return select(near >> 63 == 1, -result, result)


@kernel
def to_steps(value: int64, fraction: int64) -> int64:
    """A number in Q61 as steps, to nearest."""
    cut = 61 - fraction
    return (value + (int64(1) << (cut - 1))) >> cut


@kernel
def sin(a: int64, fraction: int64) -> int64:
    return to_steps(sine(phase(a, fraction)), fraction)


@kernel
def cos(a: int64, fraction: int64) -> int64:
    quarter = uint64(1 << 62)
    return to_steps(sine(phase(a, fraction) + quarter), fraction)


@kernel
def tan(a: int64, fraction: int64) -> tuple[int64, int32]:
    turn = phase(a, fraction)
    quarter = uint64(1 << 62)
    result, excess = divide(sine(turn), sine(turn + quarter), fraction)
    return result, excess


@kernel
def atan2(y: int64, x: int64, fraction: int64) -> int64:
    """The angle of (x, y) from -π to π, 0 for (0, 0).

    The arc tangent is π/4 less that of (1 - t)/(1 + t) where t is above tan π/8.
    """
    ay = uint64(select(y < 0, -y, y))
    ax = uint64(select(x < 0, -x, x))
    large = max(ax, ay)
    small = min(ax, ay)
    huge = large >> 62 != 0
    large = select(huge, large >> 2, large)
    small = select(huge, small >> 2, small)
    above = small > mul_high(large, uint64(TAN_PI_8))
    n = select(above, large - small, small)
    d = max(select(above, large + small, large), 1)
    ratio, _ = quotient(n, uint64(0), d)
    s = int64(ratio)
    w = scaled(s, s)
    p = int64(-117051070673000708)
    p = scaled(p, w) + 231957810683790645
    p = scaled(p, w) - 300110133901170107
    p = scaled(p, w) + 353892332342375415
    p = scaled(p, w) - 419181896549626514
    p = scaled(p, w) + 512406764744076238
    p = scaled(p, w) - 658812216069633753
    p = scaled(p, w) + 922337202732908381
    p = scaled(p, w) - 1537228672804252357
    p = scaled(p, w) + 4611686018427383782
    angle = scaled(p, s) >> 1
    angle = select(above, (PI_61 >> 2) - angle, angle)
    angle = select(ay > ax, (PI_61 >> 1) - angle, angle)
    angle = select(x < 0, PI_61 - angle, angle)
    return to_steps(select(y < 0, -angle, angle), fraction)
