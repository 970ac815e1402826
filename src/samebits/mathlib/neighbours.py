"""Classification and neighbours of floats: `isnan`, `signbit`, `nextafter`, `logb`, their like.

Everything here is exact, in float32 and float64.
"""

# pyright: reportInvalidTypeForm=false, reportReturnType=false, reportUnknownParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportOperatorIssue=false, reportMissingParameterType=false
# pyright: reportIndexIssue=false
# The parameters' types are arguments of `_kernels`: annotations here are evaluated, not text.

from typing import Any

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, select
from samebits.lang.kernel import Kernel
from samebits.lang.overloads import Overloads
from samebits.lang.values.scalars import float32, float64, int32, uint32, uint64
from samebits.mathlib.primitives import both_widths
from samebits.mathlib.scaling import frexp_f32, frexp_f64

INFINITY = float("inf")
LEAST_INT32, GREATEST_INT32 = -(2**31), 2**31 - 1


def _kernels(F: Any, U: Any, frexp: Kernel, sign: int, largest: float) -> dict[str, Kernel]:  # noqa: N803 - types
    shift = sign.bit_length() - 1
    bits_but_sign = sign - 1

    @kernel
    def isnan(x: F) -> bool:
        return x != x

    @kernel
    def isinf(x: F) -> bool:
        return abs(x) > largest

    @kernel
    def isfinite(x: F) -> bool:
        return abs(x) <= largest

    @kernel
    def signbit(x: F) -> bool:
        return (bitcast(U, x) >> shift) != 0

    @kernel
    def nextup(x: F) -> F:
        bits = bitcast(U, x)
        stepped = select((bits >> shift) != 0, bits - 1, bits + 1)
        stepped = select((bits & bits_but_sign) == 0, U(1), stepped)
        return select(x <= largest, bitcast(F, stepped), x)

    @kernel
    def nextdown(x: F) -> F:
        return -nextup(-x)

    @kernel
    def nextafter(x: F, y: F) -> F:
        stepped = select(x < y, nextup(x), nextdown(x))
        return select(x == y, y, select((x != x) | (y != y), x + y, stepped))

    @kernel
    def logb(x: F) -> F:
        _, n = frexp(x)
        size = abs(x)
        return select(size == 0.0, F(-INFINITY), select(size <= largest, F(n - 1), size))

    @kernel
    def ilogb(x: F) -> int32:
        _, n = frexp(x)
        size = abs(x)
        special = select(size > largest, int32(GREATEST_INT32), int32(LEAST_INT32))
        return select((size > 0.0) & (size <= largest), n - 1, special)

    found = (isnan, isinf, isfinite, signbit, nextup, nextdown, nextafter, logb, ilogb)
    return {k.__name__: k for k in found}


_32 = _kernels(float32, uint32, frexp_f32, 1 << 31, float.fromhex("0x1.fffffep127"))
_64 = _kernels(float64, uint64, frexp_f64, 1 << 63, float.fromhex("0x1.fffffffffffffp1023"))


def _function(name: str, doc: str) -> Overloads:
    return both_widths(name, _32[name], _64[name], doc)


isnan = _function("isnan", "Whether x is a NaN; a bool.")
isinf = _function("isinf", "Whether x is an infinity of either sign; a bool.")
isfinite = _function("isfinite", "Whether x is neither an infinity nor NaN; a bool.")
signbit = _function("signbit", "Whether x has a minus sign, −0 included; False for NaN. A bool.")
nextup = _function(
    "nextup",
    """The least number greater than x: IEEE 754's nextUp. 2^-149 or 2^-1074 for zeros, −0 for
    the greatest number below them; ∞ and NaN stay.""",
)
nextdown = _function(
    "nextdown", "The greatest number less than x: IEEE 754's nextDown, −nextup(−x)."
)
nextafter = _function(
    "nextafter", "The number next to x on the way to y; y where they are equal, NaN if one is NaN."
)
logb = _function(
    "logb",
    """The exponent of x as a float: the greatest n with 2^n ≤ |x|, subnormal numbers included.

    −∞ for zeros, ∞ for infinities, NaN for NaN.
    """,
)
ilogb = _function(
    "ilogb",
    """The exponent of x as an int32: the greatest n with 2^n ≤ |x|, subnormal numbers included.

    −2147483648 for zeros and NaN, 2147483647 for infinities (C leaves the platform the choice).
    """,
)
