"""float64 hyperbolic functions and their inverses at LOW precision, by expm1 and log1p at LOW.

Owns these kernels. Nothing is fused, so that the results are the same everywhere. At MEDIUM the
functions are those of HIGH.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, copysign, select, sqrt
from samebits.lang.values.scalars import float64
from samebits.mathlib.float64.exp_f64 import LN2
from samebits.mathlib.float64.exp_fast_f64 import half_expm1_low
from samebits.mathlib.float64.log_fast_f64 import log1p_low

BOUND = 710.4758600739439
"""The largest x with a finite sinh and cosh."""
SATURATED = 20.0
"""tanh rounds to 1 from here."""
TINY = 2.0**-30
"""Below, the odd functions round to x."""
INFINITY = float("inf")
NAN = float("nan")
LARGE = 2.0**28
"""From here x² + 1 and x² - 1 round to x²."""


@kernel
def sinh_low(x: float64) -> float64:
    """Hyperbolic sine, within 40 ULP."""
    size = abs(x)
    g = half_expm1_low(select(size > BOUND, BOUND, size))
    y = g + g / (2.0 * g + 1.0)
    y = select(size > BOUND, INFINITY, y)
    return copysign(select(size < TINY, size, y), x)


@kernel
def cosh_low(x: float64) -> float64:
    """Hyperbolic cosine, within 40 ULP."""
    size = abs(x)
    h = half_expm1_low(select(size > BOUND, BOUND, size)) + 0.5
    return select(size > BOUND, INFINITY, h + 0.25 / h)


@kernel
def tanh_low(x: float64) -> float64:
    """Hyperbolic tangent, within 40 ULP."""
    size = abs(x)
    g = half_expm1_low(2.0 * select(size > SATURATED, SATURATED, size))
    return copysign(select(size < TINY, size, g / (g + 1.0)), x)


@kernel
def asinh_low(x: float64) -> float64:
    """Inverse hyperbolic sine, within 8 ULP."""
    size = abs(x)
    near = select(size > LARGE, 1.0, size)
    z = near * near
    u = select(size > LARGE, size - 1.0, near + z / (1.0 + sqrt(1.0 + z)))
    y = log1p_low(u) + select(size > LARGE, LN2, 0.0)
    return copysign(y, x)


@kernel
def acosh_low(x: float64) -> float64:
    """Inverse hyperbolic cosine, within 10 ULP; NaN for x < 1."""
    t = x - 1.0
    u = select(x > LARGE, t, t + sqrt(t * (t + 2.0)))
    y = log1p_low(u) + select(x > LARGE, LN2, 0.0)
    return select(x >= 1.0, y, NAN)


@kernel
def atanh_low(x: float64) -> float64:
    """Inverse hyperbolic tangent, within 8 ULP; NaN for |x| > 1."""
    size = abs(x)
    return copysign(0.5 * log1p_low((2.0 * size) / (1.0 - size)), x)
