"""fmod, remainder, frexp, ldexp and modf are exact: against Python's integers and fractions."""

from __future__ import annotations

import math as python_math
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.support.kernels.math_kernels import patterns

import samebits as sb
from samebits import Array, ReadOnly, float32, float64, int32, math
from samebits.backend.llvm.compile import assembly_text
from samebits.backend.targets.table import TARGETS
from samebits.frontend.compile import compile_kernel, link
from samebits.lang.kernel import Kernel
from samebits.passes.pipeline import optimise
from samebits.runtime.same_bits import executions

TYPES = [np.float32, np.float64]
types = pytest.mark.parametrize("dtype", TYPES)
INF = float("inf")
NAN = float("nan")


@sb.kernel
def divided_f32(
    x: ReadOnly[float32], y: ReadOnly[float32], f: Array[float32], r: Array[float32]
) -> None:
    for i in range(len(x)):
        f[i] = math.fmod(x[i], y[i])
        r[i] = math.remainder(x[i], y[i])


@sb.kernel
def divided_f64(
    x: ReadOnly[float64], y: ReadOnly[float64], f: Array[float64], r: Array[float64]
) -> None:
    for i in range(len(x)):
        f[i] = math.fmod(x[i], y[i])
        r[i] = math.remainder(x[i], y[i])


@sb.kernel
def parts_f32(
    x: ReadOnly[float32], n: ReadOnly[int32], out: Array[float32], e: Array[int32]
) -> None:
    for i in range(len(x)):
        out[4 * i] = math.ldexp(x[i], n[i])
        m, k = math.frexp(x[i])
        out[4 * i + 1] = m
        e[i] = k
        fraction, whole = math.modf(x[i])
        out[4 * i + 2] = fraction
        out[4 * i + 3] = whole


@sb.kernel
def parts_f64(
    x: ReadOnly[float64], n: ReadOnly[int32], out: Array[float64], e: Array[int32]
) -> None:
    for i in range(len(x)):
        out[4 * i] = math.ldexp(x[i], n[i])
        m, k = math.frexp(x[i])
        out[4 * i + 1] = m
        e[i] = k
        fraction, whole = math.modf(x[i])
        out[4 * i + 2] = fraction
        out[4 * i + 3] = whole


DIVIDED: dict[Any, Kernel] = {np.float32: divided_f32, np.float64: divided_f64}
PARTS: dict[Any, Kernel] = {np.float32: parts_f32, np.float64: parts_f64}


def any_floats(dtype: Any, n: int, seed: int) -> Any:
    """Any bit patterns."""
    bits = np.uint32 if dtype is np.float32 else np.uint64
    words = np.random.default_rng(seed).integers(0, np.iinfo(bits).max, n, bits, endpoint=True)
    return words.view(dtype)


def exact_remainders(x: float, y: float) -> tuple[float, float]:
    """fmod and remainder by fractions; NaN where there is none."""
    if x != x or y != y or y == 0 or python_math.isinf(x):
        return NAN, NAN
    if python_math.isinf(y):
        return x, x
    quotient = Fraction(x) / Fraction(y)
    truncated = Fraction(x) - int(quotient) * Fraction(y)
    nearest = Fraction(x) - round(quotient) * Fraction(y)  # ties to even
    # A zero has the sign of x.
    return float(truncated) or python_math.copysign(0, x), float(nearest) or python_math.copysign(
        0, x
    )


def special_values(dtype: Any) -> list[float]:
    info = np.finfo(dtype)
    tiny, large = float(info.smallest_subnormal), float(info.max)
    plain = [0.0, 1.0, 1.5, 2.0, 3.0, INF, tiny, 3 * tiny, float(info.tiny), large]
    return [*plain, *(-v for v in plain), NAN]


def pairs(dtype: Any) -> tuple[Any, Any]:
    """Special pairs, any two floats, plain numbers, multiples and their neighbours."""
    rng = np.random.default_rng(30)
    special = np.array(special_values(dtype), dtype)
    x, y = np.meshgrid(special, special)
    k = rng.integers(-40, 40, 400)
    base = rng.uniform(-9, 9, 400).astype(dtype)
    multiples = (k * dtype(0.5) * base).astype(dtype)
    digits = np.finfo(dtype).nmant  # quotients about as long as a float's digits, and float64's
    scale = 2.0 ** rng.choice([digits, 28, 29, 51], 400) * rng.uniform(0.5, 4, 400)
    large = (base * scale).astype(dtype)
    return (
        np.concatenate([
            x.ravel(), any_floats(dtype, 400, 31), rng.uniform(-90, 90, 400).astype(dtype),
            multiples, np.nextafter(multiples, dtype(0)), rng.integers(-99, 99, 400).astype(dtype),
            large,
        ]),
        np.concatenate([
            y.ravel(), any_floats(dtype, 400, 32), rng.uniform(-3, 3, 400).astype(dtype),
            base, base, (rng.integers(-9, 9, 400) / 2).astype(dtype),
            base,
        ]),
    )  # fmt: skip


def assert_same(found: Any, wanted: Any, *arguments: Any) -> None:
    wanted[np.isnan(wanted)] = NAN
    for i in np.flatnonzero(patterns(found) != patterns(wanted)):
        raise AssertionError(
            f"{[float(a[i]).hex() for a in arguments]}: {found[i]}, not {wanted[i]}"
        )


