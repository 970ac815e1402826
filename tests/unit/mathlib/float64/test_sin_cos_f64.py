"""float64 sin and cos: hard cases and edges against MPFR, one answer in every execution."""

from __future__ import annotations

import lzma
from collections.abc import Iterator
from typing import Any

import gmpy2
import numpy as np
import pytest
from tests.support.folders import SHARED_DATA
from tests.support.kernels.math_kernels import assert_same_patterns, cosines_f64, results, sines_f64

from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import Op, can_trap, walk
from samebits.lang.kernel import Kernel
from samebits.passes.pipeline import optimise
from samebits.runtime.same_bits import executions

KERNELS = {"sin": sines_f64, "cos": cosines_f64}
EXACT = {"sin": gmpy2.sin, "cos": gmpy2.cos}
HARD_CASES = SHARED_DATA / "core-math"
LARGEST = float.fromhex("0x1.fffffffffffffp1023")

both = pytest.mark.parametrize("name", KERNELS)


def all_executions(kernel: Kernel) -> dict[str, Any]:
    assert kernel.fixed_types is not None
    return dict(executions(kernel, kernel.fixed_types))


def rounded(name: str, x: Any) -> Any:
    """MPFR's results, rounded once to float64, NaN canonical."""
    with gmpy2.context(precision=53, emin=-1073, emax=1024, subnormalize=True):
        found = np.array([float(EXACT[name](gmpy2.mpfr(v))) for v in x.tolist()])
    return np.where(np.isnan(found), np.nan, found)


def hard_cases() -> Any:
    """The published inputs of both functions, and their negatives."""

    def read() -> Iterator[float]:
        for name in EXACT:
            with lzma.open(HARD_CASES / f"{name}.wc.xz", "rt") as file:
                for line in file:
                    text = line.split("#")[0].strip()
                    if text and "nan" not in text:
                        yield float.fromhex(text)

    if not HARD_CASES.exists():
        pytest.skip(f"CORE-MATH's hard cases are not at {HARD_CASES}")
    x = np.array([*read()])
    return np.concatenate([x, -x])


def edges() -> Any:
    """Where one path takes over from another, the worst multiple of π/2, and the ends."""
    around = [2.0**-27, 2.0**-26, 2.0**-8, 2.0**20, 2.0**-29]
    around += [k * np.pi / 256 for k in range(1, 513)]
    x = [5e-324, 2.0**-1022, LARGEST, float.fromhex("0x1.6ac5b262ca1ffp+849"), 2.0**1023, 1e22]
    for v in around:
        x += [float(np.nextafter(v, 0.0)), v, float(np.nextafter(v, 9e9))]
    return np.array(x + [-v for v in x])


def log_uniform(count: int) -> Any:
    """Positive inputs of every exponent."""
    return np.random.default_rng(5).integers(1, 0x7FF0 << 48, count).view(np.float64)


@both
def test_published_hard_cases_are_rounded_right(name: str) -> None:
    x = hard_cases()
    wanted = rounded(name, x)
    assert len(x) > 80_000
    for what, run in all_executions(KERNELS[name]).items():
        step = 2000 if what in ("managed", "evaluate") else 8 if what.endswith("-O0") else 1
        part = x[::step].copy()
        assert_same_patterns(results(run, part), wanted[::step].copy(), part, f"{name}, {what},")


@both
def test_edges_are_rounded_right_in_every_execution(name: str) -> None:
    x = edges()
    wanted = rounded(name, x)
    for what, run in all_executions(KERNELS[name]).items():
        step = 23 if what in ("managed", "evaluate") else 1
        part = x[::step].copy()
        assert_same_patterns(results(run, part), wanted[::step].copy(), part, f"{name}, {what},")


@both
def test_random_inputs_of_every_exponent_are_rounded_right(name: str) -> None:
    x = log_uniform(20_000)
    assert_same_patterns(results(KERNELS[name], x), rounded(name, x), x, name)
    near = np.random.default_rng(6).integers(1, 1 << 20, 20_000) * (np.pi / 256)
    assert_same_patterns(results(KERNELS[name], near), rounded(name, near), near, name)


@both
def test_inputs_within_an_ulp_of_multiples_of_half_pi_are_rounded_right(name: str) -> None:
    # Three parts of π/256 are too few here: next to nothing of x is left, and n is large.
    nearest = (np.arange(1, 20_860) * (np.pi / 2)).view(np.int64)
    x = np.concatenate([nearest + off for off in (-1, 0, 1)]).view(np.float64)
    assert_same_patterns(results(KERNELS[name], x), rounded(name, x), x, name)


@both
def test_every_execution_gives_the_same_bits(name: str) -> None:
    x = log_uniform(1 << 12)
    runs = all_executions(KERNELS[name])
    wanted = results(KERNELS[name], x)
    for what, run in runs.items():
        step = 128 if what in ("managed", "evaluate") else 1
        part = x[::step].copy()
        assert_same_patterns(results(run, part), wanted[::step].copy(), part, f"{name}, {what},")


@both
def test_special_values_have_the_documented_results(name: str) -> None:
    infinity = 0x7FF0 << 48
    nothing = [infinity, infinity | 1 << 63, infinity + 1, 0xFFF8_0000_0000_0001, 0x7FF8 << 48]
    tiny = [0, 1 << 63, 1, 1 << 63 | 1, 0x000F_FFFF_FFFF_FFFF, 0x0010_0000_0000_0000]
    x = np.array(nothing + tiny, np.uint64).view(np.float64)
    unchanged = tiny if name == "sin" else [0x3FF0 << 48] * len(tiny)
    wanted = np.array([0x7FF8 << 48] * len(nothing) + unchanged, np.uint64).view(np.float64)
    for what, run in all_executions(KERNELS[name]).items():
        assert_same_patterns(results(run, x), wanted, x, f"{name}, {what},")


@both
def test_the_functions_hold_no_check_that_could_fail(name: str) -> None:
    kernel = KERNELS[name]
    assert kernel.fixed_types is not None
    unit = compile_kernel(kernel, kernel.fixed_types)
    module = optimise(link(unit), [unit.function.name])
    functions = [f for f in module.functions.values() if "mathlib" in f.name]
    assert len(functions) > 10
    for function in functions:
        checks = [s for s in walk(function.body) if isinstance(s, Op) and can_trap(s)]
        assert not checks, (function.name, checks)
