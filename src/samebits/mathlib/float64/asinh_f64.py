"""float64 asinh, acosh and atanh, correctly rounded: log1p of a sum of two parts.

asinh x = log1p(x + x²/(1 + √(1 + x²))), acosh x = log1p(x - 1 + √(x² - 1)) and atanh x =
log1p(2x/(1 - x))/2 for x ≥ 0, the arguments to 2^-98 relatively (`make prove`). The rounding test
is that of log1p, and `area_exact_f64` decides what it leaves.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, copysign, sqrt
from samebits.lang.values.scalars import float64
from samebits.mathlib.float64.area_exact_f64 import acosh_exact, asinh_exact, atanh_exact
from samebits.mathlib.float64.log_f64 import log1p_in_two_parts
from samebits.mathlib.primitives import product_error

LARGEST = 2.0**480
"""Up to here squares stay below 2^995."""


@kernel
def root(w: float64, w_low: float64) -> tuple[float64, float64]:
    """√(w + w_low) as a sum of two parts, for normal w > 0 and |w_low| ≤ 2^-52·w."""
    g = sqrt(w)
    left = (w - g * g) - product_error(g, g)
    return g, (left + w_low) * (0.5 / g)


@kernel
def quotient(n: float64, n_low: float64, d: float64, d_low: float64) -> tuple[float64, float64]:
    """(n + n_low)/(d + d_low) as a sum of two parts."""
    per_d = 1.0 / d
    q = n * per_d
    return q, ((((n - q * d) - product_error(q, d)) + n_low) - q * d_low) * per_d


@kernel
def asinh_in_two_parts(x: float64) -> tuple[float64, float64, float64]:
    """asinh x as a sum s + low, and the margin of its error, for 0 ≤ x ≤ 2^480."""
    z = x * x
    z_low = product_error(x, x)
    w = z + 1.0
    part = w - z
    g, g_low = root(w, ((z - (w - part)) + (1.0 - part)) + z_low)
    d = g + 1.0
    q, q_low = quotient(z, z_low, d, (1.0 - (d - g)) + g_low)
    u = x + q
    part = u - x  # of either: q is below x but may round up to the next power of two
    return log1p_in_two_parts(u, ((x - (u - part)) + (q - part)) + q_low)


@kernel
def acosh_in_two_parts(x: float64) -> tuple[float64, float64, float64]:
    """acosh x as a sum s + low, and the margin of its error, for 1 < x ≤ 2^480."""
    z = x * x
    near = z - 1.0
    rest = ((z - near) - 1.0) + product_error(x, x)
    w = near + rest  # x² - 1 cancels as far as product_error reaches
    g, g_low = root(w, (near - w) + rest)
    t = x - 1.0
    u = g + t
    return log1p_in_two_parts(u, (t - (u - g)) + (g_low + ((x - t) - 1.0)))


@kernel
def atanh_in_two_parts(x: float64) -> tuple[float64, float64, float64]:
    """Twice atanh x as a sum s + low, and the margin of its error, for 0 ≤ x < 1."""
    d = 1.0 - x
    q, q_low = quotient(2.0 * x, 0.0, d, (1.0 - d) - x)
    return log1p_in_two_parts(q, q_low)


@kernel
def asinh(x: float64) -> float64:
    """Inverse hyperbolic sine, correctly rounded."""
    size = abs(x)
    s, low, margin = asinh_in_two_parts(size)
    y = s + (low - margin)
    if (not size <= LARGEST) | (y != s + (low + margin)):
        return asinh_exact(x)
    return copysign(y, x)


@kernel
def acosh(x: float64) -> float64:
    """Inverse hyperbolic cosine, correctly rounded."""
    s, low, margin = acosh_in_two_parts(x)
    y = s + (low - margin)
    if (not x > 1.0) | (not x <= LARGEST) | (y != s + (low + margin)):
        return acosh_exact(x)
    return y


@kernel
def atanh(x: float64) -> float64:
    """Inverse hyperbolic tangent, correctly rounded."""
    size = abs(x)
    s, low, margin = atanh_in_two_parts(size)
    y = s + (low - margin)
    if (not size < 1.0) | (y != s + (low + margin)):
        return atanh_exact(x)
    return copysign(0.5 * y, x)
