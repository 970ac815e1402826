"""The functions that kernels and Python call: `from samebits import math`.

Square root, rounding, vectors and integers are known to the compiler; `sin` and `cos` are kernels
of samebits' own library. All give the same bits in every execution and on every target.
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
    dot,
    floor,
    fma,
    length,
    max,
    min,
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
from samebits.lang.kernel import Overloads
from samebits.mathlib import sin_cos_f32, sin_cos_f64
from samebits.types import FLOAT32, FLOAT64

pi: float = _python.pi
"""π rounded to float64, 3.141592653589793."""
tau: float = _python.tau
"""2π rounded to float64, 6.283185307179586."""
e: float = _python.e
"""Euler's number rounded to float64, 2.718281828459045."""

sin = Overloads(
    "sin",
    1,
    {FLOAT32: sin_cos_f32.sin, FLOAT64: sin_cos_f64.sin},
    """Sine of x radians; any float32 or float64, NaN for NaN and infinities, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs. float64: correctly rounded on every
    published hard case (the chance that one of the 2⁶⁴ is not is about one in eight). From Python x
    may be a float, a NumPy or samebits float, a vector, or an array of float32 or float64.
    """,
)
cos = Overloads(
    "cos",
    1,
    {FLOAT32: sin_cos_f32.cos, FLOAT64: sin_cos_f64.cos},
    """Cosine of x radians; any float32 or float64, NaN for NaN and infinities.

    float32: correctly rounded, proven on all 2³² inputs. float64: correctly rounded on every
    published hard case (the chance that one of the 2⁶⁴ is not is about one in eight). From Python x
    may be a float, a NumPy or samebits float, a vector, or an array of float32 or float64.
    """,
)

__all__ = [
    "abs", "all", "any", "bitcast", "ceil", "clamp", "clz", "copysign", "cos", "cross", "ctz",
    "dot", "e", "floor", "fma", "length", "max", "min", "normalize", "pi", "popcount", "rotl",
    "rotr", "round", "select", "sign", "sin", "sqrt", "tau", "trunc",
]  # fmt: skip
