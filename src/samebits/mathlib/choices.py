"""Minima and maxima that pass over NaN, positive differences, rounding halves away from zero.

The functions are of float32 and float64.
"""

# pyright: reportInvalidTypeForm=false, reportReturnType=false, reportUnknownParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportOperatorIssue=false, reportMissingParameterType=false
# The parameters' type is an argument of `_kernels`: annotations here are evaluated, not text.

from typing import Any

from samebits.lang import intrinsics as functions
from samebits.lang.decorators import kernel
from samebits.lang.kernel import Kernel
from samebits.lang.overloads import Overloads
from samebits.lang.values.scalars import float32, float64
from samebits.mathlib.primitives import both_widths


def _kernels(F: Any) -> dict[str, Kernel]:  # noqa: N803 - a type
    @kernel
    def fmin(a: F, b: F) -> F:
        return functions.select(a != a, b, functions.select(b != b, a, functions.min(a, b)))

    @kernel
    def fmax(a: F, b: F) -> F:
        return functions.select(a != a, b, functions.select(b != b, a, functions.max(a, b)))

    @kernel
    def fdim(x: F, y: F) -> F:
        return functions.select(x <= y, F(0.0), x - y)

    @kernel
    def round_half_away(x: F) -> F:
        whole = functions.trunc(x)
        away = whole + functions.copysign(F(1.0), x)
        return functions.select(functions.abs(x - whole) >= 0.5, away, whole)

    @kernel
    def mad(a: F, b: F, c: F) -> F:
        return a * b + c

    @kernel
    def rcp(x: F) -> F:
        return 1.0 / x

    @kernel
    def chgsign(x: F, y: F) -> F:
        return functions.select(functions.copysign(F(1.0), y) < 0.0, -x, x)

    found = (fmin, fmax, fdim, round_half_away, mad, rcp, chgsign)
    return {k.__name__: k for k in found}


_32, _64 = _kernels(float32), _kernels(float64)


def _function(name: str, doc: str) -> Overloads:
    return both_widths(name, _32[name], _64[name], doc)


fmin = _function(
    "fmin",
    "The lesser of two numbers, of a number and a NaN the number; −0 is below +0. IEEE 754-2019's "
    "minimumNumber; `min` gives NaN for NaN.",
)
fmax = _function(
    "fmax",
    "The greater of two numbers, of a number and a NaN the number; −0 is below +0. IEEE 754-2019's "
    "maximumNumber; `max` gives NaN for NaN.",
)
fdim = _function("fdim", "How much x is above y: x − y, rounded once, or +0 where x ≤ y.")
round_half_away = _function(
    "round_half_away",
    "The nearest whole number, halves away from zero, as C's `round`; zero keeps its sign. `round` "
    "takes halves to even.",
)
mad = _function("mad", "a·b + c, rounded twice, as in any kernel; `fma` rounds once.")
rcp = _function("rcp", "1/x, rounded once; infinity of its sign for a zero.")
chgsign = _function(
    "chgsign", "−x where y has a minus sign, −0 included, else x; a NaN y has none."
)
