"""float64 trigonometric functions and roots: hard cases, special values, every kind of input
against MPFR with and without fused hardware, LOW within what is promised, and vector lanes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.support.kernels.exact_kernels import BINARY, mirrored, random_patterns, specials, wanted
from tests.support.kernels.math_kernels import assert_same_patterns
from tests.support.levels import LOWEST_AND_BEST

from samebits import Array, ReadOnly, float64, math
from samebits.backend.llvm.compile import assembly_text
from samebits.backend.targets.table import TARGETS
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import Op, can_trap, walk
from samebits.lang.kernel import Kernel
from samebits.mathlib.float64.inverse_trigonometric_f64_table import ANGLES
from samebits.modes import HIGH, LOW, MEDIUM
from samebits.passes.pipeline import optimise
from samebits.runtime.compile import compile_native
from samebits.types import FLOAT64

LOW_ULP = {
    "sin": 5, "cos": 5, "tan": 64, "sinpi": 6, "cospi": 6, "asin": 60, "acos": 60, "atan": 300,
    "atan2": 300, "cbrt": 5, "rsqrt": 10, "hypot": 2,
}  # fmt: skip
"""What precision LOW promises of normal results where |x| ≤ 2^20."""
NAMES = [*LOW_ULP]
each = pytest.mark.parametrize("name", NAMES)


def loop_of(name: str, precision: Any = HIGH) -> Kernel:
    """A loop over arrays with one function in it."""
    function = getattr(math, name).kernel_for(FLOAT64, precision)

    def one(x: ReadOnly[float64], result: Array[float64]) -> None:
        for i in range(len(result)):
            result[i] = function(x[i])

    def two(x: ReadOnly[float64], y: ReadOnly[float64], result: Array[float64]) -> None:
        for i in range(len(result)):
            result[i] = function(x[i], y[i])

    return Kernel(two if name in BINARY else one)


@cache
def levels(name: str) -> dict[str, Callable[..., Any]]:
    """The loop on the first and the last level of this host: without and with fused hardware."""
    kernel = loop_of(name)
    assert kernel.fixed_types is not None
    return {
        level: compile_native(kernel, kernel.fixed_types, TARGETS[level])
        for level in LOWEST_AND_BEST
    }


def check(name: str, *arguments: Any) -> None:
    """Every level's results are the correctly rounded ones."""
    arguments = tuple(np.ascontiguousarray(a) for a in arguments)
    expected = wanted(name, *arguments)
    for what, run in levels(name).items():
        found = np.empty(len(expected))
        run(*arguments, found)
        assert_same_patterns(found, expected, arguments[0], (name, what))


@each
def test_published_hard_cases_are_rounded_right(name: str) -> None:
    for arguments in mirrored(name, 150):
        check(name, *arguments)


@each
def test_special_values_have_the_standard_s_results(name: str) -> None:
    if name in BINARY:
        x, y = np.meshgrid(specials()[::2], specials()[1::3])
        check(name, x.ravel(), y.ravel())
    else:
        check(name, specials())


@each
def test_inputs_of_every_kind_are_rounded_right(name: str) -> None:
    rng = np.random.default_rng(31)
    count = 1 + (name in BINARY)
    scaled = rng.normal(size=1000) * np.exp2(rng.uniform(-30, 22, 1000))
    steps = np.arange(-300, 300) * (np.pi / 512) * (1 + rng.uniform(-4, 4, 600) * 2.0**-52)
    slopes = rng.integers(-160, 160, 500) / 128 * (1 + rng.integers(-2, 3, 500) * 2.0**-52)
    ends = np.copysign(1 - np.exp2(rng.uniform(-53, -1, 300)), rng.normal(size=300))
    x = np.concatenate([scaled, steps, slopes, ends, random_patterns(200)])
    check(name, *(rng.permutation(x) if k else x for k in range(count)))


@each
def test_near_multiples_of_a_quarter_turn_results_are_rounded_right(name: str) -> None:
    quarters = np.arange(1, 400) * (np.pi / 2)
    for x in (quarters, np.nextafter(quarters, 0.0), np.arange(1, 400) / 2):
        check(name, *[x] * (1 + (name in BINARY)))


