"""The search for errors of fixed-point functions finds them where they are, and nowhere else."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ziglang", reason="the reference is compiled by zig, of the extra `targets`")
gmpy2 = pytest.importorskip("gmpy2")
from tools.prove import fixed  # noqa: E402


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return fixed.library(Path(tmp_path_factory.mktemp("fixed")))


def search(library: Any, name: str, linked: Any) -> fixed.Record:
    return fixed.search("fix32", name, linked, 1 << 14, library, 1, lambda *shown: None)


@pytest.mark.parametrize("name", ["sqrt", "log", "atan2"])
def test_a_correct_function_is_half_a_step_off_at_most(library: Any, name: str) -> None:
    record = search(library, name, fixed.subject("fix32", name))
    assert record.inputs == 1 << 14
    assert record.worst <= 0.501
    assert record.relative == 0


def test_a_function_that_computes_another_is_found_out(library: Any) -> None:
    record = search(library, "sin", fixed.subject("fix32", "cos"))
    assert record.worst > 1 << 31


def test_what_is_kept_is_within_what_is_promised() -> None:
    records = fixed.load()
    assert set(records) == {f"{t} {n}" for t in fixed.TYPES for n in fixed.FUNCTIONS}
    assert [fixed.complaint(key, record) for key, record in records.items()] == [None] * 24


def test_a_broken_promise_and_an_empty_search_are_complaints() -> None:
    kept = fixed.load()["fix32 tan"]
    off = dataclasses.replace(kept, worst=0.52, relative=2.0**-20)
    assert str(fixed.complaint("fix32 tan", off)).startswith("fix32 tan: 0.52000 steps off at ")
    off = dataclasses.replace(kept, worst=0.52, relative=0.0)
    assert fixed.complaint("fix32 sin", off) is not None
    assert fixed.complaint("fix32 sin", dataclasses.replace(off, worst=0.5)) is None
    empty = dataclasses.replace(kept, inputs=0, worst=-1.0)
    assert fixed.complaint("fix32 tan", empty) == "fix32 tan: nothing was compared"


def test_a_page_names_what_was_not_compared_since_it_changed(library: Any) -> None:
    linked = fixed.subject("fix32", "sqrt")
    records = {"fix32 sqrt": search(library, "sqrt", linked)}
    fresh = fixed.page(records, {"fix32 sqrt": linked.digest()})
    assert f"| sqrt | fix32 | {records['fix32 sqrt'].worst:.5f} |  | 16,384 random |" in fresh
    assert "| sqrt | fix32 | | | not compared since it changed |" in fixed.page(records, {})
