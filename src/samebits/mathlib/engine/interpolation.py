"""Interpolation, steps and angles: the formulas of docs/reference/engine-math.md, in its order."""

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

DEGREE = 0.017453292519943295
"""π/180 rounded to float64."""
RADIAN = 57.29577951308232
"""180/π rounded to float64."""


def _kernels(F: Any) -> dict[str, Kernel]:  # noqa: N803 - a type
    @kernel
    def lerp(a: F, b: F, t: F) -> F:
        return a + t * (b - a)

    @kernel
    def unlerp(a: F, b: F, x: F) -> F:
        return (x - a) / (b - a)

    @kernel
    def remap(a: F, b: F, c: F, d: F, x: F) -> F:
        return c + (x - a) / (b - a) * (d - c)

    @kernel
    def saturate(x: F) -> F:
        return functions.clamp(x, 0.0, 1.0)

    @kernel
    def smoothstep(a: F, b: F, x: F) -> F:
        t = functions.clamp((x - a) / (b - a), 0.0, 1.0)
        return t * t * (3.0 - 2.0 * t)

    @kernel
    def step(edge: F, x: F) -> F:
        return functions.select(x >= edge, F(1.0), F(0.0))

    @kernel
    def fract(x: F) -> F:
        return x - functions.floor(x)

    @kernel
    def radians(x: F) -> F:
        return x * DEGREE

    @kernel
    def degrees(x: F) -> F:
        return x * RADIAN

    found = (lerp, unlerp, remap, saturate, smoothstep, step, fract, radians, degrees)
    return {k.__name__: k for k in found}


_32, _64 = _kernels(float32), _kernels(float64)


def _function(name: str, doc: str) -> Overloads:
    return both_widths(name, _32[name], _64[name], doc)


lerp = _function("lerp", "a + t·(b − a): a at t = 0, about b at t = 1; t is not held to [0, 1].")
unlerp = _function("unlerp", "(x − a)/(b − a): where x lies between a and b; NaN or ±∞ for a = b.")
remap = _function("remap", "c + ((x − a)/(b − a))·(d − c): x from [a, b] to [c, d], not clamped.")
saturate = _function("saturate", "x held to [0, 1]; NaN for NaN.")
smoothstep = _function(
    "smoothstep", "t·t·(3 − 2·t) with t = (x − a)/(b − a) held to [0, 1]: 0 below a, 1 above b."
)
step = _function("step", "1 where x ≥ edge, else 0; 0 for NaN.")
fract = _function(
    "fract", "x − floor(x), in [0, 1]: 1 where a tiny negative x is rounded up to it."
)
radians = _function("radians", "x degrees in radians: x times π/180 rounded to x's type.")
degrees = _function("degrees", "x radians in degrees: x times 180/π rounded to x's type.")
