"""float64 sinh, cosh and tanh, correctly rounded, from the table of exp at k and -k.

sinh(k·log(2)/128 + r) = D + C·sinh r + D·(cosh r - 1), D and C the sinh and cosh of the first term,
sums of two parts; around 0 D is 0 and what is left is odd in r. A rounding test and
`hyperbolic_exact_f64` decide as for exp.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, copysign, select
from samebits.lang.values.scalars import float64, int32, uint64
from samebits.mathlib.float64.exp_f64 import reduce_exp, scale
from samebits.mathlib.float64.exp_log_f64_table import POWERS
from samebits.mathlib.float64.hyperbolic_exact_f64 import cosh_exact, sinh_exact, tanh_exact
from samebits.mathlib.primitives import muladd, product_error

# sinh r - r = S3·r³ + S5·r⁵ + S7·r⁷ and cosh r - 1 - r²/2 = C4·r⁴ + C6·r⁶ for |r| ≤ log(2)/256, off
# by 2^-86.4 and 2^-89.2. Made by tools/math/exp_log_f64.sollya.
S3 = float.fromhex("0x1.5555555555555p-3")
S5 = float.fromhex("0x1.11111113129fbp-7")
S7 = float.fromhex("0x1.9f668476c8e52p-13")
C4 = float.fromhex("0x1.55555555554e6p-5")
C6 = float.fromhex("0x1.6c16c64c36853p-10")

LARGEST = 680.0
"""Up to here what is computed stays below 2^995."""
SATURATED = 40.0
"""From here tanh is 1 but for less than 2^-114."""
MARGIN_R = 1.75 * 2.0**-51
MARGIN_S = 2.0**-74
"""The errors are below MARGIN_R·r²·(D + C·|r|) + MARGIN_S·|s| and the like with C and D changed:
r²/2 and its factors and sums round to 2^-54 each. Proven, as tanh's, by `make prove-rounding`."""
MARGIN_R_TANH = 2.0**-49
MARGIN_S_TANH = 2.0**-72
"""The same of their quotient."""


@kernel
def steps(k: uint64) -> tuple[float64, float64, float64, float64]:
    """sinh and cosh of k·log(2)/128 for k ≥ 0, each with what it misses."""
    i = int32(k & 127)
    unit = 0.5 * scale(k)
    t = POWERS[2 * i] * unit
    t_low = POWERS[2 * i + 1] * unit
    i = int32((0 - k) & 127)
    unit = 0.5 * scale(0 - k)
    u = POWERS[2 * i] * unit
    u_low = POWERS[2 * i + 1] * unit
    d = t - u
    c = t + u
    return d, ((t - d) - u) + (t_low - u_low), c, ((t - c) + u) + (t_low + u_low)


@kernel
def sinh_rest(r: float64, z: float64, r_low: float64) -> float64:
    """sinh(r + r_low) - r, for z = r²."""
    return muladd(z * r, muladd(z, muladd(z, S7, S5), S3), r_low)


@kernel
def cosh_rest(z: float64) -> float64:
    """cosh r - 1 for z = r²."""
    return z * muladd(z, muladd(z, C6, C4), 0.5)


@kernel
def product_sum(
    a: float64, a_low: float64, b: float64, b_low: float64,
    r: float64, odd: float64, even: float64,
) -> tuple[float64, float64]:  # fmt: skip
    """(a + a_low)·(1 + even) + (b + b_low)·(r + odd) as a sum of two parts."""
    p = b * r
    s = a + p  # a is 0 or greater than p
    rest = muladd(b, odd, muladd(a, even, muladd(b_low, r, muladd(a_low, even, a_low))))
    return s, (p - (s - a)) + (product_error(b, r) + rest)


@kernel
def sinh_in_two_parts(x: float64) -> tuple[float64, float64, float64]:
    """sinh x as a sum s + low, and the margin of its error, for 0 ≤ x ≤ 680."""
    k, r, r_low = reduce_exp(x)
    d, d_low, c, c_low = steps(k)
    z = r * r
    s, low = product_sum(d, d_low, c, c_low, r, sinh_rest(r, z, r_low), cosh_rest(z))
    return s, low, muladd(z * MARGIN_R, muladd(c, abs(r), d), s * MARGIN_S)


@kernel
def cosh_in_two_parts(x: float64) -> tuple[float64, float64, float64]:
    """cosh x as a sum s + low, and the margin of its error, for 0 ≤ x ≤ 680."""
    k, r, r_low = reduce_exp(x)
    d, d_low, c, c_low = steps(k)
    z = r * r
    s, low = product_sum(c, c_low, d, d_low, r, sinh_rest(r, z, r_low), cosh_rest(z))
    return s, low, muladd(z * MARGIN_R, c + d, s * MARGIN_S)


@kernel
def tanh_in_two_parts(x: float64) -> tuple[float64, float64, float64]:
    """tanh x as a sum s + low, and the margin of its error, for 0 ≤ x ≤ 40."""
    k, r, r_low = reduce_exp(x)
    d, d_low, c, c_low = steps(k)
    z = r * r
    odd = sinh_rest(r, z, r_low)
    even = cosh_rest(z)
    n, n_low = product_sum(d, d_low, c, c_low, r, odd, even)
    high, rest = product_sum(c, c_low, d, d_low, r, odd, even)
    m = high + rest
    m_low = (high - m) + rest
    per_m = 1.0 / m
    s = n * per_m
    left = ((n - s * m) - product_error(s, m)) + (n_low - s * m_low)
    margin = (MARGIN_R_TANH * z) * muladd(muladd(c, abs(r), d), per_m, s)
    return s, left * per_m, muladd(s, MARGIN_S_TANH, margin)


@kernel
def sinh(x: float64) -> float64:
    """Hyperbolic sine, correctly rounded."""
    size = abs(x)
    s, low, margin = sinh_in_two_parts(size)
    y = s + (low - margin)
    if (not size <= LARGEST) | (y != s + (low + margin)):
        return sinh_exact(x)
    return copysign(y, x)


@kernel
def cosh(x: float64) -> float64:
    """Hyperbolic cosine, correctly rounded."""
    size = abs(x)
    s, low, margin = cosh_in_two_parts(size)
    y = s + (low - margin)
    if (not size <= LARGEST) | (y != s + (low + margin)):
        return cosh_exact(x)
    return y


@kernel
def tanh(x: float64) -> float64:
    """Hyperbolic tangent, correctly rounded."""
    size = abs(x)
    s, low, margin = tanh_in_two_parts(select(size > SATURATED, SATURATED, size))
    y = s + (low - margin)
    if y != s + (low + margin):  # NaN too
        return tanh_exact(x)
    return copysign(y, x)
