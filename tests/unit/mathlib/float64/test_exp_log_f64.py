"""float64 exponentials, logarithms, powers and hyperbolics: right with fused products and without.

Hard cases, special values, random inputs and the ends of the fast paths against MPFR, at HIGH by
bits and at MEDIUM and LOW by the error promised; one answer in every execution; lanes.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import gmpy2
import numpy as np
import pytest
from tests.support.kernels.exact_kernels import BINARY, mirrored, random_patterns, specials, wanted
from tests.support.kernels.math_kernels import assert_same_patterns

from samebits import Array, ReadOnly, float64, math
from samebits.backend.llvm import engine
from samebits.backend.llvm.compile import assembly_text
from samebits.backend.targets.table import TARGETS
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import Op, can_trap, walk
from samebits.lang.kernel import Kernel
from samebits.modes import Precision
from samebits.passes.pipeline import optimise
from samebits.runtime.compile import compile_native
from samebits.types import FLOAT64

# The errors promised at MEDIUM, where that has a kernel of its own, and at LOW, in ULP.
PROMISED: dict[str, tuple[float, float]] = {
    "exp": (0.8, 10.0), "exp2": (0.8, 10.0), "exp10": (0.8, 10.0), "expm1": (0.0, 40.0),
    "log": (0.0, 6.0), "log2": (0.0, 6.0), "log10": (0.0, 6.0), "log1p": (0.0, 6.0),
    "sinh": (0.0, 40.0), "cosh": (0.0, 40.0), "tanh": (0.0, 40.0),
    "asinh": (0.0, 6.0), "acosh": (0.0, 6.0), "atanh": (0.0, 6.0), "pow": (0.0, 350.0),
}  # fmt: skip
LEVELS = [h.target for h in engine.available_targets() if h.reason is None]
BOTH = (LEVELS[0], engine.host_target())
"""The least level of this host, which may have no fused multiply-add, and the highest."""

every = pytest.mark.parametrize("name", PROMISED)
univariate = pytest.mark.parametrize("name", [name for name in PROMISED if name not in BINARY])


def loop_of(name: str, precision: Precision = Precision.HIGH) -> Kernel:
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
def compiled(name: str, level: int, precision: Precision = Precision.HIGH) -> Any:
    """The loop on one of `BOTH`."""
    kernel = loop_of(name, precision)
    assert kernel.fixed_types is not None
    return compile_native(kernel, kernel.fixed_types, BOTH[level])


def found(run: Any, *arguments: Any) -> Any:
    """What a loop leaves."""
    result = np.empty(len(arguments[0]))
    run(*(np.ascontiguousarray(a) for a in arguments), result)
    return result


def check(name: str, *arguments: Any) -> None:
    """Every result is the correctly rounded one, with fused products and without."""
    right = wanted(name, *arguments)
    place = arguments[0] if len(arguments) == 1 else np.arange(len(right), dtype=np.float64)
    for level in (0, 1):
        assert_same_patterns(
            found(compiled(name, level), *arguments), right, place, (name, BOTH[level].name)
        )


def around_paths() -> Any:
    """Multiples of steps of the tables and where they are half way, ends, and their neighbours."""
    k = np.arange(-40.0, 41.0)
    steps = np.concatenate([
        k * np.log(2.0) / 256.0, k / 256.0, 1.0 + k / 256.0, np.exp2(k), 1.0 + np.exp2(-np.abs(k)),
        [680.0, 708.0, 1022.0, 307.0, 40.0, 2.0**480, 2.0**1020, 11 / 16, 11 / 8, 2.0**-1022],
    ])  # fmt: skip
    x = np.concatenate([np.nextafter(steps, -np.inf), steps, np.nextafter(steps, np.inf)])
    return np.concatenate([x, -x])


@every
def test_published_hard_cases_are_rounded_right(name: str) -> None:
    for arguments in mirrored(name, 60):
        check(name, *arguments)


@univariate
def test_special_values_and_the_ends_of_fast_paths_are_rounded_right(name: str) -> None:
    check(name, np.concatenate([specials(), around_paths()]))


@univariate
def test_random_inputs_are_rounded_right(name: str) -> None:
    rng = np.random.default_rng(1)
    near = rng.choice([-1.0, 1.0], 1000) * np.exp2(rng.uniform(-60.0, 12.0, 1000))
    one = 1.0 + rng.choice([-1.0, 1.0], 500) * np.exp2(rng.uniform(-53.0, 0.0, 500))
    check(name, np.concatenate([random_patterns(500), near, one, rng.uniform(-20.0, 20.0, 2000)]))


def test_powers_are_rounded_right() -> None:
    x, y = np.meshgrid(specials()[::2], specials()[1::2])
    check("pow", x.ravel(), y.ravel())
    rng = np.random.default_rng(2)
    check("pow", rng.uniform(0.0, 30.0, 2000), rng.uniform(-40.0, 40.0, 2000))
    check("pow", 1.0 + rng.uniform(-1e-3, 1e-3, 1000), rng.uniform(-4e5, 4e5, 1000))
    whole = rng.integers(-40, 40, (2, 1000)).astype(np.float64)
    check("pow", whole[0], whole[1] / 2.0)
    odd = rng.integers(1 << 26, 1 << 27, 300).astype(np.float64) * 2.0 + 1.0
    check("pow", -odd, np.full(300, 2.0))  # half way between two float64


def errors(name: str, x: Any, results: Any, *more: Any) -> Any:
    """The errors in ULP where the result is a number; 0 where both are infinite or NaN."""
    right = wanted(name, x, *more)
    assert (np.isnan(right) == np.isnan(results)).all()
    _, exponent = np.frexp(right)
    ulp = np.ldexp(1.0, np.maximum(exponent - 53, -1074))
    function = (lambda a, b: a**b) if name == "pow" else getattr(gmpy2, name)
    off = np.zeros(len(x))
    with gmpy2.context(precision=120):
        for k in np.flatnonzero(np.isfinite(right) & (right != results)):
            exact = function(*(gmpy2.mpfr(float(a[k])) for a in (x, *more)))
            off[k] = float(abs(exact - float(results[k])) / float(ulp[k]))
    return off


@every
@pytest.mark.parametrize("precision", [Precision.MEDIUM, Precision.LOW])
def test_medium_and_low_keep_the_error_promised_and_one_answer(
    name: str, precision: Precision
) -> None:
    high, chosen = (getattr(math, name).kernel_for(FLOAT64, p) for p in (Precision.HIGH, precision))
    if chosen is high:
        return  # as tested above
    rng = np.random.default_rng(3)
    if name == "pow":
        x = np.exp2(rng.uniform(-20.0, 20.0, 2000))
        more = (rng.uniform(-9.0, 9.0, 2000),)
    else:
        near = rng.choice([-1.0, 1.0], 700) * np.exp2(rng.uniform(-60.0, 10.0, 700))
        x = np.concatenate([specials(), random_patterns(300), near, rng.uniform(0.4, 2.5, 700)])
        more = ()
    first, last = (found(compiled(name, level, precision), x, *more) for level in (0, 1))
    assert_same_patterns(first, last, x, (name, precision))
    limit = PROMISED[name][precision is Precision.LOW]
    assert errors(name, x, last, *more).max() <= limit


@every
def test_managed_runs_give_the_same_bits(name: str) -> None:
    x = np.array([1.6180339887498949, 0.7, -0.0, 1e-9])
    arguments = (x, x[::-1].copy()) if name in BINARY else (x,)
    for precision in Precision:
        one = getattr(math, name).kernel_for(FLOAT64, precision)
        managed = [
            float(one.managed(*(float64(v) for v in row))) for row in zip(*arguments, strict=True)
        ]
        run = compiled(name, 1, precision)
        assert_same_patterns(np.array(managed), found(run, *arguments), x, (name, precision))


@every
def test_a_loop_over_an_array_runs_in_vector_lanes(name: str) -> None:
    kernel = loop_of(name)
    assert kernel.fixed_types is not None
    unit = compile_kernel(kernel, kernel.fixed_types)
    entries = [unit.function.name]
    module = optimise(link(unit), entries)
    assembly = assembly_text(module, entries, TARGETS["x86-64-v4"])
    assert len(re.findall(r"\tvfn?m(?:add|sub)\d+pd\t[^\n]*%[yz]mm", assembly)) >= 10
    for function in module.functions.values():
        if "mathlib" in function.name:
            assert not [s for s in walk(function.body) if isinstance(s, Op) and can_trap(s)]
