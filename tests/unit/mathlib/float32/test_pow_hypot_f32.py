"""float32 pow and hypot: special pairs, exact and half-way cases, published hard ones, lanes."""

from __future__ import annotations

import lzma
import math as python_math
import re
from collections.abc import Callable
from typing import Any

import gmpy2
import numpy as np
import pytest
from gmpy2 import mpfr
from tests.support.folders import SHARED_DATA

import samebits as sb
from samebits import Array, ReadOnly, float32, math
from samebits.backend.llvm.compile import assembly_text
from samebits.backend.targets.table import TARGETS
from samebits.frontend.compile import compile_kernel, link
from samebits.passes.pipeline import optimise
from samebits.runtime.same_bits import executions

PUBLISHED = SHARED_DATA / "core-math"
INF = float("inf")
NAN = float("nan")
ODD, EVEN, LARGEST = 2.0**24 - 1.0, 2.0**24, (2.0 - 2.0**-23) * 2.0**127


@sb.kernel
def powers(x: ReadOnly[float32], y: ReadOnly[float32], result: Array[float32]) -> None:
    for i in range(len(result)):
        result[i] = math.pow(x[i], y[i])


@sb.kernel
def lengths(x: ReadOnly[float32], y: ReadOnly[float32], result: Array[float32]) -> None:
    for i in range(len(result)):
        result[i] = math.hypot(x[i], y[i])


KERNELS = {"pow": powers, "hypot": lengths}
EXACT: dict[str, Callable[[Any, Any], Any]] = {"pow": lambda x, y: x**y, "hypot": gmpy2.hypot}
both = pytest.mark.parametrize("name", KERNELS)


def assert_rounded_right(name: str, x: Any, y: Any, run: Any = None) -> None:
    """Every result has the bits that MPFR rounds to."""
    found = np.empty_like(x)
    (run or KERNELS[name])(x, y, found)
    wanted = np.empty_like(x)
    with gmpy2.context(precision=24, emin=-148, emax=128, subnormalize=True):
        for i, (a, b) in enumerate(zip(x.tolist(), y.tolist(), strict=True)):
            wanted[i] = float(EXACT[name](mpfr(a), mpfr(b)))
    wanted[np.isnan(wanted)] = NAN
    for i in np.flatnonzero(found.view(np.uint32) != wanted.view(np.uint32)):
        a, b = float(x[i]).hex(), float(y[i]).hex()
        raise AssertionError(f"{name}({a}, {b}): {found[i]}, not {wanted[i]}")


def special_pairs() -> tuple[Any, Any]:
    values = [0.0, 1.0, 2.0, 3.0, 0.5, 1.5, INF, 1e-45, 1e-39, 3e38, LARGEST, 4097.0, 149.0, 150.0]
    values += [
        2.0**22,
        2.0**22 + 1.0,
        2.0**23 + 1.0,
        ODD,
        EVEN,
        2.0**25,
        1 + 2.0**-23,
        1 - 2.0**-24,
    ]
    signed = np.array([*values, *(-v for v in values), NAN], np.float32)
    x, y = np.meshgrid(signed, signed)
    return x.ravel(), y.ravel()


@both
def test_special_pairs_have_the_results_of_the_standard(name: str) -> None:
    assert_rounded_right(name, *special_pairs())


@both
def test_every_execution_gives_the_same_bits(name: str) -> None:
    kernel = KERNELS[name]
    assert kernel.fixed_types is not None
    x, y = special_pairs()
    for what, run in executions(kernel, kernel.fixed_types):
        step = {"managed": 97, "evaluate": 41}.get(what, 1)
        assert_rounded_right(name, x[::step].copy(), y[::step].copy(), run)


@both
def test_published_hard_cases_are_rounded_right(name: str) -> None:
    path = PUBLISHED / f"{name}f.wc.xz"
    if not path.exists():
        pytest.skip(f"{path} is not here")
    with lzma.open(path, "rt") as file:
        rows = [line.split("#")[0].split(",") for line in file if line[:1] not in "#\n"]
    pairs = [[float.fromhex(v.strip().replace("snan", "nan")) for v in row] for row in rows]
    x, y = np.array(pairs, np.float64).astype(np.float32).T.copy()
    assert len(x) > 3000
    assert_rounded_right(name, x, y)


def test_half_way_powers_go_to_even() -> None:
    rng = np.random.default_rng(1)
    base = rng.integers(4097, 5793, 2000).astype(np.float32)  # their squares have 25 bits
    assert_rounded_right("pow", base, np.full_like(base, 2.0))
    cube = rng.integers(257, 323, 200).astype(np.float32)
    assert_rounded_right("pow", cube, np.full_like(cube, 3.0))
    square = (rng.integers(257, 323, 200).astype(np.float64) ** 2).astype(np.float32)
    assert_rounded_right("pow", square, np.full_like(square, 1.5))


def test_half_way_lengths_go_to_even() -> None:
    rng = np.random.default_rng(2)
    u, v = rng.integers(4100, 5700, 2000), rng.integers(1, 400, 2000)
    assert_rounded_right("hypot", *((s.astype(np.float32)) for s in (2 * u * v, u * u - v * v)))


def test_lengths_that_float64_takes_for_half_way_go_to_their_own_side() -> None:
    x = np.random.default_rng(4).integers(1 << 23, 1 << 24, 9000).astype(np.float64)
    y = np.sqrt(x + 0.25).astype(np.float32)  # x² + y² is nearly (x + ½)²
    root = np.sqrt(x * x + y.astype(np.float64) ** 2)
    assert (root == x + 0.5).sum() > 100
    assert_rounded_right("hypot", x.astype(np.float32), y)


@both
def test_random_pairs_are_rounded_right(name: str) -> None:
    rng = np.random.default_rng(3)
    x = np.exp(rng.uniform(-20, 20, 3000))
    y = rng.uniform(-95, 95, 3000) / np.log(x) if name == "pow" else x * rng.normal(size=3000)
    assert_rounded_right(name, x.astype(np.float32), y.astype(np.float32))
    bits = rng.integers(0, 1 << 32, (2, 2000), np.uint32).view(np.float32)
    assert_rounded_right(name, bits[0].copy(), bits[1].copy())


@both
def test_a_loop_over_arrays_runs_in_vector_lanes(name: str) -> None:
    kernel = KERNELS[name]
    assert kernel.fixed_types is not None
    unit = compile_kernel(kernel, kernel.fixed_types)
    entries = [unit.function.name]
    assembly = assembly_text(optimise(link(unit), entries), entries, TARGETS["x86-64-v4"])
    lanes = re.findall(r"\tv(?:mul|sqrt|fn?m(?:add|sub)\d+)pd\t[^\n]*%[yz]mm", assembly)
    assert len(lanes) >= (15 if name == "pow" else 3)


def test_a_scalar_power_is_one() -> None:
    assert math.pow(np.float32(3.0), np.float32(4.0)) == 81.0
    assert math.hypot(np.float32(3.0), np.float32(4.0)) == 5.0
    assert python_math.isnan(math.pow(np.float32(-8.0), np.float32(1 / 3)))
