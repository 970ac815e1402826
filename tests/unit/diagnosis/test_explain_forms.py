"""What people make of an expression by hand and compilers at -ffast-math is found, with how strong
the evidence for it is."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from samebits.bits import bits_to_float, exact_fma, float_to_bits
from samebits.cli import status
from samebits.cli.explain import as_text
from samebits.diagnosis.explain import Explanation, explain

F = np.float32
HALF, ONE, TWO, THREE_HALVES = F(0.5), F(1), F(2), F(1.5)


def bits(x: Any) -> str:
    return f"0x{int(F(x).view(np.uint32)):08x}"


def bfloat16(x: Any) -> Any:
    word = int(F(x).view(np.uint32))
    return np.uint32((word + 0x7FFF + (word >> 16 & 1)) & 0xFFFF0000).view(F)


def cut(x: Any) -> Any:
    return np.uint32(int(F(x).view(np.uint32)) & 0xFFFF0000).view(F)


def half(x: Any) -> Any:
    return F(np.float16(x))


def quake(x: Any, steps: int) -> Any:
    y = np.uint32(0x5F3759DF - (int(F(x).view(np.uint32)) >> 1)).view(F)
    for _ in range(steps):
        y = y * (THREE_HALVES - HALF * x * y * y)
    return y


def explained(expression: str, code: Callable[..., Any], rows: int = 6) -> Explanation:
    """What `explain` says of the results of `code` for some rows."""
    chance = np.random.default_rng(17)
    names = [name for name in "abcd" if name in expression.replace("sqrt", "")]
    table = [[F(x) for x in chance.uniform(0.2, 3, len(names))] for _ in range(rows)]
    values = [{n: bits(x) for n, x in zip(names, row, strict=True)} for row in table]
    return explain(expression, values, [bits(code(*row)) for row in table])


CODE: dict[str, tuple[str, Callable[..., Any], str, str]] = {
    "a common divisor": (
        "a/c + b/c", lambda a, b, c: (a + b) / c, "algebra", "(a + b) / c"),
    "a common factor of one term alone": (
        "a*b + a", lambda a, b: a * (b + ONE), "algebra", "a * (b + 1)"),
    "rewrites upon rewrites": (
        "a/b/c - d/(b*c)", lambda a, b, c, d: (a - d) / (b * c), "algebra", "(a - d) / (b * c)"),
    "a product in half": (
        "a*b + c", lambda a, b, c: half(a * b) + c, "narrower", "float16(a * b) + c"),
    "operands in half": (
        "a*b + c", lambda a, b, c: half(a) * half(b) + half(c), "narrower",
        "float16(a) * float16(b) + float16(c)"),
    "a product in bfloat16": (
        "a*b + c", lambda a, b, c: bfloat16(a * b) + c, "narrower", "bfloat16(a * b) + c"),
    "operands cut to bfloat16": (
        "a*b + c*d", lambda a, b, c, d: cut(a) * cut(b) + cut(c) * cut(d), "narrower",
        "bfloat16_cut(a) * bfloat16_cut(b) + bfloat16_cut(c) * bfloat16_cut(d)"),
    "the fast inverse square root": (
        "1/sqrt(a)", lambda a: quake(a, 1), "estimate", ""),
    "one without a step": (
        "1/sqrt(a)", lambda a: quake(a, 0), "estimate", "magic_5f3759df(a)"),
    "one in a larger expression": (
        "b*c/sqrt(a*a + b*b) - c", lambda a, b, c: b * c * quake(a * a + b * b, 2) - c, "estimate",
        ""),
    "one of a root": ("sqrt(a)*b", lambda a, b: a * quake(a, 1) * b, "estimate", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", CODE)
def test_it_is_found_first_from_six_rows(name: str) -> None:
    expression, code, hazard, form = CODE[name]
    found = explained(expression, code)
    assert [h.name for h in found.causes[0].hazards] == [hazard]
    assert form in [evaluation.expression for evaluation in found.causes[0].evaluations] + [""]


def test_a_patterned_root_takes_any_operand() -> None:
    for text in ("0", "-1", "inf", "nan", "1e-40"):
        assert explain("1/sqrt(a)", {"a": text}, "0x5f3759df").tried > 1
    zero = explain("1/sqrt(a)", {"a": "0"}, "0x5f3759df")
    assert [cause.hazards[0].name for cause in zero.causes] == ["estimate"]


def fused(a: Any, b: Any, c: Any) -> Any:
    pattern = float_to_bits(exact_fma(float(a), float(b), float(c), 32), 32)
    return F(bits_to_float(pattern, 32))


def test_evidence_grows_with_the_rows_and_one_row_is_never_certain() -> None:
    code = CODE["a common divisor"][:2]
    few, more = explained(*code, rows=1), explained(*code, rows=40)
    assert not few.certain
    assert more.certain
    assert more.causes[0].strength.bits > few.causes[0].strength.bits


def test_what_explains_the_same_is_not_certain() -> None:
    # A product of two float32 is exact in float64, so the sum is all that is rounded, as in an fma.
    found = explained("a*b + c", fused, rows=40)
    names = [cause.hazards[0].name for cause in found.causes]
    assert names[:2] == ["fma", "double-rounding"]
    assert not found.certain
    assert found.decisive is None
    assert "no fresh sample tells these apart: operands of other sizes may" in as_text(found)


def test_a_row_that_tells_explanations_apart_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    found = explain("x / y", {"x": "5", "y": "3"}, "0x3fd55556")
    assert len(found.causes) > 1
    assert found.decisive is not None
    assert len(set(found.decisive.results)) > 1
    again = explain("x / y", found.decisive.operands_as_text(), "0")
    assert again.operands == found.decisive.operands
    arguments = ["explain", "x / y", "x=5", "y=3", "--got", "0x3fd55556"]
    assert status([*arguments, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["certain"] is False
    assert len(facts["decisive"]["results"]) == len(facts["causes"])
    assert status(arguments) == 0
    assert "\nthis row would tell them apart:\n  x         0x" in capsys.readouterr().out


def test_rows_that_all_explanations_share_count_for_little() -> None:
    """Strict results are what a hazard that seldom acts gives anyway."""
    rows = [{"a": "1", "b": "1"}] + [{"a": f"{n}", "b": "2"} for n in range(3, 40)]
    got = ["2", *(f"{n + 2}" for n in range(3, 40))]
    found = explain("a + b", rows, got)
    assert found.causes[0].hazards == ()
    flush = next(c for c in found.causes[1:] if c.hazards[0].name == "flush")
    assert flush.strength.differs == 0
    assert flush.strength.bits < 1
