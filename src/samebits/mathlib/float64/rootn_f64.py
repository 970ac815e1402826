"""float64 rootn, compound, pown and powr, correctly rounded: exp of a logarithm in two parts.

As in pow, the logarithm is multiplied or divided before exp.

A rounding test and `rootn_exact_f64` or `pow_exact_f64` decide as for pow.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, select
from samebits.lang.values.scalars import float64, int32, uint64
from samebits.mathlib.float64.exp_f64 import LARGEST, MARGIN, power_in_two_parts, scale
from samebits.mathlib.float64.log2p1_f64 import reduce_log1p
from samebits.mathlib.float64.log_f64 import LARGEST as LARGEST_X
from samebits.mathlib.float64.log_f64 import (
    LARGEST_1P,
    MARGIN_R,
    SMALLEST,
    log_in_two_parts,
    reduce_log,
    reduced,
)
from samebits.mathlib.float64.pow_f64 import MARGIN_LOG, pow, reduce_exp_sum
from samebits.mathlib.float64.rootn_exact_f64 import compound_exact, rootn_exact
from samebits.mathlib.primitives import muladd, product_error

INFINITY = float("inf")
NAN = float("nan")


@kernel
def pown(x: float64, n: int32) -> float64:
    """x^n, correctly rounded."""
    return pow(x, float64(n))


@kernel
def powr(x: float64, y: float64) -> float64:
    """x^y, correctly rounded; NaN where e^(y·log x) has no limit."""
    size = abs(x)
    nothing = (y == 0.0) & ((size == 0.0) | (size == INFINITY))
    nothing = nothing | ((size == 1.0) & (abs(y) == INFINITY))
    return select(nothing | (not x >= 0.0) | (y != y), NAN, pow(size, y))


@kernel
def power_of_logarithm(
    p: float64, p_low: float64, of_log: float64
) -> tuple[uint64, float64, float64, float64]:
    """e^(p + p_low) as k, and a sum s + low for 2^(k // 128) of it, and its margin, given that of
    p; for |p| ≤ 708."""
    k, q, q_low = reduce_exp_sum(p, p_low)
    s, low = power_in_two_parts(k, q, q_low)
    return k, s, low, (of_log + MARGIN) * s


@kernel
def rootn_in_two_parts(x: float64, n: int32) -> tuple[float64, uint64, float64, float64, float64]:
    """log(x)/n; k, and x^(1/n)·2^-(k // 128) as a sum s + low, with the margin of its error.

    For normal x > 0.
    """
    u, z_bits, e = reduce_log(x)
    r = reduced(bitcast(float64, z_bits), u)
    a, a_low, _ = log_in_two_parts(e, u, r, 0.0)
    log = a + a_low
    log_low = (a - log) + a_low
    d = float64(n)
    q = log / d
    rest = (log - q * d) - product_error(q, d)  # the difference is exact
    of_log = muladd(abs(r) * (r * r), MARGIN_R, abs(log) * MARGIN_LOG)
    k, s, low, margin = power_of_logarithm(q, (rest + log_low) / d, of_log / abs(d))
    return q, k, s, low, margin


@kernel
def rootn(x: float64, n: int32) -> float64:
    """x^(1/n), correctly rounded."""
    size = abs(x)
    q, k, s, low, margin = rootn_in_two_parts(size, n)
    result = s + (low - margin)
    outside = (size < SMALLEST) | (not size <= LARGEST_X) | (not abs(q) <= LARGEST)
    odd = (n & 1) != 0
    if outside | ((x < 0.0) & (not odd)) | (result != s + (low + margin)):
        return rootn_exact(x, n)
    result = result * scale(k)
    return select(x < 0.0, -result, result)


@kernel
def compound_in_two_parts(
    x: float64, n: int32
) -> tuple[float64, uint64, float64, float64, float64]:
    """n·log(1 + x); k, and (1 + x)^n·2^-(k // 128) as a sum s + low, with the margin of its error.

    For -1 < x ≤ 2^1020. Of x below 2^-900 low halves may be anything as small: the result is 1.
    """
    u, e, r, r_low = reduce_log1p(x)
    a, a_low, _ = log_in_two_parts(e, u, r, r_low)
    log = a + a_low
    log_low = (a - log) + a_low
    d = float64(n)
    p = d * log
    of_log = muladd(abs(r) * (r * r), MARGIN_R, abs(log) * MARGIN_LOG)
    rest = muladd(d, log_low, product_error(d, log))
    k, s, low, margin = power_of_logarithm(p, rest, of_log * abs(d))
    return p, k, s, low, margin


@kernel
def compound(x: float64, n: int32) -> float64:
    """(1 + x)^n, correctly rounded."""
    p, k, s, low, margin = compound_in_two_parts(x, n)
    result = s + (low - margin)
    known = (abs(p) <= LARGEST) & (result == s + (low + margin))
    once = n == 1  # often half way
    if not ((x > -1.0) & (x <= LARGEST_1P) & (known | once)):
        return compound_exact(x, n)
    return select(once, 1.0 + x, result * scale(k))
