"""Loops over the kernels that round right for every argument, and what MPFR makes of the same."""

from __future__ import annotations

import lzma
from collections.abc import Callable
from typing import Any

import gmpy2
import numpy as np
import pytest
from gmpy2 import mpfr, mpq

import samebits as sb
from samebits import Array, ReadOnly, float64, int32
from samebits.lang.kernel import Kernel
from samebits.mathlib.float64 import area_exact_f64 as area
from samebits.mathlib.float64 import atan_exact_f64 as angles
from samebits.mathlib.float64 import exp_exact_f64 as exponential
from samebits.mathlib.float64 import hyperbolic_exact_f64 as hyperbolic
from samebits.mathlib.float64 import log_exact_f64 as logarithmic
from samebits.mathlib.float64 import roots_exact_f64 as roots
from samebits.mathlib.float64 import trigonometric_exact_f64 as trigonometric
from samebits.mathlib.float64.pow_exact_f64 import pow_exact
from tests.support.folders import SHARED_DATA
from tests.support.kernels.math_kernels import assert_same_patterns

HARD_CASES = SHARED_DATA / "core-math"
EXPONENTIAL = ("exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "pow")
TRIGONOMETRIC = ("sin", "cos", "tan", "sinpi", "cospi", "asin", "acos", "atan", "atan2")
OTHER = ("sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "cbrt", "rsqrt", "hypot")
BINARY = frozenset({"pow", "atan2", "hypot"})


@sb.kernel
def exponentials(
    which: int32, x: ReadOnly[float64], y: ReadOnly[float64], result: Array[float64]
) -> None:
    for i in range(len(result)):
        if which == 0:
            result[i] = exponential.exp_exact(x[i])
        elif which == 1:
            result[i] = exponential.exp2_exact(x[i])
        elif which == 2:
            result[i] = exponential.exp10_exact(x[i])
        elif which == 3:
            result[i] = exponential.expm1_exact(x[i])
        elif which == 4:
            result[i] = logarithmic.log_exact(x[i])
        elif which == 5:
            result[i] = logarithmic.log2_exact(x[i])
        elif which == 6:
            result[i] = logarithmic.log10_exact(x[i])
        elif which == 7:
            result[i] = logarithmic.log1p_exact(x[i])
        else:
            result[i] = pow_exact(x[i], y[i])


@sb.kernel
def trigonometrics(
    which: int32, x: ReadOnly[float64], y: ReadOnly[float64], result: Array[float64]
) -> None:
    for i in range(len(result)):
        if which == 0:
            result[i] = trigonometric.sin_exact(x[i])
        elif which == 1:
            result[i] = trigonometric.cos_exact(x[i])
        elif which == 2:
            result[i] = trigonometric.tan_exact(x[i])
        elif which == 3:
            result[i] = trigonometric.sinpi_exact(x[i])
        elif which == 4:
            result[i] = trigonometric.cospi_exact(x[i])
        elif which == 5:
            result[i] = angles.asin_exact(x[i])
        elif which == 6:
            result[i] = angles.acos_exact(x[i])
        elif which == 7:
            result[i] = angles.atan_exact(x[i])
        else:
            result[i] = angles.atan2_exact(x[i], y[i])


@sb.kernel
def others(
    which: int32, x: ReadOnly[float64], y: ReadOnly[float64], result: Array[float64]
) -> None:
    for i in range(len(result)):
        if which == 0:
            result[i] = hyperbolic.sinh_exact(x[i])
        elif which == 1:
            result[i] = hyperbolic.cosh_exact(x[i])
        elif which == 2:
            result[i] = hyperbolic.tanh_exact(x[i])
        elif which == 3:
            result[i] = area.asinh_exact(x[i])
        elif which == 4:
            result[i] = area.acosh_exact(x[i])
        elif which == 5:
            result[i] = area.atanh_exact(x[i])
        elif which == 6:
            result[i] = roots.cbrt_exact(x[i])
        elif which == 7:
            result[i] = roots.rsqrt_exact(x[i])
        else:
            result[i] = roots.hypot_exact(x[i], y[i])


LOOPS: dict[str, tuple[Kernel, int]] = {
    name: (loop, number)
    for loop, names in (
        (exponentials, EXPONENTIAL), (trigonometrics, TRIGONOMETRIC), (others, OTHER),
    )
    for number, name in enumerate(names)
}  # fmt: skip
"""By the function's name: the kernel and the number that it takes first."""


def found(name: str, x: Any, y: Any = None, run: Callable[..., Any] | None = None) -> Any:
    """What the function gives, compiled for this host unless `run` is another execution."""
    loop, number = LOOPS[name]
    result = np.empty(len(x))
    x = np.ascontiguousarray(x)
    (run or loop)(int32(number), x, x if y is None else np.ascontiguousarray(y), result)
    return result


def _of_pi(name: str, x: float) -> Any:
    """sin πx or cos πx as a number that MPFR can round."""
    if not np.isfinite(x):
        return gmpy2.nan()
    turns = mpq(x) % 2 + (mpq(1, 2) if name == "cospi" else 0)
    turns = turns - 2 if turns >= 2 else turns
    if turns % 1 == 0:
        return mpfr(0.0) if name == "cospi" else mpfr(float(np.copysign(0.0, x)))
    if turns % 1 == mpq(1, 2):
        return mpfr(1 if turns < 1 else -1)
    with gmpy2.context(precision=300):
        # Near an end the rest, and not the half turn, is what π multiplies.
        rest = min(turns % 1, 1 - turns % 1)
        value = gmpy2.sin(gmpy2.const_pi() * rest)
        return value if turns < 1 else -value


def wanted(name: str, x: Any, y: Any = None) -> Any:
    """MPFR's results, rounded once to float64, NaN canonical."""
    function = {
        "pow": lambda a, b: a**b,
        "rsqrt": lambda a: 1 / a if a == 0 else gmpy2.rec_sqrt(a),
    }.get(name) or getattr(gmpy2, name, None)
    with gmpy2.context(precision=53, emin=-1073, emax=1024, subnormalize=True):
        if name in ("sinpi", "cospi"):
            values = [float(mpfr(_of_pi(name, v), 53)) for v in x.tolist()]
        elif y is None:
            values = [float(function(mpfr(v))) for v in x.tolist()]
        else:
            pairs = zip(x.tolist(), y.tolist(), strict=True)
            values = [float(function(mpfr(v), mpfr(w))) for v, w in pairs]
    result = np.array(values)
    return np.where(np.isnan(result), np.nan, result)


def hard_cases(name: str) -> list[Any]:
    """The published arguments: one array, or two for functions of two."""
    file = HARD_CASES / f"{name}.wc.xz"
    if not file.exists():
        pytest.skip(f"CORE-MATH's hard cases are not at {HARD_CASES}")
    rows: list[list[float]] = []
    with lzma.open(file, "rt") as lines:
        for line in lines:
            words = line.split("#")[0].replace(",", " ").lower().split()
            if words and "nan" not in words[0] and words[0] != "snan":
                numbers = words[: 2 if name in BINARY else 1]
                rows.append(
                    [float.fromhex(word) if "nan" not in word else np.nan for word in numbers]
                )
    return [np.array(column) for column in zip(*rows, strict=True)]


def check(name: str, x: Any, y: Any = None) -> None:
    """Every result is the correctly rounded one."""
    place = x if y is None else np.arange(len(x), dtype=np.float64)
    assert_same_patterns(found(name, x, y), wanted(name, x, y), place, name)


def mirrored(name: str, stride: int) -> list[tuple[Any, ...]]:
    """Every `stride`-th of the published arguments, under all signs."""
    columns = [column[::stride] for column in hard_cases(name)]
    if name not in BINARY:
        return [(columns[0],), (-columns[0],)]
    x, y = columns
    return [(x, y), (-x, y), (x, -y), (-x, -y)]


def specials() -> Any:
    """Zeros, infinities, NaN, ends, powers, small integers, and where a path takes over."""
    positive = [
        0.0, 5e-324, 1.5e-323, 2.0**-1022, float.fromhex("0x1.fffffffffffffp1023"), np.inf, np.nan,
        *(k / 2 for k in range(1, 13)), *(10.0**k for k in range(-5, 24, 4)), 2.0**1023,
        *(2.0**-k for k in (6, 7, 14, 26, 27, 28, 52, 53, 54, 55, 500)), 2.0**52 + 0.5, 2.0**53,
        709.782712893384, 709.7827128933841, 710.4758600739439, 710.475860073944, 745.1332191019411,
        745.1332191019412, 1024.0, 1074.0, 1074.5, 1075.0, 1075.0000000000002, 308.2547155599167,
        308.25471555991675, 323.3062153431158, 323.60724533877976, 323.6072453387798, 27.0, 64.0,
        1.0 - 2.0**-53, 1.0 + 2.0**-52, 0.75, np.pi / 2, np.pi, 1e22,
        float.fromhex("0x1.6ac5b262ca1ffp+849"),
    ]  # fmt: skip
    return np.array([*positive, *(-v for v in positive)])


def random_patterns(count: int, seed: int = 3) -> Any:
    """float64 of any bits."""
    bits = np.random.default_rng(seed).integers(0, 1 << 64, count, np.uint64)
    values = bits.view(np.float64)
    return np.where(np.isnan(values), np.nan, values)
