"""`x % y` and `x // y` of floats, as CPython and NumPy define them, float32 and float64.

The remainder is exact but for one addition where the signs differ; the quotient is rounded as
theirs is: (x − remainder)/y to the nearest whole number.
"""

# pyright: reportInvalidTypeForm=false, reportReturnType=false, reportUnknownParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportOperatorIssue=false, reportMissingParameterType=false
# The parameters' type is an argument of `_kernels`: annotations here are evaluated, not text.

from typing import Any

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import copysign, floor, select
from samebits.lang.kernel import Kernel
from samebits.lang.overloads import Overloads
from samebits.lang.values.scalars import float32, float64
from samebits.mathlib.primitives import both_widths
from samebits.mathlib.remainders import fmod_f32, fmod_f64


def _kernels(F: Any, fmod: Kernel) -> dict[str, Kernel]:  # noqa: N803 - a type
    @kernel
    def mod(x: F, y: F) -> F:
        rest = fmod(x, y)
        other_side = (rest != 0.0) & ((rest < 0.0) != (y < 0.0))
        return select(rest == 0.0, copysign(F(0.0), y), select(other_side, rest + y, rest))

    @kernel
    def floordiv(x: F, y: F) -> F:
        rest = fmod(x, y)
        other_side = (rest != 0.0) & ((rest < 0.0) != (y < 0.0))
        near = (x - rest) / y
        near = select(other_side, near - 1.0, near)
        whole = floor(near)
        whole = select(near - whole > 0.5, whole + 1.0, whole)
        quotient = x / y
        whole = select(near == 0.0, copysign(F(0.0), quotient), whole)
        return select(y == 0.0, quotient, whole)

    return {"%": mod, "//": floordiv}


_32, _64 = _kernels(float32, fmod_f32), _kernels(float64, fmod_f64)
_REMAINDERS = {
    sign: both_widths(name, _32[sign], _64[sign], f"x {sign} y of floats.")
    for sign, name in (("%", "mod"), ("//", "floordiv"))
}


def remainder(sign: str) -> Overloads:
    """The function that an operator of two floats is, by its sign."""
    return _REMAINDERS[sign]
