"""The errors of the float64 trigonometric functions' and roots' fast paths, against MPFR.

For each function and range: the largest error of the sum of two parts, as a part of the margin that
the rounding test allows (below 1, or the margin is wrong) and relative to the result; and how many
inputs in a million are left to the exact path. With and without fused multiply-add.
Run as `python -m tools.math.two_parts_error_f64 [COUNT [FUNCTION...]]`.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import gmpy2
import numpy as np
from tools.prove.functions import NAMED
from tools.prove.subject import Linked, host_rows, slots

import samebits as sb
from samebits import Array, ReadOnly, float64
from samebits.frontend.compile import compile_kernel, link
from samebits.lang.executions import executions
from samebits.lang.kernel import Kernel
from samebits.mathlib.float64 import atanpi_f64 as half_turns
from samebits.mathlib.float64 import erf_f64 as error
from samebits.mathlib.float64 import erfc_f64 as complement
from samebits.mathlib.float64 import exp_f64
from samebits.mathlib.float64 import inverse_trigonometric_f64 as inverse
from samebits.mathlib.float64 import lgamma_f64 as log_gamma
from samebits.mathlib.float64 import roots_f64 as roots
from samebits.mathlib.float64 import tgamma_f64 as gamma
from samebits.mathlib.float64 import trigonometric_f64 as turns

COUNT = 20_000
"""Inputs a range, unless the command line gives another number."""


@sb.kernel
def sin(x: float64) -> tuple[float64, float64, float64]:
    n, d, d_low, error = turns.reduce(x)
    s, low, margin = turns.turned(n, d, d_low)
    return s, low, margin + error


@sb.kernel
def cos(x: float64) -> tuple[float64, float64, float64]:
    n, d, d_low, error = turns.reduce(x)
    s, low, margin = turns.turned(n + turns.QUARTER, d, d_low)
    return s, low, margin + error


@sb.kernel
def tan(x: float64) -> tuple[float64, float64, float64]:
    n, d, d_low, error = turns.reduce(x)
    return turns.tan_in_two_parts(n, d, d_low, error)


@sb.kernel
def sinpi(x: float64) -> tuple[float64, float64, float64]:
    n, d, d_low = turns.reduce_half_turns(x)
    return turns.turned(n, d, d_low)


@sb.kernel
def cospi(x: float64) -> tuple[float64, float64, float64]:
    n, d, d_low = turns.reduce_half_turns(x)
    return turns.turned(n + turns.QUARTER, d, d_low)


@sb.kernel
def atan(x: float64) -> tuple[float64, float64, float64]:
    steep = x > 1.0
    return inverse.angle_in_two_parts(
        sb.select(steep, 1.0, x), 0.0, sb.select(steep, x, 1.0), 0.0, steep, False
    )


@sb.kernel
def asin(x: float64) -> tuple[float64, float64, float64]:
    leg, leg_low = inverse.leg_in_two_parts(x)
    steep = x > leg
    return inverse.angle_in_two_parts(
        sb.select(steep, leg, x), sb.select(steep, leg_low, 0.0),
        sb.select(steep, x, leg), sb.select(steep, 0.0, leg_low), steep, False,
    )  # fmt: skip


@sb.kernel
def acos(x: float64) -> tuple[float64, float64, float64]:
    size = sb.abs(x)
    leg, leg_low = inverse.leg_in_two_parts(size)
    steep = leg > size
    return inverse.angle_in_two_parts(
        sb.select(steep, size, leg), sb.select(steep, 0.0, leg_low),
        sb.select(steep, leg, size), sb.select(steep, leg_low, 0.0), steep, x < 0.0,
    )  # fmt: skip


@sb.kernel
def cbrt(x: float64) -> tuple[float64, float64, float64]:
    s, low = roots.cbrt_in_two_parts(x)
    return s, low, s * roots.MARGIN


@sb.kernel
def rsqrt(x: float64) -> tuple[float64, float64, float64]:
    s, low = roots.rsqrt_in_two_parts(x)
    return s, low, s * roots.MARGIN


@sb.kernel
def atan2(y: float64, x: float64) -> tuple[float64, float64, float64]:
    width = sb.abs(x)
    steep = y > width
    return inverse.angle_in_two_parts(
        sb.select(steep, width, y), 0.0, sb.select(steep, y, width), 0.0, steep, x < 0.0
    )


@sb.kernel
def tanpi(x: float64) -> tuple[float64, float64, float64]:
    n, d, d_low = turns.reduce_half_turns(x)
    return turns.tan_in_two_parts(n, d, d_low, 0.0)


@sb.kernel
def asinpi(x: float64) -> tuple[float64, float64, float64]:
    s, low, margin = asin(x)
    return half_turns.in_half_turns(s, low, margin)


@sb.kernel
def acospi(x: float64) -> tuple[float64, float64, float64]:
    s, low, margin = acos(x)
    return half_turns.in_half_turns(s, low, margin)


@sb.kernel
def atanpi(x: float64) -> tuple[float64, float64, float64]:
    s, low, margin = atan(x)
    return half_turns.in_half_turns(s, low, margin)


@sb.kernel
def atan2pi(y: float64, x: float64) -> tuple[float64, float64, float64]:
    s, low, margin = atan2(y, x)
    return half_turns.in_half_turns(s, low, margin)


@sb.kernel
def erf(x: float64) -> tuple[float64, float64, float64]:
    return error.erf_in_two_parts(x)


@sb.kernel
def erfc(x: float64) -> tuple[float64, float64, float64]:
    k, s, low, margin = complement.erfc_in_two_parts(x)
    unit = exp_f64.scale(k)
    return s * unit, low * unit, margin * unit


@sb.kernel
def tgamma(x: float64) -> tuple[float64, float64, float64]:
    k, s, low, margin = gamma.gamma_in_two_parts(x)
    unit = exp_f64.scale(k)
    unit = sb.select(x < 0.0, 1.0 / unit, unit)
    return s * unit, low * unit, margin * unit


@sb.kernel
def lgamma(x: float64) -> tuple[float64, float64, float64]:
    s, low, margin = log_gamma.lgamma_below_0(x)
    if x > 0.0:
        s, low, margin = log_gamma.lgamma_in_two_parts(x)
    return s, low, margin


@sb.kernel
def hypot(x: float64, y: float64) -> tuple[float64, float64, float64]:
    s, low = roots.hypot_in_two_parts(sb.max(x, y), sb.min(x, y))
    return s, low, s * roots.MARGIN


TURNS = ((2.0**-20, 0.0064), (0.0064, 0.0184), (0.02, 0.8), (0.8, 6.3), (6.3, 1e3), (1e3, 2.0**20))
HALF_TURNS = ((2.0**-20, 0.002), (0.002, 0.006), (0.006, 0.5), (0.5, 40.0))
LENGTHS = ((0.0, 0.0078), (0.0078, 0.024), (0.024, 1.0), (1.0, 40.0), (40.0, 1e4))
QUARTERS = ((1.0, 1.02), (1.0, 3.0), (0.01, 100.0))
SINES = ((2.0**-20, 0.0078), (0.0078, 0.024), (0.024, 0.9), (0.9, 1.0))
FUNCTIONS: dict[Kernel, tuple[tuple[float, float], ...]] = {
    sin: TURNS, cos: TURNS, tan: TURNS, sinpi: HALF_TURNS, cospi: HALF_TURNS,
    atan: LENGTHS, asin: SINES, acos: (*SINES, (1 - 2.0**-20, 1.0), (-1.0, -0.5)),
    atan2: QUARTERS, tanpi: HALF_TURNS, atanpi: LENGTHS, asinpi: SINES,
    acospi: (*SINES, (1 - 2.0**-20, 1.0), (-1.0, -0.5)), atan2pi: QUARTERS,
    erf: ((0.0, 0.0078), (0.0078, 0.05), (0.05, 2.0), (2.0, 6.0)),
    erfc: ((0.5, 0.51), (0.5, 2.0), (2.0, 10.0), (10.0, 20.0)),
    tgamma: ((1e-30, 0.5), (0.5, 8.0), (8.0, 20.0), (20.0, 170.0), (-8.0, 0.0), (-160.0, -8.0)),
    lgamma: (
        (1e-30, 0.75), (0.75, 3.0), (3.0, 8.0), (8.0, 100.0), (100.0, 1e200), (-8.0, 0.0),
        (-1000.0, -8.0),
    ),
    cbrt: ((1.0, 8.0), (1e-200, 1e200)), rsqrt: ((1.0, 4.0), (1e-200, 1e200)),
    hypot: ((1.0, 4.0), (1e-6, 1e6)),
}  # fmt: skip


def over_arrays(kernel: Kernel, arity: int, level: str) -> Callable[..., None]:
    """The loop of `kernel` on a level of this host."""

    def one(
        x: ReadOnly[float64], s: Array[float64], low: Array[float64], margin: Array[float64]
    ) -> None:
        for i in range(len(s)):
            s[i], low[i], margin[i] = kernel(x[i])

    def two(
        x: ReadOnly[float64], y: ReadOnly[float64], s: Array[float64], low: Array[float64],
        margin: Array[float64],
    ) -> None:  # fmt: skip
        for i in range(len(s)):
            s[i], low[i], margin[i] = kernel(x[i], y[i])

    loop = Kernel(one if arity == 1 else two)
    assert loop.fixed_types is not None
    with executions.pinned():
        unit = compile_kernel(loop, loop.fixed_types)
        made = Linked(link(unit), [unit.function.name])
    entry = made.native(host_rows()[level]).entry(0)
    return lambda *arrays: entry.run(slots(arrays))


def inputs(low: float, high: float, count: int, seed: int) -> Any:
    """Uniform, or with uniform logarithms over a wide range."""
    random = np.random.default_rng(seed)
    if low > 0.0 and high > 1e5 * low:
        return np.exp(random.uniform(math.log(low), math.log(high), count))
    return random.uniform(low, high, count)


def measured(run: Callable[..., None], exact: Any, given: list[Any]) -> str:
    """A range's worst error and its share of the exact path."""
    count = len(given[0])
    s, low, margin = (np.zeros(count) for _ in range(3))
    run(*given, s, low, margin)
    left = np.count_nonzero(s + (low - margin) != s + (low + margin))
    of_margin = relative = 0.0
    with gmpy2.context(precision=250):
        for k in range(count):
            wanted = exact(*(gmpy2.mpfr(float(a[k])) for a in given))
            error = float(abs(wanted - (gmpy2.mpfr(float(s[k])) + float(low[k]))))
            of_margin = max(of_margin, error / float(margin[k]))
            relative = max(relative, error / abs(float(s[k])))
    found = f"{of_margin:.2f} of the margin, relative 2^{math.log2(relative):.1f}"
    return f"{found}, {left / count * 1e6:.0f} in a million left"


def main() -> None:
    """Print each function's ranges."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT
    only = sys.argv[2:]
    rows = [*host_rows()]
    for kernel, ranges in FUNCTIONS.items():
        function = NAMED[kernel.__name__]
        if only and function.name not in only:
            continue
        for level in dict.fromkeys((rows[0], rows[-1])):
            run = over_arrays(kernel, function.arity, level)
            for low, high in ranges:
                given = [inputs(low, high, count, 7 + k) for k in range(function.arity)]
                found = measured(run, function.exact, given)
                print(f"{function.name} {level} [{low:g}, {high:g}]: {found}", flush=True)


if __name__ == "__main__":
    main()
