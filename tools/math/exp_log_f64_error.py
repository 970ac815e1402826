"""The largest error of the sums of two parts of exp, log and pow, against MPFR.

Prints for each function and range the largest error, relative to the margin that its rounding test
takes: 1 would be too much.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import gmpy2
import numpy as np

import samebits as sb
from samebits import Array, ReadOnly, float64
from samebits.lang.kernel import Kernel
from samebits.mathlib.float64 import (
    asinh_f64,
    exp2m1_f64,
    exp_f64,
    expm1_f64,
    log2p1_f64,
    log_f64,
    pow_f64,
    sinh_f64,
)

COUNT = 50_000


@sb.kernel
def exp_parts(
    x: ReadOnly[float64], s: Array[float64], low: Array[float64], margin: Array[float64]
) -> None:
    """exp in two parts but for a power of two."""
    for j in range(len(x)):
        k, r, r_low = exp_f64.reduce_exp(x[j])
        a, b = exp_f64.power_in_two_parts(k, r, r_low)
        s[j] = a * exp_f64.scale(k)
        low[j] = b / a * s[j]
        margin[j] = exp_f64.MARGIN * s[j]


@sb.kernel
def log_parts(
    x: ReadOnly[float64], s: Array[float64], low: Array[float64], margin: Array[float64]
) -> None:
    """log in two parts."""
    for j in range(len(x)):
        u, z, e = log_f64.reduce_log(x[j])
        r = log_f64.reduced(sb.bitcast(float64, z), u)
        s[j], low[j], margin[j] = log_f64.log_in_two_parts(e, u, r, 0.0)


def loop(two_parts: Kernel) -> Kernel:
    """A loop over a kernel that gives a sum and its margin."""

    def parts(
        x: ReadOnly[float64], s: Array[float64], low: Array[float64], margin: Array[float64]
    ) -> None:
        for j in range(len(x)):
            s[j], low[j], margin[j] = two_parts(x[j])

    return Kernel(parts)


@sb.kernel
def log1p_in_two_parts(x: float64) -> tuple[float64, float64, float64]:
    """log1p of a whole argument."""
    return log_f64.log1p_in_two_parts(x, 0.0)


EXPONENT = 13.37
"""What pow's arguments are raised to: pow takes one argument from the range here."""


@sb.kernel
def pow_parts(
    x: ReadOnly[float64], s: Array[float64], low: Array[float64], margin: Array[float64]
) -> None:
    """pow in two parts but for a power of two."""
    for j in range(len(x)):
        _, k, a, b, m = pow_f64.pow_in_two_parts(x[j], EXPONENT)
        s[j] = a * exp_f64.scale(k)
        low[j] = b * exp_f64.scale(k)
        margin[j] = m * exp_f64.scale(k)


POSITIVE = [(0.0, 1e-5), (0.0, 0.003), (0.0, 0.05), (0.0, 5.0), (0.0, 600.0)]
NEAR_0 = [(-0.01, 0.01), (-0.5, 2.0), (-1e-5, 1e-5), (0.0, 1e9), (-1.0, -0.999)]
NEAR_1 = [(0.98, 1.02), (0.5, 2.0), (1e-300, 1e300), (0.9999, 1.0001)]
CASES: list[tuple[str, Any, Any, list[tuple[float, float]]]] = [
    ("exp", exp_parts, gmpy2.exp, [(-1.0, 1.0), (-600.0, 600.0), (-0.003, 0.003)]),
    ("log", log_parts, gmpy2.log, NEAR_1),
    ("log2", loop(log_f64.log2_in_two_parts), gmpy2.log2, NEAR_1),
    ("log10", loop(log_f64.log10_in_two_parts), gmpy2.log10, NEAR_1),
    (
        "log1p",
        loop(log1p_in_two_parts),
        gmpy2.log1p,
        NEAR_0,
    ),
    (
        "expm1",
        loop(expm1_f64.expm1_in_two_parts),
        gmpy2.expm1,
        [(-0.003, 0.003), (-0.05, 0.05), (-5.0, 5.0), (-40.0, 600.0), (-1e-5, 1e-5)],
    ),
    (
        "exp2m1",
        loop(exp2m1_f64.exp2m1_in_two_parts),
        lambda x: gmpy2.expm1(x * gmpy2.const_log2()),
        [(-0.003, 0.003), (-0.05, 0.05), (-5.0, 5.0), (-60.0, 980.0), (-1e-5, 1e-5)],
    ),
    (
        "exp10m1",
        loop(exp2m1_f64.exp10m1_in_two_parts),
        lambda x: gmpy2.expm1(x * gmpy2.log(gmpy2.mpfr(10))),
        [(-0.001, 0.001), (-0.01, 0.01), (-1.0, 1.0), (-18.0, 295.0), (-1e-5, 1e-5)],
    ),
    (
        "log2p1",
        loop(log2p1_f64.log2p1_in_two_parts),
        lambda x: gmpy2.log1p(x) / gmpy2.const_log2(),
        NEAR_0,
    ),
    (
        "log10p1",
        loop(log2p1_f64.log10p1_in_two_parts),
        lambda x: gmpy2.log1p(x) / gmpy2.log(gmpy2.mpfr(10)),
        NEAR_0,
    ),
    ("sinh", loop(sinh_f64.sinh_in_two_parts), gmpy2.sinh, POSITIVE),
    ("cosh", loop(sinh_f64.cosh_in_two_parts), gmpy2.cosh, POSITIVE),
    ("tanh", loop(sinh_f64.tanh_in_two_parts), gmpy2.tanh, [*POSITIVE[:-1], (1.0, 40.0)]),
    ("asinh", loop(asinh_f64.asinh_in_two_parts), gmpy2.asinh, [*POSITIVE, (0.0, 1e-12)]),
    (
        "acosh",
        loop(asinh_f64.acosh_in_two_parts),
        gmpy2.acosh,
        [(1.0, 1.0 + 2.0**-40), (1.0, 1.01), (1.0, 10.0), (1.0, 1e5)],
    ),
    (
        "atanh",
        loop(asinh_f64.atanh_in_two_parts),
        lambda x: 2 * gmpy2.atanh(x),
        [(0.0, 1e-12), (0.0, 1e-5), (0.0, 0.01), (0.0, 0.999999), (0.999999, 1.0)],
    ),
    (
        "pow",
        pow_parts,
        lambda x: x ** gmpy2.mpfr(EXPONENT),
        [(0.9, 1.1), (0.5, 2.0), (1e-20, 1.0), (1.0, 1e20), (0.9999, 1.0001)],
    ),
]


def main() -> None:
    """Print the worst of each range."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT
    random = np.random.default_rng(7)
    for name, parts, exact, ranges in CASES:
        if len(sys.argv) > 2 and name not in sys.argv[2:]:
            continue
        for first, last in ranges:
            x = first + (last - first) * random.random(count)
            s, low, margin = (np.zeros(count) for _ in range(3))
            parts(x, s, low, margin)
            worst = (0.0, 0.0, 0.0)
            with gmpy2.context(precision=200):
                for v, a, b, m in zip(*(z.tolist() for z in (x, s, low, margin)), strict=True):
                    wanted = exact(gmpy2.mpfr(v))
                    error = abs(wanted - (gmpy2.mpfr(a) + b))
                    worst = max(worst, (float(error / m), float(error / abs(wanted)), v))
            relative = math.log2(worst[1]) if worst[1] else -math.inf
            print(f"{name} [{first:g}, {last:g}): {worst[0]:.3f} of the margin, 2^{relative:.2f} "
                  f"at {worst[2].hex()}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
