"""Which kernels are proven, over which cells, and what they are compared with."""

from __future__ import annotations

from collections.abc import Callable

from tools.prove.rounding.cells import Proof
from tools.prove.rounding.claims import (
    arc_f64,
    area_f64,
    error_f64,
    expm1_f64,
    exponential_f64,
    hyperbolic_f64,
    log1p_f64,
    log2p1_f64,
    logarithm_f64,
    roots_f64,
    squares_f64,
    tangent_f64,
    trigonometric_f64,
    two_legs_f64,
)

CLAIMS: dict[str, tuple[Callable[[], Proof], ...]] = {
    "float64 exp": (exponential_f64.exp,),
    "float64 exp2": (exponential_f64.exp2,),
    "float64 exp10": (exponential_f64.exp10,),
    "float64 expm1": (expm1_f64.expm1, expm1_f64.power_less_one),
    "float64 exp2m1": (expm1_f64.exp2m1, expm1_f64.power_less_one),
    "float64 exp10m1": (expm1_f64.exp10m1, expm1_f64.power_less_one),
    "float64 log": (logarithm_f64.log,),
    "float64 log2": (logarithm_f64.log2,),
    "float64 log10": (logarithm_f64.log10,),
    "float64 log1p": (log1p_f64.log1p,),
    "float64 log2p1": (log2p1_f64.log2p1,),
    "float64 log10p1": (log2p1_f64.log10p1,),
    "float64 sinh": (hyperbolic_f64.sinh_reduction, hyperbolic_f64.sinh),
    "float64 cosh": (hyperbolic_f64.cosh_reduction, hyperbolic_f64.cosh),
    "float64 tanh": (hyperbolic_f64.tanh_reduction, hyperbolic_f64.tanh),
    "float64 asinh": (area_f64.asinh, log1p_f64.log1p_of_two_parts),
    "float64 acosh": (area_f64.acosh, log1p_f64.log1p_of_two_parts),
    "float64 atanh": (area_f64.atanh, log1p_f64.log1p_of_two_parts),
    "float64 sin": (trigonometric_f64.sin,),
    "float64 cos": (trigonometric_f64.cos,),
    "float64 tan": (tangent_f64.tan,),
    "float64 tanpi": (tangent_f64.tanpi,),
    "float64 asin": (arc_f64.asin,),
    "float64 acos": (arc_f64.acos,),
    "float64 atan": (arc_f64.atan,),
    "float64 asinpi": (arc_f64.asinpi,),
    "float64 acospi": (arc_f64.acospi,),
    "float64 atanpi": (arc_f64.atanpi,),
    "float64 atan2": (two_legs_f64.atan2,),
    "float64 atan2pi": (two_legs_f64.atan2pi,),
    "float64 sinpi": (trigonometric_f64.sinpi,),
    "float64 erf": (error_f64.erf,),
    "float64 hypot": (squares_f64.squares, roots_f64.hypot),
    "float64 rsqrt": (roots_f64.rsqrt,),
    "float64 cospi": (trigonometric_f64.cospi,),
}
