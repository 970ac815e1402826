"""A parameter that is a number, and is assigned for nobody, is warned of."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import samebits as sb
from samebits import float3, float64
from samebits.frontend.compile import compile_kernel


@sb.kernel
def doubled(x: float64, out: float64) -> None:
    out = x * 2.0  # noqa: F841


@sb.kernel
def summed(x: float64, total: float64) -> float64:
    total += x
    return x


@sb.kernel
def pushed(x: float64, v: float3) -> float64:
    if x > 0:
        x, v = x + 1.0, float3(0)  # noqa: F841
    return x


@sb.kernel
def read_after(x: float64, out: float64) -> float64:
    out = x * 2.0
    return out


@sb.kernel
def written(x: float64, out: sb.Array[float64]) -> None:
    out[0] = x * 2.0


@sb.kernel
def counted(n: int, i: int) -> int:
    total = 0
    for i in range(n):  # noqa: B007
        total += 1
    return total


def caught(kernel: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        compile_kernel(kernel, kernel.fixed_types)
    return [str(w.message) for w in found]


@pytest.mark.parametrize(("kernel", "name"), [(doubled, "out"), (summed, "total"), (pushed, "v")])
def test_what_is_assigned_for_nobody_is_told_of(kernel: Any, name: str) -> None:
    (text,) = caught(kernel)
    assert text.startswith(f"the parameter '{name}' is assigned, and nobody reads it")
    assert f"fix: return it, or take an array, `{name}: sb.Array[T]`" in text


@pytest.mark.parametrize("kernel", [read_after, written, counted])
def test_nothing_else_is_told_of(kernel: Any) -> None:
    assert caught(kernel) == []
