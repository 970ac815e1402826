"""float32 tangent, half turns and inverse functions: one kernel runs them all on each input.

Hardest inputs, special values, random ones against MPFR, one answer in every execution, lanes, and
what precision LOW promises.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gmpy2
import numpy as np
import pytest
from gmpy2 import mpfr
from tests.support.kernels.math_kernels import assert_same_patterns, called_in_loops, results

import samebits as sb
from samebits import Array, ReadOnly, float32, math
from samebits.backend.llvm.compile import assembly_text
from samebits.backend.targets.table import TARGETS
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import Op, can_trap, walk
from samebits.lang.kernel import Kernel
from samebits.passes.pipeline import optimise
from samebits.runtime.same_bits import executions

NAMES = ["tan", "asin", "acos", "atan", "sinpi", "cospi"]
HARD = [
    line.split()
    for line in (Path(__file__).parent / "hard_trigonometry_f32.txt").read_text().splitlines()
]
INF = float("inf")
NAN = float("nan")
TINY = 2.0**-149
HALF_PI = float(np.float32(np.pi / 2))
SPECIAL: dict[str, list[tuple[float, float]]] = {
    "tan": [(-0.0, -0.0), (TINY, TINY), (INF, NAN), (-INF, NAN)],
    "asin": [(-0.0, -0.0), (TINY, TINY), (1.0, HALF_PI), (-1.0, -HALF_PI), (1.5, NAN), (-INF, NAN)],
    "acos": [(1.0, 0.0), (-1.0, 2 * HALF_PI), (-0.0, HALF_PI), (-1.5, NAN), (INF, NAN)],
    "atan": [(-0.0, -0.0), (TINY, TINY), (INF, HALF_PI), (-INF, -HALF_PI)],
    "sinpi": [(-0.0, -0.0), (3.0, 0.0), (-3.0, -0.0), (-2.5, -1.0), (2.0**127, 0.0), (-INF, NAN)],
    "cospi": [(-0.0, 1.0), (3.0, -1.0), (-2.5, 0.0), (2.0**23 + 1, -1.0), (1e30, 1.0), (INF, NAN)],
}  # fmt: skip
LOW_RANGES = {
    "sin": (1600.0, 40), "cos": (1600.0, 40), "tan": (1600.0, 157), "sinpi": (2.0**21, 20),
    "cospi": (2.0**21, 20), "asin": (1.0, 30), "acos": (1.0, 28), "atan": (2.0**60, 75),
}  # fmt: skip
"""Largest input, and the error in ULP that its documentation states (rounded up)."""


@sb.kernel
def trigonometry(x: ReadOnly[float32], result: Array[float32]) -> None:
    """Each function in the order of NAMES, six results an input."""
    for i in range(len(x)):
        v = x[i]
        result[6 * i] = math.tan(v)
        result[6 * i + 1] = math.asin(v)
        result[6 * i + 2] = math.acos(v)
        result[6 * i + 3] = math.atan(v)
        result[6 * i + 4] = math.sinpi(v)
        result[6 * i + 5] = math.cospi(v)


def every(run: Callable[..., Any], x: Any) -> Any:
    """Results by function and input."""
    found = np.empty(6 * len(x), np.float32)
    run(x, found)
    return found.reshape(len(x), 6).T.copy()


def of_pi(function: Callable[[Any], Any], x: float) -> float:
    """sin(πx) or cos(πx) rounded to float32, for x no multiple of 1/2."""
    with gmpy2.context(precision=400):
        value = function(gmpy2.const_pi() * gmpy2.fmod(mpfr(x), 2))
    return float(gmpy2.mpfr(value, 24))


def exact(name: str, x: float) -> float:
    """What MPFR rounds to float32."""
    with gmpy2.context(precision=24, emin=-148, emax=128, subnormalize=True):
        if name in ("sinpi", "cospi"):
            return of_pi(gmpy2.sin if name == "sinpi" else gmpy2.cos, x)
        return float(getattr(gmpy2, name)(mpfr(x)))


def hard_inputs(name: str) -> tuple[Any, Any]:
    rows = [(int(x, 16), int(y, 16)) for which, x, y in HARD if which == name]
    x, y = (np.array(part, np.uint32).view(np.float32) for part in zip(*rows, strict=True))
    return x, y


def loop_of(name: str, precision: Any = sb.HIGH) -> Kernel:
    """A loop over an array with one function in it."""
    function = getattr(math, name)

    def loop(x: ReadOnly[float32], result: Array[float32]) -> None:
        for i in range(len(result)):
            result[i] = function(x[i])

    return sb.kernel(precision=precision)(loop)


@pytest.mark.parametrize("name", NAMES)
def test_the_inputs_nearest_to_a_rounding_boundary_are_rounded_right(name: str) -> None:
    x, wanted = hard_inputs(name)
    assert len(x) >= 24
    number = NAMES.index(name)
    for what, run in executions(trigonometry, trigonometry.fixed_types or ()):
        assert_same_patterns(every(run, x)[number], wanted, x, (name, what))


def test_special_values_have_the_documented_results() -> None:
    for number, name in enumerate(NAMES):
        x, wanted = (
            np.array(part, np.float32) for part in zip(*SPECIAL[name], (NAN, NAN), strict=True)
        )
        for what, run in executions(trigonometry, trigonometry.fixed_types or ()):
            assert_same_patterns(every(run, x)[number], wanted, x, (name, what))


def test_results_are_rounded_right_on_inputs_of_every_kind() -> None:
    rng = np.random.default_rng(21)
    bits = rng.integers(0, 1 << 32, 1500, np.uint32).view(np.float32)
    turns = rng.uniform(-100, 100, 500).astype(np.float32)
    unit = rng.uniform(-1, 1, 1000).astype(np.float32)
    ends = (1 - 2.0 ** rng.uniform(-24, 0, 500)).astype(np.float32)
    x = np.concatenate([bits, turns, unit, ends])
    x = x[np.isfinite(x)]
    found = every(trigonometry, x)
    for number, name in enumerate(NAMES):
        part = x % 0.5 != 0 if name in ("sinpi", "cospi") else np.full(len(x), True)
        wanted = np.array([exact(name, v) for v in x[part].tolist()], np.float32)
        wanted[np.isnan(wanted)] = NAN
        assert_same_patterns(found[number][part], wanted, x[part], name)


def test_every_execution_gives_the_same_bits() -> None:
    bits = np.random.default_rng(22).integers(0, 1 << 32, 64, np.uint32).view(np.float32)
    unit = np.random.default_rng(23).uniform(-1, 1, 64).astype(np.float32)
    x = np.concatenate([bits, unit, unit * 100])
    wanted = every(trigonometry, x)
    for what, run in executions(trigonometry, trigonometry.fixed_types or ()):
        found = every(run, x)
        for number, name in enumerate(NAMES):
            assert_same_patterns(found[number], wanted[number], x, (name, what))


@pytest.mark.parametrize("precision", [sb.HIGH, sb.LOW])
@pytest.mark.parametrize("name", ["sin", "cos", *NAMES])
def test_a_loop_over_an_array_runs_in_vector_lanes_without_checks(
    name: str, precision: Any
) -> None:
    kernel = loop_of(name, precision)
    unit = compile_kernel(kernel, kernel.signature.resolve((None, None)))
    entries = [unit.function.name]
    module = optimise(link(unit), entries)
    assembly = assembly_text(module, entries, TARGETS["x86-64-v4"])
    # Every multiplication and addition is done in lanes, but for the loop's last iterations.
    kind = "pd" if precision is sb.HIGH else "ps"
    lanes = rf"\tv(?:mul|add|sub|fn?m(?:add|sub)\d+){kind}\t[^\n]*%[yz]mm"
    assert len(re.findall(lanes, assembly)) >= 8
    assert all("_large" in target for target in called_in_loops(assembly, "f32"))
    for function in module.functions.values():
        if "mathlib" in function.name:
            assert not [s for s in walk(function.body) if isinstance(s, Op) and can_trap(s)]


@pytest.mark.parametrize("name", LOW_RANGES)
def test_low_precision_is_within_what_it_states(name: str) -> None:
    bound, ulps = LOW_RANGES[name]
    rng = np.random.default_rng(24)
    x = np.concatenate(
        [rng.uniform(-bound, bound, 100_000), bound * 2.0 ** rng.uniform(-60, 0, 100_000)]
    ).astype(np.float32)
    if name in ("sin", "cos", "tan"):  # and next to zeros and poles
        x = np.concatenate(
            [x, (rng.integers(-1000, 1000, 50_000) * (np.pi / 2)).astype(np.float32)]
        )
    found = results(loop_of(name, sb.LOW), x).astype(np.float64)
    wide = x.astype(np.float64)
    if name in ("sinpi", "cospi"):
        turns = wide - 2 * np.rint(wide / 2)
        wanted = np.where(
            np.abs(turns) > 0.5,
            np.sin(np.pi * (np.copysign(1, turns) - turns)),
            np.sin(np.pi * turns),
        )
        if name == "cospi":
            wanted = np.sin(np.pi * (0.5 - np.abs(turns)))
    else:
        numpy_name = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}.get(name, name)
        wanted = getattr(np, numpy_name)(wide)
    spacing = np.exp2(np.maximum(np.frexp(wanted)[1] - 24, -149).astype(np.float64))
    assert (np.abs(found - wanted) <= ulps * spacing).all()


@pytest.mark.parametrize("name", ["sin", "cos", *NAMES])
def test_low_precision_keeps_nan_and_the_sign_of_zero(name: str) -> None:
    x = np.array([NAN, -0.0, 0.0], np.float32)
    found = results(loop_of(name, sb.LOW), x)
    assert np.isnan(found[0])
    if name not in ("cos", "acos", "cospi"):
        assert found[1:].view(np.uint32).tolist() == [1 << 31, 0]


@pytest.mark.parametrize("precision", [sb.HIGH, sb.LOW])
def test_sincos_is_sine_and_cosine(precision: Any) -> None:
    x = np.linspace(-40, 40, 999, dtype=np.float32)
    with math.precision(precision):
        s, c = math.sincos(x)
        assert_same_patterns(s, math.sin(x), x, "sincos")
        assert_same_patterns(c, math.cos(x), x, "sincos")
