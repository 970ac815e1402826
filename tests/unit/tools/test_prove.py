"""What `make prove` compares with: right results pass, a result one ULP off never does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ziglang")
pytest.importorskip("gmpy2")

from tools.prove import __main__ as prove
from tools.prove import document, inputs, results
from tools.prove.functions import FORMATS, FUNCTIONS, Format, Function, rounded
from tools.prove.reference import Reference, library
from tools.prove.results import Part, Record

CASES = [(f, form) for form in FORMATS.values() for f in FUNCTIONS]
NAMES = [f"{f.name}-{form.name}" for f, form in CASES]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return library(tmp_path_factory.mktemp("reference"))


def right(function: Function, form: Format, arguments: inputs.Arguments) -> Any:
    values = zip(*(a.tolist() for a in arguments), strict=True)
    got = np.array([rounded(function, form, v) for v in values], form.float_type)
    return np.where(np.isnan(got), np.array(np.nan, form.float_type), got)


def some_special(function: Function, form: Format) -> inputs.Arguments:
    step = 1 if function.arity == 1 else 211
    special = inputs.special(function.arity, form)
    special = inputs.special_with_integers(form) if function.integer else special
    return tuple(np.ascontiguousarray(a[::step]) for a in special)


@pytest.mark.parametrize(("function", "form"), CASES, ids=NAMES)
def test_special_values_rounded_by_mpfr_pass(made: Any, function: Function, form: Format) -> None:
    arguments = some_special(function, form)
    found = Reference(made, function, form).check(arguments, right(function, form, arguments))
    assert (found.checked, found.wrong, found.named) == (len(arguments[0]), 0, [])


@pytest.mark.parametrize(("function", "form"), CASES, ids=NAMES)
def test_one_result_one_ulp_off_is_found_and_named(
    made: Any, function: Function, form: Format
) -> None:
    arguments = next(inputs.random(function, form, 1200, 3, None))
    got = right(function, form, arguments)
    reference = Reference(made, function, form)
    assert reference.check(arguments, got).wrong == 0
    at = next(k for k in range(700, 1200) if 1e-30 < abs(got[k]) < 1e30)
    got[at] = np.nextafter(got[at], np.array(np.inf, form.float_type))
    found = reference.check(arguments, got)
    assert (found.wrong, found.special) == (1, 0)
    assert float(arguments[0][at]).hex() in found.named[0]
    assert 0.5 <= found.worst <= 2.5  # 2 where the right result is a power of two


def test_a_result_that_does_not_mirror_is_found(made: Any) -> None:
    form = FORMATS["float32"]
    for function in (f for f in FUNCTIONS if f.name in ("sin", "cosh", "cbrt")):
        (block,) = next(inputs.every_pattern(form, mirrored=True))
        half = len(block) // 2
        x = np.concatenate([part[:2048] for part in (block[:half], block[half:])])
        x = (x.view(np.uint32) + np.uint32(0x3F000000)).view(np.float32)
        got = right(function, form, (x,))
        reference = Reference(made, function, form)
        assert reference.check((x,), got, mirrored=True).wrong == 0
        got[2048 + 1500] = -got[2048 + 1500]
        assert reference.check((x,), got, mirrored=True).wrong == 1


def test_the_wide_references_are_far_nearer_than_what_is_left_to_mpfr(made: Any) -> None:
    some = ("exp10", "sin", "sinpi", "atanh", "cbrt", "pow")
    for function, form in (case for case in CASES if case[0].name in some):
        sample = next(inputs.random(function, form, 1024, 5, None))
        margin = form.margin(function) / form.unit
        assert Reference(made, function, form).measure(sample) <= margin * 0.6, function.name


def test_the_errors_of_wrong_results_are_in_ulp_of_the_right_one(made: Any) -> None:
    form = FORMATS["float64"]
    function = next(f for f in FUNCTIONS if f.name == "exp2")
    x = np.array([0.0, 3.0, 1024.0, -1074.0, np.nan])
    wanted = np.array([1.0, 8.0, np.inf, 2.0**-1074, np.nan])
    reference = Reference(made, function, form, margin=0.0)
    assert reference.check((x,), wanted).wrong == 0
    for k, (value, error) in enumerate([(1 + 2**-50, 4.0), (8 - 2**-47, 4.0), (np.inf, 0.0)]):
        got = wanted.copy()
        got[k] = value
        assert reference.check((x,), got).worst == error
    got = wanted.copy()
    got[3], got[4] = 0.0, 1.0
    found = reference.check((x,), got)
    assert (found.wrong, found.special, found.worst) == (2, 1, 1.0)


def test_every_float_is_enumerated_once() -> None:
    form = FORMATS["float32"]
    low, high = (inputs.ordered(v, form) for v in (-1e-44, 1e-44))
    (found,) = next(inputs.patterns(low, high, form))
    assert found.view(np.uint32).tolist() == [
        *(0x80000000 + k for k in range(7, 0, -1)), *range(8)
    ]  # fmt: skip


def test_the_page_says_what_is_not_correctly_rounded_or_not_compared() -> None:
    part = Part("random", 10**8, 10**8, 3, worst=0.51, named=["exp(1) = 2, wanted 3"])
    record = Record("d1", "2020-01-01", "", (), False, 1.0, [part])
    low = Record("d2", "2020-01-01", "", (), False, 1.0, [Part("random", 10, 10, 9, worst=41.7)])
    digests = {
        f"modf float64 {p}": d for p, d in zip(document.PRECISIONS, ("d1", "d1", "d2"), strict=True)
    }
    records = {"modf float64 HIGH": record, "modf float64 LOW": low}
    page = document.page(records, digests)
    assert "| modf | HIGH | 0.5 | 0.51 | all numbers | 10^8 random | **≤ 0.50x ULP**: 3 are" in page
    assert "| modf | MEDIUM | | as HIGH |" in page
    assert "| modf | LOW | – | 41.7 | all numbers | 10 random |" in page
    assert "- modf float64 HIGH, random: exp(1) = 2, wanted 3" in page
    assert "| sin | HIGH | | | | not there yet |" in page
    digests["modf float64 HIGH"] = "d3"
    assert "| modf | HIGH | | | | not compared since it changed |" in document.page(
        records, digests
    )


def test_the_page_claims_the_hard_cases_that_were_compared_and_no_others() -> None:
    ordinary, hard = Part("random", 10, 10, 0), Part("hard cases", 2000, 2000, 0)
    records = {
        "sin float32 HIGH": Record("d1", "2020-01-01", "", (), False, 1.0, [ordinary, hard]),
        "cos float32 HIGH": Record("old", "2020-01-01", "", (), False, 1.0, [ordinary, hard]),
    }
    digests = {"sin float32 HIGH": "d1", "cos float32 HIGH": "d2"}
    assert "\nand 2,000 hard cases of 1 kernel (" in document.page(records, digests)
    records["sin float32 HIGH"].parts.remove(hard)
    page = document.page(records, digests)
    assert "\nand no hard cases." in page
    assert "CORE-MATH" not in page.split("## float32")[0]


def test_a_folder_without_hard_cases_is_reported(tmp_path: Path) -> None:
    said = inputs.without_hard_cases(tmp_path / "core-math")
    assert said is not None
    assert f"are not in {tmp_path / 'core-math'}" in said
    (tmp_path / "sin.wc.xz").touch()
    assert inputs.without_hard_cases(tmp_path) is None


def test_proving_without_hard_cases_says_so_and_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(inputs.without_hard_cases, "__defaults__", (tmp_path,))
    monkeypatch.setattr(inputs.hard_cases, "__defaults__", (tmp_path,))
    page, kept = tmp_path / "accuracy.md", tmp_path / "results.json"
    options = ["--only", "atan2", "--types", "float32", "--precisions", "HIGH", "--quick"]
    monkeypatch.setattr(
        "sys.argv", ["prove", *options, "--results", str(kept), "--page", str(page)]
    )
    monkeypatch.setattr(prove, "_prove_margins", lambda *_: None)
    assert prove.main() == 0
    said = capsys.readouterr().err
    assert "no hard cases are compared" in said
    assert re.search(r"compared: 1,128,881 inputs of 1 of \d+ kernels, no hard", said)
    assert "hard cases" in page.read_text()
    assert not re.search(r"\d hard cases", page.read_text())


def test_records_survive_their_file(tmp_path: Any) -> None:
    part = Part("all 2³²", 1 << 32, 1 << 32, worst_at=("3f800000",))
    kept = {"sin float32 HIGH": Record("d", "2020-01-01", "v", ("a", "b"), True, 0.5, [part])}
    place = tmp_path / "results.json"
    results.save(kept, place)
    assert results.load(place) == kept
    assert kept["sin float32 HIGH"].covers({"all 2³²": 1 << 32})
    assert not kept["sin float32 HIGH"].covers({"all 2³²": 1 << 32, "random": 1})
