"""float32 functions at MEDIUM and LOW precision: stated errors, one answer in every execution."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.support.kernels.elementary_f32 import NAMES, elementary, every
from tests.support.kernels.math_kernels import assert_same_patterns

import samebits as sb
from samebits import Array, ReadOnly, float32, math
from samebits.lang.kernel import Kernel
from samebits.runtime.same_bits import executions

MEDIUM = Kernel(elementary.function, given={"precision": sb.MEDIUM})
LOW = Kernel(elementary.function, given={"precision": sb.LOW})
INF = float("inf")
TINY, HUGE, LEAST = 2.0**-126, 3.4e38, 2.0**-149
ONE = 1 - 2.0**-24
"""The greatest number below 1."""
# The greatest error stated, and where: from, to. At MEDIUM everywhere that results are finite.
BOUNDS: dict[str, tuple[float, float, float, float, float, float]] = {
    "exp": (0.8, -104.0, 88.7, 150, -87.3, 88.3),
    "exp2": (0.9, -150.0, 127.9, 60, -126.0, 127.4),
    "exp10": (1.0, -45.0, 38.5, 250, -37.9, 38.3),
    "expm1": (0.51, -INF, 88.7, 100, -INF, 88.7),
    "log": (0.51, LEAST, HUGE, 30, TINY, HUGE),
    "log2": (0.52, LEAST, HUGE, 30, TINY, HUGE),
    "log10": (0.52, LEAST, HUGE, 30, TINY, HUGE),
    "log1p": (0.51, -0.999999, HUGE, 30, -0.999999, HUGE),
    "sinh": (0.51, -89.0, 89.0, 100, -86.9, 86.9),
    "cosh": (0.51, -89.0, 89.0, 100, -86.9, 86.9),
    "tanh": (0.51, -INF, INF, 20, -INF, INF),
    "asinh": (0.51, -HUGE, HUGE, 20, -(2.0**61), 2.0**61),
    "acosh": (0.51, 1.000001, HUGE, 20, 1.000001, 2.0**61),
    "atanh": (0.51, -ONE, ONE, 20, -ONE, ONE),
    "cbrt": (0.51, LEAST, HUGE, 250, TINY, HUGE),
    "rsqrt": (0.51, LEAST, HUGE, 2, LEAST, HUGE),
}


def reference(name: str, x: Any) -> Any:
    wide = x.astype(np.longdouble)
    if name == "rsqrt":
        return 1 / np.sqrt(wide)
    return np.longdouble(10) ** wide if name == "exp10" else getattr(np, name)(wide)


def errors(found: Any, wanted: Any) -> Any:
    """In units of float32's last place at the true result."""
    last = np.maximum(np.frexp(np.abs(wanted))[1] - 24, -149)
    return np.abs(found.astype(np.longdouble) - wanted) / np.ldexp(np.longdouble(1), last)


def inputs() -> Any:
    rng = np.random.default_rng(7)
    bits = np.arange(0, 1 << 32, 0x9_E377, dtype=np.uint64).astype(np.uint32).view(np.float32)
    near = (1 + rng.normal(size=3000) * 2.0 ** rng.uniform(-20, 0, 3000)).astype(np.float32)
    x = np.concatenate([bits[np.isfinite(bits)], near, rng.uniform(-89, 89, 6000)])
    return x[x != 0].astype(np.float32)


def test_no_error_is_above_the_one_stated() -> None:
    x = inputs()
    for kernel, column in ((MEDIUM, 0), (LOW, 3)):
        found = every(kernel, x)
        for number, name in enumerate(NAMES):
            bound, low, high = BOUNDS[name][column : column + 3]
            inside = (x >= low) & (x <= high)
            error = errors(found[number][inside], reference(name, x[inside]))
            worst = int(np.argmax(error))
            assert inside.sum() > 1500
            assert error[worst] <= bound, (name, float(x[inside][worst]), float(error[worst]))


