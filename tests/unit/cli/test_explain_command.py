"""`samebits explain`: evaluations are named, what none gives is said, bad usage is reported."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from tests.support.work import calls_of

from samebits.bits import bits_to_float, exact_fma, float_to_bits
from samebits.cli import status
from samebits.diagnosis.explain import Explanation, explain
from samebits.errors import ArgumentError
from samebits.fpmodel.parse import parse

# fma(0.1f, 0.1f, -0.01f): the product's rounding error is all that is left.
FUSED = ["a*b + c", "a=0x3dcccccd", "b=0x3dcccccd", "c=0xbc23d70a"]


def got_of_fused() -> str:
    a, c = bits_to_float(0x3DCCCCCD, 32), bits_to_float(0xBC23D70A, 32)
    return f"0x{float_to_bits(exact_fma(a, a, c, 32), 32):08x}"


def test_a_fused_product_is_named_with_its_expression(capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["explain", *FUSED, "--got", got_of_fused()]) == 0
    out = capsys.readouterr().out
    named = out.index(
        "gives these bits:\n  fused multiply-add\n    fma(a, b, c)\n    seen with GCC"
    )
    assert (
        out.index("strict")
        < out.index("observed")
        < named
        < out.index("these do not give the bits:")
    )


def test_a_fit_that_is_no_evidence_is_called_so(capsys: pytest.CaptureFixture[str]) -> None:
    found = status(["explain", "x * 0.1", "x=3", "--got", "0x3e99999b"])
    said = capsys.readouterr().out
    assert found == 0
    assert "; no evidence: of as many as were tried, one fits by accident" in said
    assert "evidence 0 bits" not in said


def test_json_has_the_same_facts(capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["explain", *FUSED, "--got", got_of_fused(), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["operands"]["c"] == "0xbc23d70a"
    assert facts["observed"] == got_of_fused()
    assert facts["causes"][0]["hazards"] == ["fma"]
    assert facts["causes"][0]["evaluations"][0]["expression"] == "fma(a, b, c)"
    assert facts["complete"] is True


def test_bits_that_nothing_gives_end_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["explain", *FUSED, "--got", "42.5"]) == 1
    assert "no evaluation tried gives these bits" in capsys.readouterr().out


def test_the_strict_result_is_explained_by_the_strict_evaluation() -> None:
    for expression, got in (
        ("a + b", "3"),
        ("a/b", "0.5"),
        ("sqrt(a*b*b)", "2"),
        ("min(a, b)", "1"),
    ):
        explanation = explain(expression, {"a": "1", "b": "2"}, got)
        assert explanation.strict == explanation.observed
        assert explanation.causes[0].hazards == ()


def test_two_hazards_are_tried_where_none_alone_gives_the_bits() -> None:
    a, c = bits_to_float(0x3DCCCCCD, 32), bits_to_float(0xBC23D70A, 32)
    inner, together = exact_fma(a, a, c, 32), 0
    for divisor in range(3, 16):
        inverse = float(np.float32(1) / np.float32(divisor))
        both = float_to_bits(exact_fma(inner, inverse, 0.0, 32), 32)
        values = {"a": "0x3dcccccd", "b": "0x3dcccccd", "c": "0xbc23d70a", "d": str(divisor)}
        causes = explain("(a*b + c) / d", values, f"0x{both:08x}").causes
        names = [{h.name for h in cause.hazards} for cause in causes]
        assert {"fma"} in names or {"fma", "reciprocal"} in names
        together += all(len(each) == 2 for each in names)
    assert together == 3


def test_a_library_an_ulp_away_is_named() -> None:
    strict = explain("sin(x)", {"x": "1"}, "0").strict
    causes = explain("sin(x)", {"x": "1"}, f"0x{strict + 1:08x}").causes
    assert ["libm-ulp"] in [[h.name for h in cause.hazards] for cause in causes]
    assert any(e.expression == "(sin(x) + 1 ulp)" for c in causes for e in c.evaluations)


def test_a_constant_an_ulp_off_is_named() -> None:
    names = [
        [h.name for h in cause.hazards]
        for cause in explain("x * 0.1", {"x": "1"}, "0x3dcccccc").causes
    ]
    assert ["constant"] in names


def test_eight_operations_are_explained_in_bounded_work() -> None:
    values = {name: str(1.1 + 0.37 * i) for i, name in enumerate("abcdefgh")}
    for expression in (
        "a + b + c + d + e + f + g*h",
        "a/b + c/d + e/f + g/h + a",
        "sqrt(a*b + c*d) / (e + f) * g - h",
    ):
        used = {
            name: value for name, value in values.items() if name in expression.replace("sqrt", "")
        }
        found: list[Explanation] = []
        work = calls_of(lambda: found.append(explain(expression, used, "123.456")))  # noqa: B023
        assert not found[0].causes
        assert work < 10_000_000


@pytest.mark.parametrize(
    ("expression", "values", "got", "message"),
    [
        ("a % b", {"a": "1"}, "1", "this operator is not in the language\n  a % b\n  ^^^^^"),
        ("a * 0.5f", {"a": "1"}, "1", "^\n  fix: write 0.5, which has the expression's type"),
        (
            "sinf(a)",
            {"a": "1"},
            "1",
            "no function `sinf` here\n  sinf(a)\n  ^^^^\n  fix: write sin",
        ),
        ("fabsf(a)", {"a": "1"}, "1", "\n  fix: write abs"),
        ("np.arctan(a)", {"a": "1"}, "1", "\n  ^^^^^^^^^\n  fix: write atan"),
        ("a + foo(b)", {"a": "1"}, "1", "there is no function `foo` here\n  a + foo(b)\n      ^^^"),
        (
            "pown(a, b)",
            {"a": "1", "b": "2"},
            "1",
            "the second argument of `pown` is an integer\n  pown(a, b)\n          ^\n"
            "  fix: write its value, as in pown(x, 3)",
        ),
        ("1 + rootn(a, 3.0)", {"a": "1"}, "1", "3.0)\n               ^^^\n  fix: write its value"),
        ("pown(a, True)", {"a": "1"}, "1", "the second argument of `pown` is an integer"),
        (
            "compound(a, 2147483648)",
            {"a": "1"},
            "1",
            "`compound` takes an int32, from −2³¹ to 2³¹ − 1\n  compound(a, 2147483648)\n",
        ),
        ("pown(a)", {"a": "1"}, "1", "`pown` takes 2 arguments, not 1"),
        ("compoundn(a, 2)", {"a": "1"}, "1", "\n  fix: write compound"),
        ("a + b", {"a": "1"}, "1", "no value is given for b"),
        ("a + 1", {"a": "1", "z": "1"}, "1", "the expression has no z"),
        ("a + 1", {"a": "x"}, "1", "a is not a number: 'x'"),
        ("a + 1", {"a": "0x3fb999999999999a"}, "1", "give the type float64, with --type or type="),
        ("a + 1", {"a": "1"}, "0x1", "what was observed has 1 hex digits"),
        ("a +", {"a": "1"}, "1", "this is not an expression"),
        ("a", {"a": "1"}, "1", "there is no operation to explain"),
        ("(" * 300 + "a" + ")" * 300, {"a": "1"}, "1", "this is not an expression"),
        ("a" + "+a" * 9, {"a": "1"}, "1", "9 operations, and 8 are the most"),
    ],
)
def test_bad_usage_says_what_and_where(
    expression: str, values: dict[str, str], got: str, message: str
) -> None:
    with pytest.raises(ArgumentError) as caught:
        explain(expression, values, got)
    assert message in str(caught.value)


def test_bad_usage_ends_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["explain", "a + b", "a=1", "b", "--got", "1"]) == 2
    assert status(["explain", "a + b", "a=1", "a=1", "--got", "1"]) == 2
    assert status(["explain", "a + b", "a=1", "b=2"]) == 2
    assert "'b' is not an operand" in capsys.readouterr().err


def test_numbers_alone_are_an_expression(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        status(["explain", "0.1 + 0.2", "--got", "0x1.3333333333334p-2", "--type", "float64"]) == 0
    )
    assert "the strict evaluation gives these bits" in capsys.readouterr().out


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_of_any_system_count_as_lines(end: str) -> None:
    assert parse(f"fma(a,{end} b,{end} c)") == parse("fma(a, b, c)")
    with pytest.raises(ArgumentError) as caught:
        parse(f"fma(a, b,{end}())")
    assert caught.value.message == ("this is not in the language\n  fma(a, b, ())\n            ^^")


def test_nothing_but_the_refusal_is_said_of_a_number_that_is_none() -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with pytest.raises(ArgumentError):
            parse("1if a")
    assert said == []


def test_numbers_in_an_expression_are_pythons_and_values_have_digits_alone() -> None:
    assert explain("a + 1_0", {"a": "1"}, "11").causes[0].hazards == ()
    with pytest.raises(ArgumentError):
        explain("a + 10", {"a": "1_0"}, "20")
