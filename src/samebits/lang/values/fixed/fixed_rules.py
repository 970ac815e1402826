"""The operations on fixed-point numbers, as functions of the integers that they are.

Owns rounding (to nearest, ties to even) and the three ways to overflow. Knows no class.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from samebits.errors import Trap
from samebits.types import FixedPointType, Overflow

Unary = Callable[[int], int]
Binary = Callable[[int, int], int]


def fit(value: int, t: FixedPointType) -> int:
    """`value` as an integer of `t`, by its policy. Raises Trap "overflow"."""
    if t.minimum <= value <= t.maximum:
        return value
    if t.overflow is Overflow.TRAP:
        raise Trap("overflow")
    if t.overflow is Overflow.SATURATE:
        return t.maximum if value > 0 else t.minimum
    value &= (1 << t.bits) - 1
    return value - (1 << t.bits) if value > t.maximum else value


def nearest(n: int, d: int) -> int:
    """n/d rounded to nearest, ties to even; d is not 0."""
    if d < 0:
        n, d = -n, -d
    q, r = divmod(n, d)
    return q + (2 * r > d or (2 * r == d and q & 1))


def _divide(t: FixedPointType) -> Binary:
    def divide(a: int, b: int) -> int:
        if b == 0:
            raise Trap("zero")
        return fit(nearest(a << t.fraction, b), t)

    return divide


def _modulo(t: FixedPointType) -> Binary:
    def modulo(a: int, b: int) -> int:
        if b == 0:
            raise Trap("zero")
        return a % b

    return modulo


BINARY: dict[str, Callable[[FixedPointType], Binary]] = {
    "add": lambda t: lambda a, b: fit(a + b, t),
    "sub": lambda t: lambda a, b: fit(a - b, t),
    "mul": lambda t: lambda a, b: fit(nearest(a * b, 1 << t.fraction), t),
    "truediv": _divide,
    "mod": _modulo,
}
"""Arithmetic by the stem of the operator's method."""


def _whole(function: Callable[[Fraction], int]) -> Callable[[FixedPointType], Unary]:
    def of(t: FixedPointType) -> Unary:
        one = 1 << t.fraction
        return lambda a: fit(function(Fraction(a, one)) << t.fraction, t)

    return of


def _negate(t: FixedPointType) -> Unary:
    return lambda a: fit(-a, t)


def _magnitude(t: FixedPointType) -> Unary:
    return lambda a: fit(abs(a), t)


def _sign(t: FixedPointType) -> Unary:
    return lambda a: ((a > 0) - (a < 0)) << t.fraction


def _root(t: FixedPointType) -> Unary:
    def root(a: int) -> int:
        if a < 0:
            if t.overflow is Overflow.TRAP:
                raise Trap("overflow")
            return 0
        n = a << t.fraction
        floor = math.isqrt(n)
        return floor + (n - floor * floor > floor)

    return root


FUNCTIONS: dict[str, Callable[[FixedPointType], Callable[..., int]]] = {
    "neg": _negate,
    "abs": _magnitude,
    "min": lambda t: min,
    "max": lambda t: max,
    "sign": _sign,
    "sqrt": _root,
    "floor": _whole(math.floor),
    "ceil": _whole(math.ceil),
    "trunc": _whole(math.trunc),
    "round": _whole(round),
}
"""The intrinsics that fixed-point numbers have, and negation."""


def from_int(value: int, t: FixedPointType) -> int:
    return fit(value << t.fraction, t)


def from_fixed(value: int, source: FixedPointType, t: FixedPointType) -> int:
    return fit(nearest(value << t.fraction, 1 << source.fraction), t)


def from_float(value: float, t: FixedPointType) -> int:
    """The step nearest to a float. NaN traps, or is 0 where nothing traps; an infinity overflows,
    and is 0 where that wraps."""
    if value != value or math.isinf(value):
        if t.overflow is Overflow.TRAP:
            raise Trap("overflow")
        if t.overflow is Overflow.WRAP or value != value:
            return 0
        return t.maximum if value > 0 else t.minimum
    n, d = value.as_integer_ratio()
    return fit(nearest(n << t.fraction, d), t)


def exact_float(value: float, t: FixedPointType) -> int | None:
    """The integer of a float that `t` holds exactly, else None."""
    if not math.isfinite(value):
        return None
    steps = Fraction(value) * (1 << t.fraction)
    fits = steps.denominator == 1 and t.minimum <= steps.numerator <= t.maximum
    return steps.numerator if fits else None


def truncated(value: int, t: FixedPointType) -> int:
    """The whole part, toward zero."""
    whole = abs(value) >> t.fraction
    return -whole if value < 0 else whole
