"""What only the math library may use: managed runs, evaluation and compiled code agree on it."""

# pyright: reportReturnType=false

from __future__ import annotations

from fractions import Fraction

import numpy as np

import samebits as sb
from samebits import float32, float64
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.interp.evaluator import evaluate
from samebits.lang.kernel import Kernel
from samebits.mathlib.primitives import muladd, product_error

RNG = np.random.default_rng(11)


def in_library(function: object) -> Kernel:
    """A kernel that the compiler takes for one of the math library's."""
    function.__module__ = "samebits.mathlib.test"  # type: ignore[attr-defined]
    return sb.kernel(function)  # type: ignore[arg-type]


@in_library
def sum_f64(a: float64, b: float64, c: float64) -> float64:
    return muladd(a, b, c)


@in_library
def sum_f32(a: float32, b: float32, c: float32) -> float32:
    return muladd(a, b, c)


@in_library
def error_f64(a: float64, b: float64) -> float64:
    return product_error(a, b)


@in_library
def error_f32(a: float32, b: float32) -> float32:
    return product_error(a, b)


def evaluated(kernel: Kernel, *args: float) -> float:
    types = kernel.fixed_types
    assert types is not None
    unit = compile_kernel(kernel, types)
    return evaluate(link(unit), unit.function.name, args)[0]


def test_a_sum_rounds_twice_where_it_is_managed_or_evaluated() -> None:
    for kernel, t in ((sum_f64, np.float64), (sum_f32, np.float32)):
        for values in RNG.normal(size=(300, 3)).astype(t):
            a, b, c = values
            assert kernel.managed(a, b, c) == a * b + c
            assert evaluated(kernel, *values.tolist()) == a * b + c


def test_the_error_of_a_product_is_exact_in_every_execution() -> None:
    for kernel, t in ((error_f64, np.float64), (error_f32, np.float32)):
        for values in RNG.normal(size=(300, 2)).astype(t):
            a, b = values
            exact = Fraction(float(a)) * Fraction(float(b)) - Fraction(float(a * b))
            for found in (kernel.managed(a, b), kernel(a, b), evaluated(kernel, *values.tolist())):
                assert Fraction(float(found)) == exact