@types
def test_remainders_are_exact(dtype: Any) -> None:
    x, y = pairs(dtype)
    rows = [exact_remainders(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    truncated, nearest = (np.array(column, dtype) for column in zip(*rows, strict=True))
    f, r = np.empty_like(x), np.empty_like(x)
    DIVIDED[dtype](x, y, f, r)
    assert_same(f, truncated, x, y)
    assert_same(r, nearest, x, y)


@types
def test_remainders_are_the_same_in_every_execution(dtype: Any) -> None:
    x, y = (part[::17].copy() for part in pairs(dtype))
    wanted = [np.empty_like(x), np.empty_like(x)]
    DIVIDED[dtype](x, y, *wanted)
    for _, run in executions(DIVIDED[dtype], DIVIDED[dtype].fixed_types or ()):
        found = [np.empty_like(x), np.empty_like(x)]
        run(x, y, *found)
        assert_same(found[0], wanted[0], x, y)
        assert_same(found[1], wanted[1], x, y)


@sb.kernel
def truncated_f32(x: ReadOnly[float32], y: ReadOnly[float32], f: Array[float32]) -> None:
    for i in range(len(f)):
        f[i] = math.fmod(x[i], y[i])


@sb.kernel
def nearest_f64(x: ReadOnly[float64], y: ReadOnly[float64], f: Array[float64]) -> None:
    for i in range(len(f)):
        f[i] = math.remainder(x[i], y[i])


@pytest.mark.parametrize("kernel", [truncated_f32, nearest_f64])
def test_a_loop_of_remainders_runs_in_vector_lanes(kernel: Kernel) -> None:
    unit = compile_kernel(kernel, kernel.fixed_types or ())
    entries = [unit.function.name]
    assembly = assembly_text(optimise(link(unit), entries), entries, TARGETS["x86-64-v4"])
    assert re.search(r"\tvdivpd\t[^\n]*%[yz]mm", assembly)


def scaled(x: float, n: int, dtype: Any) -> float:
    """x·2^n rounded once to `dtype`."""
    if x == 0 or x != x or python_math.isinf(x):
        return x
    with np.errstate(over="ignore", under="ignore"):
        n = max(min(n, 3000), -3000)
        if dtype is np.float32:  # exact in float64
            return float(np.float32(python_math.ldexp(x, max(min(n, 400), -400))))
        try:
            return python_math.ldexp(x, n)
        except OverflowError:
            return python_math.copysign(INF, x)


def scaling_inputs(dtype: Any) -> tuple[Any, Any]:
    """Special values with every kind of exponent, and results all over the subnormals."""
    rng = np.random.default_rng(33)
    least = -149 if dtype is np.float32 else -1074
    steps = [
        0,
        1,
        -1,
        127,
        128,
        -969,
        -970,
        -1022,
        -1023,
        1023,
        1024,
        2098,
        -2098,
        2**31 - 1,
        -(2**31),
    ]
    special, step = (part.ravel() for part in np.meshgrid(special_values(dtype), steps))
    x = any_floats(dtype, 1000, 34)
    x = x[np.isfinite(x)]
    into_subnormal = least - np.frexp(x)[1] + rng.integers(-2, 25, len(x))
    values = np.concatenate([special.astype(dtype), x, x])
    exponents = np.concatenate([step, into_subnormal, rng.integers(-300, 300, len(x))])
    return values, exponents.astype(np.int32)


@types
def test_parts_are_exact_and_ldexp_rounds_once_in_every_execution(dtype: Any) -> None:
    x, n = scaling_inputs(dtype)
    scale = [scaled(v, k, dtype) for v, k in zip(x.tolist(), n.tolist(), strict=True)]
    parts = [python_math.frexp(v) if python_math.isfinite(v) else (v, 0) for v in x.tolist()]
    whole = np.trunc(x)
    with np.errstate(invalid="ignore"):
        fraction = np.copysign(np.where(whole == x, 0, x - whole), x).astype(dtype)
    fraction[np.isnan(x)] = NAN
    for what, run in executions(PARTS[dtype], PARTS[dtype].fixed_types or ()):
        step = 11 if what in ("managed", "evaluate") else 1
        some = x[::step].copy()
        out, e = np.empty(4 * len(some), dtype), np.empty(len(some), np.int32)
        run(some, n[::step].copy(), out, e)
        out = out.reshape(-1, 4).T.copy()
        assert_same(out[0], np.array(scale[::step], dtype), some, n[::step])
        assert_same(out[1], np.array([m for m, _ in parts[::step]], dtype), some)
        assert e.tolist() == [k for _, k in parts[::step]]
        assert_same(out[2], fraction[::step].copy(), some)
        assert_same(out[3], whole[::step].copy(), some)


def test_from_python_they_map_over_arrays() -> None:
    x = np.array([-7.5, 0.0, 10.0])
    m, n = math.frexp(x)
    assert n.dtype == np.int32
    assert (math.ldexp(m, n) == x).all()
    assert math.fmod(x, 4.0).tolist() == [-3.5, 0.0, 2.0]
    assert math.remainder(x, 4.0).tolist() == [0.5, 0.0, 2.0]
    fraction, whole = math.modf(x)
    assert fraction.tolist() == [-0.5, 0.0, 0.0]
    assert whole.tolist() == [-7.0, 0.0, 10.0]
