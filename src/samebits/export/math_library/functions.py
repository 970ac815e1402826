"""The functions of the math library, one row each: their names in C and in Python.

Owns which functions there are and what C passes to them, not how they are compiled.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from functools import cached_property

from samebits import math
from samebits.backend.emit.direct_entry import DirectEntry
from samebits.lang.kernel import Kernel
from samebits.lang.overloads import Overloads
from samebits.modes import HIGH
from samebits.runtime.ufunc.elementwise import elementwise
from samebits.runtime.ufunc.loops import loop_kernel, result_types
from samebits.types import FLOAT32, FLOAT64, ScalarType

WIDTHS = {FLOAT64: "", FLOAT32: "f"}
"""The float types, with what their functions' names end with."""
C_TYPES = {"float32": "float", "float64": "double", "int32": "int32_t", "bool": "int"}
"""The scalars of C functions."""
ARRAY_TYPES = {**C_TYPES, "bool": "bool"}
"""The elements of their arrays."""


@dataclass(frozen=True)
class MathFunction:
    """One function, in float64 and in float32."""

    name: str
    """In C, without `sb_` and without the `f` of float32."""
    python: str
    """In `samebits.math`."""
    group: str
    """Its object file: functions that share code share one."""
    all_by_pointer: bool = False
    """Whether its first result, too, goes where a pointer says."""
    outs: tuple[str, ...] = ()
    """The names of the results that pointers take."""

    @cached_property
    def function(self) -> Overloads:
        found = getattr(math, self.python)
        return found if isinstance(found, Overloads) else elementwise(self.python)

    def symbol(self, t: ScalarType) -> str:
        """The C function of a float type."""
        return f"sb_{self.name}{WIDTHS[t]}"

    def array_symbol(self, t: ScalarType) -> str:
        """The C function of arrays."""
        return f"{self.symbol(t)}_array"

    def kernel(self, t: ScalarType) -> Kernel:
        """The kernel of scalars."""
        return self.function.kernel_for(t, HIGH)

    def loop(self, t: ScalarType) -> Kernel:
        """The kernel of arrays, the one that Python's calls run."""
        return loop_kernel(self.function, HIGH, t, "a" * self.function.arity)

    def entry(self, t: ScalarType) -> DirectEntry:
        """How C calls the kernel of scalars."""
        return DirectEntry(self.symbol(t), self.all_by_pointer)

    def parameters(self, t: ScalarType) -> list[tuple[str, ScalarType]]:
        """Names and types of the arguments."""
        kernel = self.kernel(t)
        types = [p for p in kernel.fixed_types or () if isinstance(p, ScalarType)]
        names = _PARAMETERS.get(self.python) or [p.name for p in kernel.parameters]
        return list(zip(names, types, strict=True))

    def results(self, t: ScalarType) -> tuple[ScalarType, ...]:
        """The types of the results."""
        return result_types(self.function, t)

    @property
    def summary(self) -> str:
        """What it computes, in a line or two: its docstring without what Python alone has."""
        if self.python in _SUMMARIES:
            return _SUMMARIES[self.python]
        text = inspect.cleandoc(self.function.__doc__ or "").partition("\n\n")[0]
        return " ".join(text.split()).replace("; a bool.", ".").removesuffix(" A bool.")


_GROUPS = {
    "trigonometric": "sin cos tan sinpi cospi sincos",
    "inverse": "asin acos atan atan2",
    "half_turns": "tanpi asinpi acospi atanpi atan2pi",
    "exponential": "exp exp2 exp10 expm1 exp2m1 exp10m1",
    "logarithmic": "log log2 log10 log1p log2p1 log10p1 logaddexp",
    "hyperbolic": "sinh cosh tanh asinh acosh atanh",
    "powers": "pow powr pown compound rootn",
    "roots": "sqrt rsqrt cbrt hypot",
    "error": "erf erfc",
    "gamma": "tgamma lgamma",
    "parts": "fmod remainder remquo frexp ldexp modf logb ilogb nextafter nextup nextdown",
    "simple": (
        "abs floor ceil trunc round round_half_away copysign chgsign sign fma mad rcp fdim "
        "fmin fmax min max clamp isnan isinf isfinite signbit"
    ),
}
_C_NAMES = {
    "abs": "fabs", "round": "roundeven", "round_half_away": "round", "min": "fminimum",
    "max": "fmaximum", "compound": "compoundn",
}  # fmt: skip
"""C's names, C23's among them, where Python's are others."""
_PARAMETERS = {"clamp": ("x", "lo", "hi")}
_SUMMARIES = {
    "abs": "|x|, the sign bit cleared.",
    "sqrt": "√x; NaN below zero, −0 for −0.",
    "floor": "x rounded down to a whole number; zero keeps its sign.",
    "ceil": "x rounded up to a whole number; zero keeps its sign.",
    "trunc": "x rounded toward zero to a whole number; zero keeps its sign.",
    "round": "The nearest whole number, halves to even; zero keeps its sign.",
    "round_half_away": "The nearest whole number, halves away from zero; zero keeps its sign.",
    "copysign": "x with the sign bit of y; a NaN y counts as positive.",
    "sign": "−1, 0 or 1; a NaN and zeros of either sign stay.",
    "fma": "x·y + z, rounded once.",
    "mad": "a·b + c, rounded twice; `fma` rounds once.",
    "fmin": "The lesser of two, of a number and a NaN the number; −0 is below +0.",
    "fmax": "The greater of two, of a number and a NaN the number; −0 is below +0.",
    "min": "The lesser of two; −0 is below +0, and a NaN gives NaN.",
    "max": "The greater of two; −0 is below +0, and a NaN gives NaN.",
    "clamp": "min(max(x, lo), hi).",
    "remquo": "The remainder as `remainder` gives it; the quotient's last three bits, signed.",
    "frexp": "m with x = m·2^exponent and 1/2 ≤ |m| < 1; x and 0 for zeros, infinities and NaN.",
    "modf": "The fraction of x, and its whole part, both with the sign of x.",
    "sincos": "Sine and cosine of x radians, as `sin` and `cos` give them.",
    "ilogb": (
        "The exponent of x: the greatest n with 2^n ≤ |x|; −2147483648 for zeros and NaN, "
        "2147483647 for infinities."
    ),
}  # fmt: skip
"""Comments of C functions whose docstrings are about more than C has."""
_OUTS = {
    "sincos": ("sine", "cosine"), "frexp": ("exponent",), "modf": ("whole",),
    "remquo": ("quotient",),
}  # fmt: skip

FUNCTIONS = tuple(
    MathFunction(
        _C_NAMES.get(name, name), name, group, name == "sincos", _OUTS.get(name, ())
    )
    for group, names in _GROUPS.items()
    for name in names.split()
)  # fmt: skip
"""Every function of docs/reference/math.md that takes floats."""
