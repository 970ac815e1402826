"""float64 tgamma and lgamma rounded right for every argument, by 192-bit integers.

The recurrence Γ(x + 1) = x·Γ(x) brings every argument of tgamma into [33, 34), where Stirling's
series has nothing left to add; its products are as good near the poles, for sums of a float64 and
an integer are exact. lgamma is the logarithm of that, or Stirling's series alone.
"""

# pyright: reportArgumentType=false, reportReturnType=false
# Tables are indexed by samebits' integers, which pyright does not take for int; and arithmetic
# gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, min
from samebits.lang.values.scalars import float64, int32, int64, uint64
from samebits.mathlib.primitives import cold_kernel
from samebits.mathlib.wide.arithmetic import (
    INFINITY_BITS,
    TOP_BIT,
    add,
    difference,
    from_float64,
    from_int,
    multiply,
    normalised,
    product,
    reciprocal,
    shifted,
    to_float64,
)
from samebits.mathlib.wide.exp import exp2
from samebits.mathlib.wide.log import log
from samebits.mathlib.wide.sin_cos import sine
from samebits.mathlib.wide.table import (
    HALF_LOG_TURN_HIGH,
    HALF_LOG_TURN_LOW,
    HALF_LOG_TURN_MIDDLE,
    LOG2_E_HIGH,
    LOG2_E_LOW,
    LOG2_E_MIDDLE,
    QUARTER_PI_HIGH,
    QUARTER_PI_LOW,
    QUARTER_PI_MIDDLE,
    STIRLING,
)

INFINITY = float("inf")
BASE = 33
"""From here on 32 terms of Stirling's series leave out less than 2^-199."""
TERMS = 32
OVERFLOW = 172.0
"""From here on Γ is beyond float64."""
UNDERFLOW = -190.0
"""From here down, Γ is less than half of the least float64 but at its poles."""
ALL_INTEGERS = 2.0**52
"""From here on every float64 is an integer."""
HALF_HIGH = 0x8000_0000_0000_0000
"""Of the exponent 0: 1/2."""


@kernel
def wide_stirling(
    e: int32, x2: uint64, x1: uint64, x0: uint64
) -> tuple[int32, uint64, uint64, uint64]:
    """ln Γ(x) for x ≥ 33, to a relative 2^-177: that of ln x, times at most 1.5 for what is lost
    in (x - 1/2)·ln x - x, and an absolute 2^-184 for the series."""
    re, r2, r1, r0 = reciprocal(e, x2, x1, x0)
    re = re + 5
    ue, u2, u1, u0 = multiply(re, r2, r1, r0, re, r2, r1, r0)
    u2, u1, u0 = shifted(u2, u1, u0, -ue)
    t2 = uint64(0)
    t1 = uint64(0)
    t0 = uint64(0)
    for k in range(TERMS):
        j = 3 * ((TERMS - 1 - k) & 31)
        t2, t1, t0 = product(t2, t1, t0, u2, u1, u0)
        t2, t1, t0 = difference(STIRLING[j], STIRLING[j + 1], STIRLING[j + 2], t2, t1, t0)
    te, t2, t1, t0 = normalised(0, t2, t1, t0)
    te, t2, t1, t0 = multiply(te, t2, t1, t0, re, r2, r1, r0)
    _, te, t2, t1, t0 = add(
        False, te, t2, t1, t0, False, 0, HALF_LOG_TURN_HIGH, HALF_LOG_TURN_MIDDLE, HALF_LOG_TURN_LOW
    )
    _, le, l2, l1, l0 = log(e, x2, x1, x0)
    _, fe, f2, f1, f0 = add(False, e, x2, x1, x0, True, 0, HALF_HIGH, 0, 0)
    le, l2, l1, l0 = multiply(le, l2, l1, l0, fe, f2, f1, f0)
    _, le, l2, l1, l0 = add(False, le, l2, l1, l0, True, e, x2, x1, x0)
    _, le, l2, l1, l0 = add(False, le, l2, l1, l0, False, te, t2, t1, t0)
    return le, l2, l1, l0