@each
@pytest.mark.parametrize("precision", [MEDIUM, LOW], ids=["MEDIUM", "LOW"])
def test_lower_precisions_are_as_near_as_promised(name: str, precision: Any) -> None:
    bound = LOW_ULP[name] if precision is LOW else 1
    rng = np.random.default_rng(32)
    count = 1 + (name in BINARY)
    limit = 1.0 if name in ("asin", "acos") else 100.0
    x = [
        np.concatenate([rng.uniform(-limit, limit, 2000), rng.uniform(-limit, limit, 1000) / 128])
        for _ in range(count)
    ]
    x = [abs(a) for a in x] if name == "rsqrt" else x
    found = np.empty(3000)
    loop_of(name, precision)(*x, found)
    expected = wanted(name, *x)
    assert (abs(found - expected) <= bound * np.spacing(abs(expected))).all()


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
@pytest.mark.parametrize("precision", [MEDIUM, LOW], ids=["MEDIUM", "LOW"])
def test_lower_precisions_hold_next_to_multiples_of_a_quarter_turn(
    name: str, precision: Any
) -> None:
    k = np.concatenate([np.arange(1, 500), np.arange(1, 667_000, 667)])
    worst = [float.fromhex("0x1.39c6fd67805a7p+19"), float.fromhex("0x1.0ccd720b412a5p+12")]
    x = np.concatenate([k * (np.pi / 2), worst])
    found, expected = np.empty(len(x)), wanted(name, x)
    loop_of(name, precision)(x, found)
    bound = 1 if precision is MEDIUM else LOW_ULP[name]
    assert (abs(found - expected) <= bound * np.spacing(abs(expected))).all()


@pytest.mark.parametrize("name", ["sin", "cos", "sinpi", "cospi"])
def test_medium_has_no_limit_and_the_standard_s_special_results(name: str) -> None:
    x = np.concatenate([specials(), random_patterns(200)])
    found, expected = np.empty(len(x)), wanted(name, x)
    loop_of(name, MEDIUM)(x, found)
    exact = ~(abs(expected) > 0.0) | (abs(expected) == 1.0)
    assert_same_patterns(found[exact], expected[exact], x[exact], name)
    near, rest = found[~exact], expected[~exact]
    assert (abs(near - rest) <= np.spacing(abs(rest))).all()


def test_sincos_gives_the_bits_of_sin_and_cos() -> None:
    x = np.concatenate([specials(), np.random.default_rng(33).normal(size=3000) * 50])
    sine, cosine = math.sincos(x)
    assert_same_patterns(sine, math.sin(x), x, "sin")
    assert_same_patterns(cosine, math.cos(x), x, "cos")


def test_the_table_holds_the_angles_of_its_slopes() -> None:
    pairs = np.array(ANGLES.data.tolist()).reshape(4, 65, 2)
    slopes = np.arange(65) / 64
    angles = wanted("atan", slopes)
    assert_same_patterns(pairs[0, :, 0].copy(), angles, slopes, "atan")
    for part in pairs:
        assert (abs(part[:, 1]) <= np.spacing(part[:, 0]) / 2).all()


@each
def test_a_loop_over_arrays_runs_in_vector_lanes_without_checks(name: str) -> None:
    kernel = loop_of(name)
    assert kernel.fixed_types is not None
    unit = compile_kernel(kernel, kernel.fixed_types)
    entries = [unit.function.name]
    module = optimise(link(unit), entries)
    assembly = assembly_text(module, entries, TARGETS["x86-64-v4"])
    assert (
        len(re.findall(r"\tv(?:mul|add|sub|fn?m(?:add|sub)\d+)pd\t[^\n]*%[yz]mm", assembly)) >= 10
    )
    for function in module.functions.values():
        if "mathlib" in function.name:
            assert not [s for s in walk(function.body) if isinstance(s, Op) and can_trap(s)]
