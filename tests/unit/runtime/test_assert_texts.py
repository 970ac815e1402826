"""F-strings in assertions have the same text in all three executions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import float3, float32, float64, int32, uint8, uint64
from samebits.errors import CompileError, Trap

LIMIT = 5


@sb.kernel
def scalars(x: float32, i: int32, on: bool) -> int32:
    assert x > 0, f"x is {x} at {i}: {x!r} {on} {{limit}} {LIMIT} {x=}"
    return i


@sb.kernel
def formats(x: float64, n: uint8, m: int) -> float64:
    assert x > 0, f"{x:.3f} {x:+.2e} {x:012.4f} {n:x} {n:08b} {m:+d} {m:6}|"
    return x


@sb.kernel
def vectors(v: float3, a: sb.ReadOnly[float64], i: int) -> float64:
    assert v.x > 0, f"{v} {v:.1f} a[{i}] = {a[i]}"
    return a[i]


@sb.kernel
def plain(x: float64) -> float64:
    assert x > 0, f"no value, {{}} and %"  # noqa: F541
    return x


@sb.kernel
def in_parallel(a: sb.Array[float64], most: uint64) -> None:
    for i in sb.prange(len(a)):
        assert uint64(i) < most, f"{i} is beyond {most}"
        a[i] = 1.0


_CASES: list[tuple[Any, tuple[Any, ...], str]] = [
    (scalars, (-0.1, 7, True), "x is -0.1 at 7: float32(-0.1) True {limit} 5 x=float32(-0.1)"),
    (scalars, (np.nan, -7, False), "x is nan at -7: float32(nan) False {limit} 5 x=float32(nan)"),
    (
        scalars,
        (-(2.0**-149), 0, False),
        "x is -1e-45 at 0: float32(-1e-45) False {limit} 5 x=float32(-1e-45)",
    ),
    (formats, (-2.5, 171, 3), "-2.500 -2.50e+00 -000002.5000 ab 10101011 +3      3|"),
    (
        vectors,
        (float3(-1, 0.1, 2), np.arange(3.0) / 3, 2),
        "float3(-1.0, 0.1, 2.0) float3(-1.0, 0.1, 2.0) a[2] = 0.6666666666666666",
    ),
    (plain, (-1.0,), "no value, {} and %"),
    (in_parallel, (np.zeros(300_000), 2), "2 is beyond 2"),
]


@pytest.mark.parametrize(("kernel", "args", "text"), _CASES, ids=[c[2] for c in _CASES])
def test_an_assertion_names_values_alike_in_every_execution(
    kernel: Any, args: tuple[Any, ...], text: str
) -> None:
    for call in (kernel, kernel.managed, lambda *a: sb.evaluate(kernel, *a)):
        with pytest.raises(Trap) as caught:
            call(*args)
        assert caught.value.message == f"assertion failed: {text}"
    with pytest.raises(Trap, match="assertion failed"):
        sb.assert_same_bits(kernel, *args)


def test_values_are_computed_only_where_the_assertion_fails() -> None:
    a = np.zeros(2)
    for call in (vectors, vectors.managed, lambda *b: sb.evaluate(vectors, *b)):
        with pytest.raises(Trap) as caught:
            call(float3(-1, 0, 0), a, 2)
        assert caught.value.message == "index 2 is out of range for an array of 2"
        assert call(float3(1, 0, 0), a, 1) == 0.0


@sb.kernel
def bad_format(x: float64) -> float64:
    assert x > 0, f"{x:>8}"
    return x


@sb.kernel
def bad_conversion(x: float64) -> float64:
    assert x > 0, f"{x!a}"
    return x


@sb.kernel
def fixed_point(x: sb.fix16) -> sb.fix16:
    assert x > 0, f"{x:.3f}"
    return x


@sb.kernel
def too_many(v: float3) -> float32:
    assert v.x > 0, f"{v} {v} {v}"
    return v.x


@pytest.mark.parametrize(
    ("kernel", "args", "message"),
    [
        (bad_format, (1.0,), "float64 has no format `:>8`"),
        (bad_conversion, (1.0,), "the conversion !a is not in the language"),
        (fixed_point, (sb.fix16(1),), "fix16 has no format `:.3f`"),
        (too_many, (float3(1, 1, 1),), "the text has 9 numbers, and 8 are the most"),
    ],
)
def test_what_has_no_text_is_refused(kernel: Any, args: tuple[Any, ...], message: str) -> None:
    with pytest.raises(CompileError) as caught:
        kernel(*args)
    assert message in str(caught.value)
    assert "fix: " in str(caught.value)
