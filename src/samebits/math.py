"""The functions that kernels and Python call: `from samebits import math`.

Square root, rounding, vectors and integers are known to the compiler; `sin` and its like are
kernels of samebits' own library. All give the same bits in every execution and on every target.
"""

from __future__ import annotations

import math as _python

from samebits.lang.functions import (
    abs,
    all,
    any,
    bitcast,
    ceil,
    clamp,
    clz,
    copysign,
    cross,
    ctz,
    floor,
    fma,
    length,
    normalize,
    popcount,
    rotl,
    rotr,
    round,
    select,
    sign,
    sqrt,
    trunc,
)
from samebits.lang.running import precision
from samebits.mathlib.array_functions import (
    argmax,
    argmin,
    cumsum,
    dot,
    exact_sum,
    max,
    mean,
    min,
    norm,
    sum,
)
from samebits.mathlib.exponential import exp, exp2, exp10, expm1
from samebits.mathlib.hyperbolic import acosh, asinh, atanh, cosh, sinh, tanh
from samebits.mathlib.logarithmic import log, log1p, log2, log10
from samebits.mathlib.powers import cbrt, rsqrt
from samebits.mathlib.trigonometric import cos, sin

pi: float = _python.pi
"""π rounded to float64, 3.141592653589793."""
tau: float = _python.tau
"""2π rounded to float64, 6.283185307179586."""
e: float = _python.e
"""Euler's number rounded to float64, 2.718281828459045."""

__all__ = [
    "abs", "acosh", "all", "any", "argmax", "argmin", "asinh", "atanh", "bitcast", "cbrt", "ceil",
    "clamp", "clz", "copysign", "cos", "cosh", "cross", "ctz", "cumsum", "dot", "e", "exact_sum",
    "exp", "exp2", "exp10", "expm1", "floor", "fma", "length", "log", "log1p", "log2", "log10",
    "max", "mean", "min", "norm", "normalize", "pi", "popcount", "precision", "rotl", "rotr",
    "round", "rsqrt", "select", "sign", "sin", "sinh", "sqrt", "sum", "tanh", "tau", "trunc",
]  # fmt: skip
