"""Two versions as edits: with none made the tree is the first version's, with all the second's."""

from __future__ import annotations

import ast

import pytest

from samebits.diagnosis.edits.merge import Merge, Numbers, Text
from samebits.diagnosis.edits.names import Renaming, renamings
from samebits.diagnosis.edits.words import described

FIRST = """
LOW = 1.5
HIGH = 2.5

def more(x, by=0.5):
    return x + by

def step(x, y):
    a = x * LOW + y
    b = more(a)
    if a < b:
        a = b
        b = 0.0
    return a - b
"""
CASES = [
    ("LOW = 1.5", "LOW = 1.25", [("constant", "1.5", "1.25")]),
    ("by=0.5", "by=0.75", [("default", "0.5", "0.75")]),
    ("a < b", "a <= b", [("operator", "<", "<=")]),
    ("x * LOW + y", "x * LOW", [("expression", "x * LOW + y", "x * LOW")]),
    ("    b = more(a)\n", "", [("removed", "b = more(a)", "")]),
    ("    b = more(a)\n", "    b = more(a)\n    b += 1.0\n", [("added", "", "b += 1.0")]),
    (
        "        a = b\n        b = 0.0\n",
        "        b = 0.0\n        a = b\n",
        [("moved", "b = 0.0", "b = 0.0")],
    ),
    ("x * LOW + y", "(x - LOW) * y", [("operator", "*", "-"), ("operator", "+", "*")]),
    ("x + by", "x * by * 2.0", [("expression", "x + by", "x * by * 2.0")]),
    ("def more(x, by=0.5)", "def more(x, by)", [("signature", "x, by=0.5", "x, by")]),
    ("def more", "@fast\ndef more", [("decorator", "def more", "fast")]),
    ("LOW = 1.5\nHIGH = 2.5\n", "HIGH = 2.5\nLOW = 1.5\n", [("moved", "HIGH", "HIGH")]),
    ("def step", "def less(x):\n    return x\n\ndef step", [("function added", "", "def less")]),
]


@pytest.mark.parametrize(("old", "new", "expected"), CASES)
def test_an_edit_is_what_was_written(
    old: str, new: str, expected: list[tuple[str, str, str]]
) -> None:
    merge = merged(FIRST.replace(old, new))
    found = [(edit.kind, edit.old, edit.new) for edit in merge.edits]
    assert len(found) == len(expected)
    for (kind, before, after), (named, first, second) in zip(found, expected, strict=True):
        assert kind == named
        assert before.startswith(first)
        assert second in after


def test_two_numbers_of_a_statement_are_two_edits_of_one_site() -> None:
    merge = merged(FIRST.replace("x * LOW + y", "x * 3.0 + y * 2.0"), ("LOW + y", "4.0 + y * 5.0"))
    assert [(edit.kind, edit.old, edit.new) for edit in merge.edits] == [
        ("constant", "4.0", "3.0"),
        ("constant", "5.0", "2.0"),
    ]
    assert len({edit.site for edit in merge.edits}) == 1


def test_what_replaces_a_statement_is_of_its_site() -> None:
    merge = merged(FIRST.replace("    b = more(a)\n", "    while a > 4.0:\n        a -= 1.0\n"))
    assert [edit.kind for edit in merge.edits] == ["removed", "added"]
    assert len({edit.site for edit in merge.edits}) == 1


LONG = """\
        if y > 0.0:
            a = x * y
            b = a + x * 2.0
            a = b * (x + y) - a * 3.0
            x = a - b * y + 1.5
"""
HEADS = ["for i in range(3):", "while x < 4.0:", "if x < 4.0:", "with x:"]


@pytest.mark.parametrize("head", HEADS)
def test_what_lost_most_of_its_body_is_the_same_statement(head: str) -> None:
    around = f"    {head}\n        y = x + 1.0\n"
    merge = merged(
        FIRST.replace("    return a - b", f"{around}    return a - b"),
        ("    return a - b", f"{around}{LONG}    return a - b"),
    )
    assert [edit.kind for edit in merge.edits] == ["removed"]
    assert merge.edits[0].old.startswith("if y > 0.0")


OTHERS = [
    "for step in range(int(a * 2.0 + b)):",
    "while not (more(a) * 2.0 > b - a or b > 1.0):",
    "if not (more(a) * 2.0 > b - a or b > 1.0):",
    "with more(a + b * 2.0 - x):",
]


@pytest.mark.parametrize(("head", "other"), [*zip(HEADS, OTHERS, strict=True)])
def test_a_head_that_changed_leaves_what_is_beneath_it(head: str, other: str) -> None:
    beneath = "        y = x + 1.0\n        b = y * 2.0\n"
    merge = merged(
        FIRST.replace("    return a - b", f"    {other}\n{beneath}    return a - b"),
        ("    return a - b", f"    {head}\n{beneath}{LONG}    return a - b"),
    )
    assert not any("y = x + 1.0" in edit.old + edit.new for edit in merge.edits)
    assert [edit.kind for edit in merge.edits].count("removed") == 1


def test_a_body_that_became_empty_lost_a_statement_and_got_none() -> None:
    merge = merged(FIRST.replace("    return x + by", "    pass"))
    assert [(edit.kind, edit.old) for edit in merge.edits] == [("removed", "return x + by")]


def test_a_statement_put_under_a_condition_is_one_edit() -> None:
    old, new = "    b = more(a)\n", "    if a > 3.0:\n        b = more(a)\n"
    there, back = merged(FIRST.replace(old, new)), merged(FIRST, (old, new))
    assert [described(edit) for merge in (there, back) for edit in merge.edits] == [
        "`b = more(a)` stands under `if a > 3.0` in b",
        "`b = more(a)` stands under `if a > 3.0` in a alone",
    ]


def test_what_stands_beside_a_statement_put_into_a_loop_is_an_edit_of_its_own() -> None:
    old = "    b = more(a)\n    if a < b:"
    new = "    y = b * 3.0\n    for i in range(2):\n        b = more(a)\n    x = a\n    if a < b:"
    merge = merged(FIRST.replace(old, new))
    assert [edit.kind for edit in merge.edits] == ["added", "put under", "added"]


def test_a_local_name_that_changed_is_no_edit_of_statements() -> None:
    text = FIRST.replace("a = x", "sum = x").replace("more(a)", "more(sum)")
    text = text.replace("a < b", "sum < b").replace("a = b", "sum = b").replace("a - b", "sum - b")
    found, tree = renamings(ast.parse(FIRST), ast.parse(text))
    assert found == (Renaming("step", "a", "sum"),)
    assert ast.dump(tree) == ast.dump(ast.parse(FIRST))


def test_a_function_that_is_called_otherwise_is_the_same_one() -> None:
    found, tree = renamings(ast.parse(FIRST), ast.parse(FIRST.replace("more", "plus")))
    assert found == (Renaming("", "more", "plus"),)
    assert ast.dump(tree) == ast.dump(ast.parse(FIRST))


def merged(second: str, *also: tuple[str, str]) -> Merge:
    """The merging of `FIRST`, with some words exchanged, and a second version, both of which come
    out of it again."""
    first = FIRST
    for old, new in also:
        first = first.replace(old, new)
    a, b = ast.parse(first), ast.parse(second)
    merge = Merge(Text.of("a", first), Text.of("b", second), Numbers())
    part = merge.modules(a, b)
    every = {edit.number for edit in merge.edits}
    assert ast.dump(part.build(())) == ast.dump(a)
    assert ast.dump(part.build(every | {*merge.together.values()})) == ast.dump(b)
    return merge
