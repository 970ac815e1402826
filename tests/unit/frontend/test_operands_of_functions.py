"""The operands of functions: their types join as in arithmetic, in all executions alike."""

from __future__ import annotations

import itertools
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import float32, float64, int32, int64, math
from samebits.types import STRONG_SCALARS, ScalarType, promote

NUMBERS = [t for t in STRONG_SCALARS if promote(t, t) is not None and t.storage == t]
FORMS = {
    "min": "sb.min(x, y)",
    "max": "max(x, y)",
    "clamp": "math.clamp(x, y, 100)",
    "select": "sb.select(x > 1, x, y)",
}
REFUSED = (sb.CompileError, sb.ArgumentError)


def kernels(folder: Path, a: ScalarType, b: ScalarType, result: ScalarType) -> dict[str, Any]:
    text = "import samebits as sb\nfrom samebits import *\n"
    for name, form in FORMS.items():
        text += f"\n@sb.kernel\ndef k_{name}(x: {a}, y: {b}) -> {result}:\n    return {form}\n"
    place = folder / "pair.py"
    place.write_text(text)
    return {name: found for name, found in runpy.run_path(str(place)).items() if name[:2] == "k_"}


def extremes(t: ScalarType) -> list[Any]:
    if t.is_float:
        return [-0.0, 0.1, 1e30, float("nan")]
    return [t.minimum, 0, 3, t.maximum]


@pytest.mark.parametrize("first", NUMBERS, ids=str)
def test_two_types_give_what_arithmetic_makes_of_them(first: ScalarType, tmp_path: Path) -> None:
    for second in NUMBERS:
        common = promote(first, second)
        assert common is not None
        made = kernels(tmp_path, first, second, common)
        one, other = (sb.__dict__[str(t)] for t in (first, second))
        if common.is_float and first.is_int and second.is_int:
            for kernel in made.values():
                for execution in (kernel, kernel.managed):
                    with pytest.raises(REFUSED, match="common type"):
                        execution(one(1), other(1))
            continue
        for kernel in made.values():
            pairs = itertools.product(extremes(first), extremes(second))
            calls = [(one(x), other(y)) for x, y in pairs]
            sb.assert_same_bits_each(kernel, calls, targets=["managed", "evaluate"])
        wide = sb.__dict__[str(common)]
        found = made["k_max"](one(3), other(2))
        assert (type(found), found) == (wide, 3)


@sb.kernel
def of_three(x: float32, y: float64, n: int) -> float64:
    return sb.fma(x, n, y) + math.clamp(n, x, y)


@sb.kernel
def of_ints(n: int, x: float32) -> float64:
    a = math.sqrt(n) + math.sin(n) + math.floor(n) + math.hypot(n, 4)
    return a + math.pow(x, n) + math.lerp(x, n, 0.5) + math.copysign(x, n) + math.sqrt(2)


def test_python_ints_count_as_the_floats_they_meet() -> None:
    for n in (-3, 0, 2, 2**24 + 1, 2**53 + 1, 2**63 - 1, -(2**63)):
        for x in (0.1, -2.5, 1e-40, float("inf")):
            sb.assert_same_bits(of_ints, n, float32(x))
            sb.assert_same_bits(of_three, float32(x), float64(x) * 3, n)
    assert of_ints(9, float32(0)) == (
        3.0 + math.sin(np.float64(9)) + 9 + math.hypot(9.0, 4.0)
    ) + float(float32(0) + float32(4.5) + float32(0)) + float(np.sqrt(2))


@sb.kernel
def least_of_int_and_fraction(n: int32) -> float64:
    return sb.min(n, 0.5)


@sb.kernel
def fused_with_an_integer(x: float32, n: int64) -> float64:
    return sb.fma(x, n, 1.0)


@sb.kernel
def least_of_flag(flag: bool, n: int32) -> int32:
    return sb.min(flag, n)


def test_what_arithmetic_would_change_is_refused_in_managed_runs_too() -> None:
    cases: list[tuple[Any, tuple[Any, ...]]] = [
        (least_of_int_and_fraction, (int32(1),)),
        (fused_with_an_integer, (float32(1), int64(2))),
        (least_of_flag, (True, int32(2))),
    ]
    for kernel, given in cases:
        for execution in (kernel, kernel.managed):
            with pytest.raises(REFUSED):
                execution(*given)


def test_from_python_they_stay_as_numpy_has_them() -> None:
    assert math.min(int32(1), 0.5) == 0.5
    assert math.fma(float32(2), int64(3), 1.0) == 7.0
