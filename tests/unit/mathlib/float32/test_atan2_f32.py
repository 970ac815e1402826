"""float32 atan2: all special pairs, published hard ones, quotients that are ties, lanes."""

from __future__ import annotations

import lzma
import math as python_math
import re
from typing import Any

import gmpy2
import numpy as np
import pytest
from gmpy2 import mpfr
from tests.support.folders import SHARED_DATA
from tests.support.kernels.math_kernels import called_in_loops

import samebits as sb
from samebits import Array, ReadOnly, float32, math
from samebits.backend.llvm.compile import assembly_text
from samebits.backend.targets.table import TARGETS
from samebits.frontend.compile import compile_kernel, link
from samebits.passes.pipeline import optimise
from samebits.runtime.same_bits import executions

PUBLISHED = SHARED_DATA / "core-math" / "atan2f.wc.xz"
INF = float("inf")
NAN = float("nan")


@sb.kernel
def angles(y: ReadOnly[float32], x: ReadOnly[float32], result: Array[float32]) -> None:
    for i in range(len(result)):
        result[i] = math.atan2(y[i], x[i])


@sb.kernel(precision=sb.LOW)
def rough_angles(y: ReadOnly[float32], x: ReadOnly[float32], result: Array[float32]) -> None:
    for i in range(len(result)):
        result[i] = math.atan2(y[i], x[i])


def rounded(y: Any, x: Any) -> Any:
    """What MPFR rounds to float32."""
    wanted = np.empty_like(y)
    with gmpy2.context(precision=24, emin=-148, emax=128, subnormalize=True):
        for i, (a, b) in enumerate(zip(y.tolist(), x.tolist(), strict=True)):
            wanted[i] = float(gmpy2.atan2(mpfr(a), mpfr(b)))
    wanted[np.isnan(wanted)] = NAN
    return wanted


def assert_rounded_right(y: Any, x: Any, run: Any = angles) -> None:
    found = np.empty_like(y)
    run(y, x, found)
    wanted = rounded(y, x)
    for i in np.flatnonzero(found.view(np.uint32) != wanted.view(np.uint32)):
        raise AssertionError(f"atan2({y[i].hex()}, {x[i].hex()}): {found[i]}, not {wanted[i]}")


def pairs_of(values: list[float]) -> tuple[Any, Any]:
    y, x = np.meshgrid(np.array(values, np.float32), np.array(values, np.float32))
    return y.ravel().copy(), x.ravel().copy()


def test_special_pairs_have_the_values_of_ieee_754_in_every_execution() -> None:
    tiny, large = 2.0**-149, (2.0 - 2.0**-23) * 2.0**127
    y, x = pairs_of([0.0, -0.0, 1.0, -1.0, tiny, -tiny, large, -large, INF, -INF, NAN])
    for _, run in executions(angles, angles.fixed_types or ()):
        assert_rounded_right(y, x, run)


def test_quotients_that_are_ties_are_rounded_down_as_their_arc_tangents_are() -> None:
    # Only among subnormal results is there a tie: q·x has more bits than y otherwise.
    subnormal = np.arange(1, 4000, 2, dtype=np.uint32).view(np.float32)
    for divisor in (2.0, 4.0, -2.0, 2.0**20):
        assert_rounded_right(subnormal, np.full(len(subnormal), divisor, np.float32))
        assert_rounded_right(-subnormal, np.full(len(subnormal), divisor, np.float32))


def test_random_pairs_are_rounded_right() -> None:
    rng = np.random.default_rng(25)
    y, x = rng.integers(0, 1 << 32, (2, 10_000), np.uint32).view(np.float32)
    assert_rounded_right(y.copy(), x.copy())
    y, x = rng.uniform(-1, 1, (2, 10_000)).astype(np.float32)
    assert_rounded_right(y.copy(), x.copy())


@pytest.mark.skipif(not PUBLISHED.exists(), reason="the published hard cases are not here")
def test_published_hard_pairs_are_rounded_right() -> None:
    with lzma.open(PUBLISHED, "rt") as file:
        lines = [line for line in file if line.strip() and "#" not in line and "nan" not in line]
    rows = [[float.fromhex(word) for word in line.split(",")] for line in lines]
    y, x = (np.array(column, np.float32) for column in zip(*rows, strict=True))
    assert len(y) > 1000
    for sign in (1, -1):
        assert_rounded_right(sign * y, x)
        assert_rounded_right(y, sign * x)


def test_a_loop_over_arrays_runs_in_vector_lanes() -> None:
    unit = compile_kernel(angles, angles.fixed_types or ())
    entries = [unit.function.name]
    assembly = assembly_text(optimise(link(unit), entries), entries, TARGETS["x86-64-v4"])
    assert len(re.findall(r"\tv(?:div|fn?m(?:add|sub)\d+)pd\t[^\n]*%[yz]mm", assembly)) >= 11
    assert all("atan2_exact" in target for target in called_in_loops(assembly, "f32"))


def test_low_precision_is_within_75_ulp_with_the_same_special_values() -> None:
    rng = np.random.default_rng(26)
    y, x = (rng.normal(size=(2, 100_000)) * 2.0 ** rng.uniform(-60, 60, (2, 100_000))).astype(
        np.float32
    )
    found = np.empty_like(y)
    rough_angles(y, x, found)
    wanted = np.arctan2(y.astype(np.float64), x.astype(np.float64))
    spacing = np.exp2(np.maximum(np.frexp(wanted)[1] - 24, -149).astype(np.float64))
    assert (np.abs(found - wanted) <= 75 * spacing).all()
    y, x = pairs_of([0.0, -0.0, 1.0, -1.0, INF, -INF, NAN])
    found = np.empty_like(y)
    rough_angles(y, x, found)
    for a, b, angle in zip(y.tolist(), x.tolist(), found.tolist(), strict=True):
        wanted = python_math.atan2(a, b)
        if wanted != wanted:
            assert angle != angle
        else:
            assert python_math.isclose(angle, wanted, rel_tol=1e-5)
            assert python_math.copysign(1, angle) == python_math.copysign(1, wanted)
