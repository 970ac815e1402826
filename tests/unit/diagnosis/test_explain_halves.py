"""Expressions of halves: computed in float32 and rounded to a half at last, as in a kernel, and in
the ways that others compute them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import float32, half
from samebits.cli.explain import as_json, as_text
from samebits.diagnosis.explain import Explanation, explain
from samebits.errors import ArgumentError

RNG = np.random.default_rng(16)


@sb.kernel
def product_and_sum(a: half, b: half, c: half) -> half:
    return half(float32(a) * float32(b) + float32(c))


@sb.kernel
def root_of_quotient(a: half, b: half, c: half) -> half:
    return half(sb.sqrt(float32(a) / float32(b)) - float32(c))


KERNELS: dict[str, sb.Kernel] = {
    "a*b + c": product_and_sum,
    "sqrt(a / b) - c": root_of_quotient,
}
NATIVE: dict[str, Callable[[Any, Any, Any], Any]] = {
    "a*b + c": lambda a, b, c: a * b + c,
    "sqrt(a / b) - c": lambda a, b, c: np.sqrt(a / b) - c,
}


def halves(count: int) -> np.ndarray[Any, Any]:
    """Of all sizes, near 1 more often."""
    near = RNG.uniform(-3, 3, (count, 3)).astype(np.float16)
    far = RNG.integers(0, 0x7C00, (count, 3), np.uint16).view(np.float16)
    return np.concatenate([near, far])


def bits(x: Any) -> str:
    return f"0x{np.float16(x).view(np.uint16):04x}"


def explained(expression: str, row: Any, got: Any) -> Explanation:
    return explain(expression, given(row), bits(got), "float16")


def given(row: Any) -> dict[str, str]:
    return {name: bits(x) for name, x in zip("abc", row, strict=True)}


@pytest.mark.parametrize("expression", KERNELS)
def test_the_strict_result_is_that_of_a_kernel(expression: str) -> None:
    rows = halves(100)
    got = [KERNELS[expression](*map(half, row)) for row in rows]
    found = explain(expression, [given(row) for row in rows], [bits(x) for x in got], "float16")
    assert [row.strict for row in found.rows] == [row.observed for row in found.rows]
    assert not found.causes[0].hazards
    assert found.expression == expression.replace("*", " * ")
    for row, one in list(zip(rows, got, strict=True))[::20]:
        alone = explained(expression, row, one)
        assert alone.distance in (0, None)
        assert not alone.causes[0].hazards


@pytest.mark.parametrize("expression", NATIVE)
def test_arithmetic_that_rounds_every_operation_to_a_half_is_found_out(expression: str) -> None:
    with np.errstate(all="ignore"):
        all_rows = [(row, NATIVE[expression](*row)) for row in halves(150)]
    rows = [(row, got) for row, got in all_rows if not np.isnan(got)]
    given_rows = [given(row) for row, _ in rows]
    whole = explain(expression, given_rows, [bits(got) for _, got in rows], "float16")
    assert is_narrower(whole)
    facts = zip(rows, whole.rows, strict=True)
    differ = [given for given, fact in facts if fact.strict != fact.observed]
    assert len(differ) > 20
    for row, got in differ[::4]:
        assert is_narrower(explained(expression, row, got))


def is_narrower(found: Explanation) -> bool:
    return "narrower" in [hazard.name for cause in found.causes for hazard in cause.hazards]


def test_an_intermediate_result_in_a_half_and_a_float64_sum_are_found_out() -> None:
    a, b, c = np.float16(1.001), np.float16(1.003), np.float16(-1)
    product = np.float16(np.float32(a) * np.float32(b))
    got = np.float16((product.astype(np.float64) + float(c)) * 3)
    found = explain("(a*b + c)*3", {"a": bits(a), "b": bits(b), "c": bits(c)}, bits(got), "float16")
    (narrow,) = (cause for cause in found.causes if cause.hazards[0].name == "narrower")
    assert "(float16(a * b) + c) * 3" in [each.expression for each in narrow.evaluations]
    values = {"a": "2048", "b": "1", "c": "0x0001"}
    assert found.strict != found.observed
    wide = np.float16(2048.0 + 1.0 + float(np.float16(6e-8)))  # float32 has no digit for c
    found = explain("a + b + c", values, bits(wide), "float16")
    assert found.strict == 0x6800
    doubled = [c.hazards[0].name for c in found.causes if c.hazards]
    assert "double-rounding" in doubled
    assert "x87" in doubled


def test_flags_for_float32_flush_no_half() -> None:
    values = {"a": "0x0003", "b": "0.5"}
    found = explain("a*b", values, "0x0000", "float16")
    assert found.strict == 0x0002  # a tie, to even
    assert all("flush" not in [h.name for h in c.hazards] or len(c.hazards) > 1
               for c in found.causes)  # fmt: skip
    assert [m.hazard.name for m in found.misses if m.nearest == 0] == []


def test_the_bits_of_a_nan_are_a_halfs() -> None:
    found = explain("a / b", {"a": "0", "b": "0"}, "0xfe00", "float16")
    assert found.strict == 0x7E00
    assert [c.hazards[0].name for c in found.causes] == ["nan"]
    payload = explain("a + b", {"a": "0x7e55", "b": "1"}, "0x7e55", "float16")
    assert [c.hazards[0].name for c in payload.causes] == ["nan"]


def test_the_report_shows_halves_as_four_digits_and_short_decimals() -> None:
    found = explain("a*b + c", {"a": "0.1", "b": "0x2e66", "c": "-0.01"}, "0x8080", "float16")
    lines = as_text(found)
    assert lines[0] == "a * b + c   in float32, rounded to float16"
    assert lines[1].split() == ["a", "0x2e66", "0.1"]
    told = as_json(found)
    assert (told["type"], told["operands"]["b"], told["strict"]) == ("float16", "0x2e66", "0x8076")


@pytest.mark.parametrize(
    ("value", "type", "fix"),
    [
        ("0x3c00", "float32", "give the type float16, with --type or type="),
        ("0x3f800000", "float16", "give the type float32, with --type or type="),
        ("0x3c", "float16", "write 0x and 4 digits"),
        ("1", "half", "float16, float32 or float64"),
    ],
)
def test_bits_of_another_type_are_refused_with_its_name(value: str, type: str, fix: str) -> None:
    with pytest.raises(ArgumentError) as error:
        explain("a + a", {"a": value}, "0", type)
    assert error.value.fix == fix