def test_expm1_at_low_is_infinite_only_beyond_the_range() -> None:
    x = np.arange(*np.array([88.0, 90.0], np.float32).view(np.uint32), dtype=np.uint32)
    x = x.view(np.float32)
    with math.precision(sb.LOW):
        found = math.expm1(x)
    assert (np.isfinite(found) == np.isfinite(math.expm1(x))).all()
    assert not np.isnan(found).any()


def test_special_values_at_medium_are_those_at_high() -> None:
    x = np.array([0.0, -0.0, INF, -INF, np.nan, 1.0, -1.0, 2.0, -2.0, LEAST, 89.5, -104.5, 1e38])
    x = x.astype(np.float32)
    high, medium = every(elementary, x), every(MEDIUM, x)
    for number, name in enumerate(NAMES):
        plain = np.isfinite(high[number]) & (high[number] != 0)
        error = errors(medium[number][plain], high[number][plain].astype(np.longdouble))
        assert (error <= 1).all(), name
        special = x[~plain]
        assert_same_patterns(medium[number][~plain], high[number][~plain], special, name)


@pytest.mark.parametrize("kernel", [MEDIUM, LOW], ids=["medium", "low"])
def test_every_execution_gives_the_same_bits(kernel: Kernel) -> None:
    assert kernel.fixed_types is not None
    special = np.array([0.0, -0.0, INF, -INF, np.nan, 1.0, LEAST, 1e38, -1e38], np.float32)
    x = np.concatenate([special, inputs()[::150]])
    wanted = every(kernel, x)
    for what, run in executions(kernel, kernel.fixed_types):
        step = {"managed": 5, "evaluate": 3}.get(what, 1)
        part = x[::step].copy()
        found = every(run, part)
        for number, name in enumerate(NAMES):
            assert_same_patterns(found[number], wanted[number][::step].copy(), part, (name, what))


def pairs(x: ReadOnly[float32], y: ReadOnly[float32], result: Array[float32]) -> None:
    for i in range(len(x)):
        result[2 * i] = math.pow(x[i], y[i])
        result[2 * i + 1] = math.hypot(x[i], y[i])


PAIRS = {p: Kernel(pairs, given={"precision": p}) for p in (sb.HIGH, sb.MEDIUM, sb.LOW)}


@pytest.mark.parametrize(("precision", "bounds"), [(sb.MEDIUM, (0.54, 0.51)), (sb.LOW, (350, 2))])
def test_powers_and_lengths_are_as_near_as_stated(
    precision: sb.Precision, bounds: tuple[float, float]
) -> None:
    rng = np.random.default_rng(8)
    x = np.exp(rng.uniform(-30, 30, 20000)).astype(np.float32)
    y = (rng.uniform(-87, 87, len(x)) / np.log(x)).astype(np.float32)
    found = np.empty(2 * len(x), np.float32)
    PAIRS[precision](x, y, found)
    a, b = x.astype(np.longdouble), y.astype(np.longdouble)
    for number, wanted in enumerate((a**b, np.hypot(a, b))):
        assert errors(found[number::2], wanted).max() <= bounds[number]


def test_special_powers_at_medium_are_those_at_high() -> None:
    values = np.array([0.0, -0.0, INF, -INF, np.nan, 1, -1, 2, -3, 0.5, 1e-45, 149], np.float32)
    x, y = (v.ravel() for v in np.meshgrid(values, values))
    found = [np.empty(2 * len(x), np.float32) for _ in range(2)]
    PAIRS[sb.HIGH](x, y, found[0])
    PAIRS[sb.MEDIUM](x, y, found[1])
    plain = np.isfinite(found[0]) & (found[0] != 0)
    assert (errors(found[1][plain], found[0][plain].astype(np.longdouble)) <= 1).all()
    assert_same_patterns(found[1][~plain], found[0][~plain], np.repeat(x, 2)[~plain], "MEDIUM")
