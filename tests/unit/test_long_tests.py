"""The table of long tests names tests that there are, and is made of what tests take."""

from __future__ import annotations

import ast
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.support import long_tests
from tests.support.costs import Cost
from tests.support.folders import ROOT
from tests.support.long_tests import ALL, EACH, chosen, is_long, left_out, made_anew


def test_every_row_names_tests_that_there_are() -> None:
    assert long_tests.rows()
    for row in long_tests.rows():
        file, *parts = row.split("::")
        tree = ast.parse((ROOT / file).read_text("utf-8"))
        names = {
            node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)
        }
        assert names.issuperset(parts), row


def test_what_takes_long_alone_or_together_is_chosen() -> None:
    quick = [Cost(f"t/test_a.py::test_quick[{k}]", 0.01, 0.01, 1) for k in range(100)]
    dear = Cost("t/test_a.py::test_dear", 0.0, EACH, 1)
    many = [Cost(f"t/test_a.py::test_many[{k}]", ALL / 40, 0, 1) for k in range(50)]
    rest = [Cost("t/test_a.py::test_rest", EACH * 0.9, 0, 9) for _ in range(1)]
    file = [Cost("t/test_b.py::test_first", 9.0, 0, 9), Cost("t/test_b.py::test_second", 0, 0, 0)]
    collection = Cost("", 99, 0, 99)
    costs = [*quick, dear, *many, *rest, *file, collection]
    pads = [Cost(f"t/test_a.py::test_pad{k}", EACH * 0.9, 0, 1) for k in range(30)]
    found = ["t/test_a.py::test_dear", "t/test_a.py::test_many", "t/test_b.py"]
    assert chosen([*costs, *pads]) == found
    assert chosen([*costs, *pads], frozenset({"t/test_b.py"})) == found[:2]
    assert chosen(quick) == []


def test_a_row_is_of_a_file_or_of_a_function_with_all_its_parameters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        long_tests, "rows", lambda: frozenset({"t/test_a.py", "t/test_b.py::test_x"})
    )
    marked: list[str] = []
    names = ["t/test_a.py::test_y", "t/test_b.py::test_x[1]", "t/test_b.py::test_x2"]
    assert [is_long(name) for name in names] == [True, True, False]
    items = [
        SimpleNamespace(nodeid=name, add_marker=lambda _, name=name: marked.append(name))
        for name in names
    ]
    long_tests.mark(cast("Any", items))
    assert marked == names[:2]


@pytest.mark.parametrize(
    ("markers", "whole", "part", "none"),
    [
        ("not long and not proof", True, False, False),
        ("long and not proof", False, False, True),
        ("not proof", False, False, False),
        ("not (long and proof)", False, False, False),
        ("long or proof", False, False, False),
        ("", False, False, False),
    ],
)
def test_a_file_is_left_out_where_nothing_of_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, markers: str, whole: bool, part: bool, none: bool
) -> None:
    monkeypatch.setattr(
        long_tests, "rows", lambda: frozenset({"t/test_whole.py", "t/test_part.py::test_x"})
    )
    found = [left_out(f"t/test_{kind}.py", markers) for kind in ("whole", "part", "none")]
    assert found == [whole, part, none]


def test_rows_of_what_was_not_measured_stay(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    table = tmp_path / "long_tests.txt"
    before = ["t/test_b.py::test_x", "t/test_c.py", "t/test_d.py::test_x", "t/test_d.py::test_y"]
    table.write_text("\n".join(["# About.", f"{long_tests.STAYS}t/test_e.py", *before, ""]))
    monkeypatch.setattr(long_tests, "TABLE", table)
    monkeypatch.setattr(long_tests, "rows", lambda: frozenset(before))
    costs = [
        Cost("t/test_b.py::test_x", 0.01, 0, 1), Cost("t/test_b.py::test_y", 9, 0, 9),
        Cost("t/test_d.py::test_x", 9, 0, 9), Cost("t/test_e.py::test_z", 9, 0, 9),
        Cost("t/test_b.py::test_z", 2, 0, 9),
    ]  # fmt: skip
    text = made_anew(costs)
    assert text.splitlines() == [
        "# About.", f"{long_tests.STAYS}t/test_e.py", "t/test_b.py", "t/test_c.py", "t/test_d.py"
    ]  # fmt: skip