@kernel
def wide_gamma(x: float64) -> tuple[bool, int32, uint64, uint64, uint64]:
    """Γ(x) for -200 < x < 200 but 0, -1, -2, …, to a relative 2^-170.

    ln Γ(y) of the y in [33, 34) is at most 85, which makes 2^-170.5 of its error; at most 234
    factors add less than 2^-179.
    """
    n = int32(x)
    if float64(n) > x:
        n = n - 1
    n = BASE - n
    negative = x < 0.0
    e, h = from_float64(x)
    me, mh = from_int(n)
    _, ye, y2, y1, y0 = add(negative, e, h, 0, 0, n < 0, me, mh, 0, 0)
    below = False
    pe = int32(1)
    p2 = uint64(TOP_BIT)
    p1 = uint64(0)
    p0 = uint64(0)
    first = min(n, 0)
    for k in range(abs(n)):
        ke, kh = from_int(first + k)
        f_negative, fe, f2, f1, f0 = add(negative, e, h, 0, 0, first < 0, ke, kh, 0, 0)
        pe, p2, p1, p0 = multiply(pe, p2, p1, p0, fe, f2, f1, f0)
        below = below != f_negative
    ye, y2, y1, y0 = wide_stirling(ye, y2, y1, y0)
    ye, y2, y1, y0 = multiply(ye, y2, y1, y0, 1, LOG2_E_HIGH, LOG2_E_MIDDLE, LOG2_E_LOW)
    _, ye, y2, y1, y0 = exp2(False, ye, y2, y1, y0, False)
    if n > 0:
        pe, p2, p1, p0 = reciprocal(pe, p2, p1, p0)
    ye, y2, y1, y0 = multiply(ye, y2, y1, y0, pe, p2, p1, p0)
    return below, ye, y2, y1, y0


@kernel
def is_pole(x: float64) -> bool:
    """Whether a finite x is 0, -1, -2, …"""
    return x <= 0.0 and (x <= -ALL_INTEGERS or float64(int64(x)) == x)


@cold_kernel
def tgamma_exact(x: float64) -> float64:
    """Γ(x), rounded to nearest; infinities for zeros, NaN for negative integers and -inf."""
    if x != x:
        return x
    if x == 0.0:
        return bitcast(float64, bitcast(uint64, x) | uint64(INFINITY_BITS))
    if x >= OVERFLOW:
        return INFINITY
    if x <= -ALL_INTEGERS or is_pole(x):
        return (x - x) / 0.0
    if x <= UNDERFLOW:
        # Γ is negative where the number of factors below 0 is odd.
        return -0.0 if (int64(x) & 1) == 0 else 0.0
    negative, e, x2, x1, x0 = wide_gamma(x)
    return to_float64(negative, e, x2, x1, x0)


@kernel
def wide_lgamma_below(a: float64) -> tuple[bool, int32, uint64, uint64, uint64]:
    """ln |Γ(-a)| for 33 ≤ a < 2^52, no integer: ln π - ln(a·|sin πa|) - ln Γ(a)."""
    f = a - float64(int64(a))
    odd = False
    h = f + f
    if f > 0.25:
        odd = True
        h = abs(h - 1.0)
        if f > 0.75:
            odd = False
            h = 2.0 * (1.0 - f)
    e, h2 = from_float64(h)
    e, x2, x1, x0 = sine(e, h2, 0, 0, odd)
    ae, ah = from_float64(a)
    e, x2, x1, x0 = multiply(e, x2, x1, x0, ae, ah, 0, 0)
    e, x2, x1, x0 = reciprocal(e, x2, x1, x0)
    e, x2, x1, x0 = multiply(e, x2, x1, x0, 2, QUARTER_PI_HIGH, QUARTER_PI_MIDDLE, QUARTER_PI_LOW)
    negative, e, x2, x1, x0 = log(e, x2, x1, x0)
    ae, a2, a1, a0 = wide_stirling(ae, ah, 0, 0)
    return add(negative, e, x2, x1, x0, True, ae, a2, a1, a0)


@kernel
def wide_lgamma(x: float64) -> tuple[bool, int32, uint64, uint64, uint64]:
    """ln |Γ(x)| but for x = 1, 2 and where that is infinite.

    To a relative 2^-173 but between -33 and 33: there |Γ| is good to 2^-170, which leaves a
    relative 2^-116 of the results of the float64 next to 1 and 2 and to the zeros below 0, the
    least of which is 2^-54; the nearer to a zero, the fewer they are.
    """
    e = int32(0)
    x2 = uint64(0)
    x1 = uint64(0)
    x0 = uint64(0)
    if x >= BASE:
        e, x2 = from_float64(x)
        e, x2, x1, x0 = wide_stirling(e, x2, 0, 0)
        return False, e, x2, x1, x0
    if x <= -BASE:
        return wide_lgamma_below(-x)
    _, e, x2, x1, x0 = wide_gamma(x)
    return log(e, x2, x1, x0)


@cold_kernel
def lgamma_exact(x: float64) -> float64:
    """ln |Γ(x)|, rounded to nearest; inf for 0, negative integers and infinities."""
    if x != x:
        return x
    if abs(x) == INFINITY or is_pole(x):
        return INFINITY
    if x == 1.0 or x == 2.0:
        return 0.0
    negative, e, x2, x1, x0 = wide_lgamma(x)
    return to_float64(negative, e, x2, x1, x0)
