"""The table of long tests names tests that there are, and is made of what tests take."""

from __future__ import annotations

import ast
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.support import long_tests
from tests.support.costs import Cost
from tests.support.folders import ROOT
from tests.support.long_tests import ALL, EACH, chosen, is_long


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
