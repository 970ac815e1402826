"""The hyperbolic functions as users see them: their kernels, and what each promises."""

from __future__ import annotations

from samebits.mathlib.float32 import asinh_f32, asinh_fast_f32, sinh_f32, sinh_fast_f32
from samebits.mathlib.float64 import asinh_f64, sinh_f64, sinh_fast_f64
from samebits.mathlib.primitives import both_widths

sinh = both_widths(
    "sinh",
    (sinh_f32.sinh, sinh_fast_f32.sinh_medium, sinh_fast_f32.sinh_low),
    (sinh_f64.sinh, sinh_f64.sinh, sinh_fast_f64.sinh_low),
    """Hyperbolic sine of x; ±inf beyond the range, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.51 ULP off; at LOW: at most 100 for |x| < 87.
    float64: correctly rounded on every published hard case and all inputs tried;
    at MEDIUM the same; at LOW at most 40 ULP off.
    """,
)
cosh = both_widths(
    "cosh",
    (sinh_f32.cosh, sinh_fast_f32.cosh_medium, sinh_fast_f32.cosh_low),
    (sinh_f64.cosh, sinh_f64.cosh, sinh_fast_f64.cosh_low),
    """Hyperbolic cosine of x; inf beyond the range.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.51 ULP off; at LOW: at most 100 for |x| < 87.
    float64: correctly rounded on every published hard case and all inputs tried;
    at MEDIUM the same; at LOW at most 40 ULP off.
    """,
)
tanh = both_widths(
    "tanh",
    (sinh_f32.tanh, sinh_fast_f32.tanh_medium, sinh_fast_f32.tanh_low),
    (sinh_f64.tanh, sinh_f64.tanh, sinh_fast_f64.tanh_low),
    """Hyperbolic tangent of x; ±1 for ±inf, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.51 ULP off; at LOW: at most 20.
    float64: correctly rounded on every published hard case and all inputs tried;
    at MEDIUM the same; at LOW at most 40 ULP off.
    """,
)
asinh = both_widths(
    "asinh",
    (asinh_f32.asinh, asinh_fast_f32.asinh_medium, asinh_fast_f32.asinh_low),
    (asinh_f64.asinh, asinh_f64.asinh, sinh_fast_f64.asinh_low),
    """Inverse hyperbolic sine of x; ±inf for ±inf, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.51 ULP off; at LOW: at most 20 for |x| < 2^62.
    float64: correctly rounded on every published hard case and all inputs tried;
    at MEDIUM the same; at LOW at most 8 ULP off.
    """,
)
acosh = both_widths(
    "acosh",
    (asinh_f32.acosh, asinh_fast_f32.acosh_medium, asinh_fast_f32.acosh_low),
    (asinh_f64.acosh, asinh_f64.acosh, sinh_fast_f64.acosh_low),
    """Inverse hyperbolic cosine of x; NaN for x < 1, inf for inf.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.51 ULP off; at LOW: at most 20 for x < 2^62.
    float64: correctly rounded on every published hard case and all inputs tried;
    at MEDIUM the same; at LOW at most 10 ULP off.
    """,
)
atanh = both_widths(
    "atanh",
    (asinh_f32.atanh, asinh_fast_f32.atanh_medium, asinh_fast_f32.atanh_low),
    (asinh_f64.atanh, asinh_f64.atanh, sinh_fast_f64.atanh_low),
    """Inverse hyperbolic tangent of x; ±inf for ±1, NaN for |x| > 1, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.51 ULP off; at LOW: at most 20.
    float64: correctly rounded on every published hard case and all inputs tried;
    at MEDIUM the same; at LOW at most 8 ULP off.
    """,
)
