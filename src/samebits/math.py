"""The functions that kernels and Python call: `from samebits import math`.

Square root, rounding, vectors and integers are known to the compiler; `sin` and its like are
kernels of samebits' own library. All give the same bits in every execution and on every target.
"""

from __future__ import annotations

import math as _python
import sys as _sys
from importlib import import_module as _load
from typing import TYPE_CHECKING, Any

from samebits.errors import hide as _hide
from samebits.lang.intrinsics import (
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
from samebits.lang.other_names import OTHER_NAMES as _OTHER_NAMES
from samebits.lang.values.products import mul, transpose
from samebits.lang.values.thread_state import precision

if TYPE_CHECKING:
    from samebits.mathlib.arrays.functions import (
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
        variance,
    )
    from samebits.mathlib.choices import chgsign, fdim, fmax, fmin, mad, rcp, round_half_away
    from samebits.mathlib.engine.bits import ceillog2, ceilpow2, floorlog2, ispow2, reversebits
    from samebits.mathlib.engine.components import (
        cmax,
        cmin,
        csum,
        distancesq,
        faceforward,
        lengthsq,
        normalizesafe,
        orthonormal_basis,
    )
    from samebits.mathlib.engine.geometry import distance, project, reflect, refract
    from samebits.mathlib.engine.half import f16_to_f32, f16_to_f64, f32_to_f16, f64_to_f16
    from samebits.mathlib.engine.hashing import hash
    from samebits.mathlib.engine.interpolation import (
        degrees,
        fract,
        lerp,
        radians,
        remap,
        saturate,
        smoothstep,
        step,
        unlerp,
    )
    from samebits.mathlib.engine.selection import compress, shuffle
    from samebits.mathlib.error_functions import erf, erfc
    from samebits.mathlib.exponential import (
        compound,
        exp,
        exp2,
        exp2m1,
        exp10,
        exp10m1,
        expm1,
        pow,
        pown,
        powr,
        rootn,
    )
    from samebits.mathlib.gamma_functions import lgamma, tgamma
    from samebits.mathlib.hyperbolic import acosh, asinh, atanh, cosh, sinh, tanh
    from samebits.mathlib.linear.catalogue import (
        angle,
        axis_angle,
        conjugate,
        determinant,
        euler_xyz,
        euler_xzy,
        euler_yxz,
        euler_yzx,
        euler_zxy,
        euler_zyx,
        inverse,
        look_rotation,
        nlerp,
        rotate,
        slerp,
        to_matrix,
        to_quaternion,
    )
    from samebits.mathlib.logarithmic import (
        log,
        log1p,
        log2,
        log2p1,
        log10,
        log10p1,
        logaddexp,
    )
    from samebits.mathlib.neighbours import (
        ilogb,
        isfinite,
        isinf,
        isnan,
        logb,
        nextafter,
        nextdown,
        nextup,
        signbit,
    )
    from samebits.mathlib.parts import fmod, frexp, ldexp, modf, remainder
    from samebits.mathlib.powers import cbrt, hypot, rsqrt
    from samebits.mathlib.quotients import remquo
    from samebits.mathlib.trigonometric import (
        acos,
        acospi,
        asin,
        asinpi,
        atan,
        atan2,
        atan2pi,
        atanpi,
        cos,
        cospi,
        sin,
        sincos,
        sinpi,
        tan,
        tanpi,
    )

_PLACES = {
    "arrays.functions": "argmax argmin cumsum dot exact_sum max mean min norm sum variance",
    "choices": "chgsign fdim fmax fmin mad rcp round_half_away",
    "engine.bits": "ceillog2 ceilpow2 floorlog2 ispow2 reversebits",
    "engine.components": (
        "cmax cmin csum distancesq faceforward lengthsq normalizesafe orthonormal_basis"
    ),
    "engine.geometry": "distance project reflect refract",
    "engine.hashing": "hash",
    "engine.half": "f16_to_f32 f16_to_f64 f32_to_f16 f64_to_f16",
    "engine.interpolation": "degrees fract lerp radians remap saturate smoothstep step unlerp",
    "engine.selection": "compress shuffle",
    "error_functions": "erf erfc",
    "exponential": "compound exp exp2 exp2m1 exp10 exp10m1 expm1 pow pown powr rootn",
    "gamma_functions": "lgamma tgamma",
    "hyperbolic": "acosh asinh atanh cosh sinh tanh",
    "linear.catalogue": (
        "angle axis_angle conjugate determinant euler_xyz euler_xzy euler_yxz euler_yzx "
        "euler_zxy euler_zyx inverse look_rotation nlerp rotate slerp to_matrix "
        "to_quaternion"
    ),
    "logarithmic": "log log1p log2 log2p1 log10 log10p1 logaddexp",
    "neighbours": "ilogb isfinite isinf isnan logb nextafter nextdown nextup signbit",
    "parts": "fmod frexp ldexp modf remainder",
    "powers": "cbrt hypot rsqrt",
    "quotients": "remquo",
    "trigonometric": (
        "acos acospi asin asinpi atan atan2 atan2pi atanpi cos cospi sin sincos sinpi tan tanpi"
    ),
}
"""The modules of `mathlib` with their functions. A module loads when the first of them is used."""
_MODULES = {name: module for module, names in _PLACES.items() for name in names.split()}
__sb_lazy__ = frozenset(_MODULES)
"""What kernels capture by name, until they are compiled."""

pi: float = _python.pi
"""π rounded to float64, 3.141592653589793."""
tau: float = _python.tau
"""2π rounded to float64, 6.283185307179586."""
e: float = _python.e
"""Euler's number rounded to float64, 2.718281828459045."""
inf: float = _python.inf
"""Infinity."""
nan: float = _python.nan
"""Not a number; samebits keeps one NaN of each type."""

__all__ = [
    "abs", "acos", "acosh", "acospi", "all", "angle", "any", "argmax", "argmin", "asin", "asinh",
    "asinpi", "atan", "atan2", "atan2pi", "atanh", "atanpi", "axis_angle", "bitcast", "cbrt",
    "ceil", "ceillog2", "ceilpow2", "chgsign", "clamp", "clz", "cmax", "cmin", "compound",
    "compress", "conjugate", "copysign", "cos", "cosh", "cospi", "cross", "csum", "ctz", "cumsum",
    "degrees", "determinant", "distance", "distancesq", "dot", "e", "erf", "erfc", "euler_xyz",
    "euler_xzy", "euler_yxz", "euler_yzx", "euler_zxy", "euler_zyx", "exact_sum", "exp", "exp2",
    "exp2m1", "exp10", "exp10m1", "expm1", "f16_to_f32", "f16_to_f64", "f32_to_f16", "f64_to_f16",
    "faceforward", "fdim", "floor", "floorlog2", "fma", "fmax", "fmin", "fmod", "fract", "frexp",
    "hash", "hypot", "ilogb", "inf", "inverse", "isfinite", "isinf", "isnan", "ispow2", "ldexp",
    "length", "lengthsq", "lerp", "lgamma", "log", "log1p", "log2", "log2p1", "log10", "log10p1",
    "logaddexp", "logb", "look_rotation", "mad", "max", "mean", "min", "modf", "mul", "nan",
    "nextafter", "nextdown", "nextup", "nlerp", "norm", "normalize", "normalizesafe",
    "orthonormal_basis", "pi", "popcount", "pow", "pown", "powr", "precision", "project",
    "radians", "rcp", "reflect", "refract", "remainder", "remap", "remquo", "reversebits", "rootn",
    "rotate", "rotl", "rotr", "round", "round_half_away", "rsqrt", "saturate", "select", "shuffle",
    "sign", "signbit", "sin", "sincos", "sinh", "sinpi", "slerp", "smoothstep", "sqrt", "step",
    "sum", "tan", "tanh", "tanpi", "tau", "tgamma", "to_matrix", "to_quaternion", "transpose",
    "trunc", "unlerp", "variance",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        message = f"module 'samebits.math' has no attribute {name!r}"
        if name in _OTHER_NAMES:
            message = f"{message}; it is math.{_OTHER_NAMES[name]} here"
        try:
            raise AttributeError(message, name=name, obj=_sys.modules[__name__])
        except AttributeError as error:
            _hide(error)
            raise
    value = getattr(_load(f"samebits.mathlib.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
