"""Rounding right for every argument: published hard cases, ends, boundaries, every execution."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
import pytest
from tests.support.kernels.exact_kernels import (
    BINARY,
    LOOPS,
    check,
    exponentials,
    found,
    mirrored,
    others,
    random_patterns,
    specials,
    trigonometrics,
    wanted,
)
from tests.support.kernels.math_kernels import assert_same_patterns

from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import Op, can_trap, walk
from samebits.lang.kernel import Kernel
from samebits.passes.pipeline import optimise
from samebits.runtime.same_bits import executions

every = pytest.mark.parametrize("name", LOOPS)
univariate = pytest.mark.parametrize("name", [name for name in LOOPS if name not in BINARY])
bivariate = pytest.mark.parametrize("name", sorted(BINARY))


@every
def test_published_hard_cases_are_rounded_right(name: str) -> None:
    for arguments in mirrored(name, 40):
        check(name, *arguments)


@univariate
def test_special_values_have_the_standard_s_results(name: str) -> None:
    check(name, specials())


@bivariate
def test_pairs_of_special_values_have_the_standard_s_results(name: str) -> None:
    x, y = np.meshgrid(specials(), specials())
    check(name, x.ravel(), y.ravel())


@univariate
def test_random_inputs_are_rounded_right(name: str) -> None:
    rng = np.random.default_rng(1)
    near = rng.choice([-1.0, 1.0], 300) * np.exp2(rng.uniform(-60.0, 12.0, 300))
    one = 1.0 + rng.choice([-1.0, 1.0], 100) * np.exp2(rng.uniform(-53.0, 0.0, 100))
    check(name, np.concatenate([random_patterns(200), near, one, rng.uniform(-1.0, 1.0, 200)]))


@bivariate
def test_random_pairs_are_rounded_right(name: str) -> None:
    rng = np.random.default_rng(2)
    x = np.concatenate([random_patterns(300), np.exp2(rng.uniform(-30.0, 30.0, 300))])
    y = np.concatenate([random_patterns(300, 4), rng.uniform(-30.0, 30.0, 300)])
    check(name, x, y)
    check(name, 1.0 + (x[300:] - 1.0) * 2.0**-40, y[300:] * 2.0**36)
    whole = rng.integers(1, 40, (2, 200)).astype(np.float64)
    check(name, whole[0], whole[1] / 2.0)


@every
def test_managed_and_evaluated_runs_give_the_same_bits(name: str) -> None:
    loop, _ = LOOPS[name]
    assert loop.fixed_types is not None
    x = np.array([0.7, np.nan] if name == "asin" else [1.6180339887498949, -0.0])
    y = x[::-1].copy() + 2.5
    for what, run in islice(executions(loop, loop.fixed_types), 2):
        assert_same_patterns(found(name, x, y, run), found(name, x, y), x, f"{name}, {what},")


def test_powers_half_way_between_two_float64_go_to_the_even_one() -> None:
    # x² of 27 odd bits has 54; and of squares of odd numbers the roots come out.
    rng = np.random.default_rng(5)
    odd = rng.integers(1 << 26, 1 << 27, 500).astype(np.float64) * 2.0 + 1.0
    check("pow", odd, np.full(500, 2.0))
    small = rng.integers(1 << 20, 1 << 21, 500).astype(np.float64)
    check("pow", small * small, np.full(500, 1.5))
    check("pow", odd * 2.0**-564, np.full(500, 2.0))  # subnormal results


def test_the_hardest_power_known_is_above_its_boundary() -> None:
    # (1 - 2^-53)^-(1 - 2^-53) = 1 + 2^-53 - 2^-160 + …
    x = np.array([1.0 - 2.0**-53])
    assert wanted("pow", x, -x) == 1.0
    check("pow", x, -x)


def test_hypotenuses_half_way_between_two_float64_go_to_the_even_one() -> None:
    # (m² - n², 2mn) has the hypotenuse m² + n²: here odd and of 54 bits, the legs of 53.
    rng = np.random.default_rng(6)
    m = rng.integers(80_000_000, 94_000_000, 4000)
    n = rng.integers(40_000_000, 94_000_000, 4000)
    a, b, c = np.abs(m * m - n * n), 2 * m * n, m * m + n * n
    kept = (c >= 1 << 53) & (c < 1 << 54) & (c % 2 == 1) & (a < 1 << 53) & (b < 1 << 53)
    assert kept.sum() > 50
    check("hypot", a[kept].astype(np.float64), b[kept].astype(np.float64))


def test_quotients_half_way_between_subnormals_give_the_lesser_angle() -> None:
    odd = np.arange(1.0, 2001.0, 2.0)
    y = odd * 2.0**-600
    x = np.full(len(y), 2.0**475)
    lesser = np.floor(odd / 2.0) * 2.0**-1074
    assert_same_patterns(found("atan2", y, x), lesser, y, "atan2")
    check("atan2", y, x)


def test_exact_values_come_out() -> None:
    k = np.arange(0.0, 23.0)
    assert found("exp10", k).tolist() == [float(10**i) for i in range(23)]
    assert found("log10", np.array([float(10**i) for i in range(23)])).tolist() == k.tolist()
    e = np.arange(-1074.0, 1024.0)
    assert found("exp2", e).tolist() == [2.0**i for i in range(-1074, 1024)]
    assert found("log2", np.exp2(e)).tolist() == e.tolist()
    n = np.arange(-200.0, 200.0)
    assert found("cbrt", n * n * n).tolist() == n.tolist()
    assert found("rsqrt", 4.0 ** np.arange(-500.0, 500.0)).tolist() == [
        2.0**-i for i in range(-500, 500)
    ]


def test_inputs_next_to_multiples_of_half_pi_are_rounded_right() -> None:
    nearest = (np.arange(1, 300) * (np.pi / 2)).view(np.int64)
    x: Any = np.concatenate([nearest + off for off in (-1, 0, 1)]).view(np.float64)
    for name in ("sin", "cos", "tan"):
        check(name, x)


@pytest.mark.parametrize("loop", [exponentials, trigonometrics, others], ids=lambda k: k.__name__)
def test_the_functions_hold_no_check_that_could_fail(loop: Kernel) -> None:
    assert loop.fixed_types is not None
    unit = compile_kernel(loop, loop.fixed_types)
    module = optimise(link(unit), [unit.function.name])
    functions = [f for f in module.functions.values() if "mathlib" in f.name]
    assert len(functions) > 15
    for function in functions:
        checks = [s for s in walk(function.body) if isinstance(s, Op) and can_trap(s)]
        assert not checks, (function.name, checks)


def test_subnormal_results_are_rounded_once() -> None:
    rng = np.random.default_rng(8)
    depth = rng.uniform(-1076.0, -1021.0, 500)
    check("exp2", depth)
    check("exp", depth * np.log(2.0))
    check("exp10", depth * np.log10(2.0))
    check("pow", np.full(500, 1.75), depth / np.log2(1.75))
    y = np.exp2(rng.uniform(-1022.0, -900.0, 500))
    check("atan2", y, y * np.exp2(rng.uniform(0.0, 60.0, 500)) * 2.0**60)
    x, y = rng.integers(1, 1 << 53, (2, 500)).astype(np.float64)
    check("hypot", x * 2.0**-1074, y * 2.0**-1074)
    check("hypot", x * 2.0**-550 * 2.0**-550, y * 2.0**-1074)
