"""Version skew: edits are what somebody writes, the truth is had by running, wrong ones show."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from tools.prove_diagnose.skew import judge, report
from tools.prove_diagnose.skew.case import SUBJECTS, Case, draw, known, lines_of, written
from tools.prove_diagnose.skew.edits import KINDS, Edit, Hunk, Text, applied

ORBITS = SUBJECTS["outer_planets"]
TEXT = Text(ORBITS.path.name, ORBITS.path.read_text())


def test_a_case_comes_again_by_its_number() -> None:
    first, again = (draw(0, 5, 0) for _ in range(2))
    assert first is not None
    assert first == again
    assert draw(1, 5, 0) != first


@pytest.mark.parametrize("kind", KINDS)
def test_an_edit_of_every_kind_is_python_and_another_tree(kind: str) -> None:
    tried = [KINDS[kind](Text(s.path.name, s.path.read_text()), Random(n))
             for n, s in enumerate(SUBJECTS.values())]  # fmt: skip
    found = [
        (s.path.read_text(), edit) for s, edit in zip(SUBJECTS.values(), tried, strict=True) if edit
    ]
    assert len(found) > 3
    parsed = 0
    for text, edit in found:
        try:
            tree = ast.parse(applied(text, [edit])[0])
        except SyntaxError:  # as of a block that lost its only statement
            continue
        parsed += 1
        assert ast.dump(tree) != ast.dump(ast.parse(text))
        assert edit.kind == kind
    assert parsed > 2


def test_lines_are_told_by_the_edits_that_they_are_of() -> None:
    edits = [
        Edit("removed", "f", (Hunk(2, 3, ()),), frozenset({2})),
        Edit("repeated", "f", (Hunk(5, 5, ("d",)),), frozenset({4})),
    ]
    text, of = applied("a\nb\nc\nd\ne", edits)
    assert text == "a\nc\nd\nd\ne"
    assert of == {3: 1, 4: 1}


def line_edit(old: str, new: str) -> Edit:
    number = 1 + TEXT.lines.index(old)
    return Edit("constant", TEXT.file, (Hunk(number, number + 1, (new,)),), frozenset({number}))


def test_the_truth_is_the_smallest_set_that_gives_the_hashes(tmp_path: Path) -> None:
    edits = (
        line_edit("DAYS_PER_YEAR = 365.25", "DAYS_PER_YEAR = 365.0"),
        line_edit("OUTER_KICK = STEP_DAYS * THETA", "OUTER_KICK = STEP_DAYS * THETA * 1.001"),
    )
    case = Case(0, "outer_planets", "steady", 1, 40, edits)
    truth = known(case, tmp_path)
    assert truth is not None
    assert truth.sets == (frozenset({1}),)
    assert truth.acting == {1}
    assert truth.fields
    mine, theirs = lines_of(case)
    assert [*mine.values()] == [*theirs.values()] == [0, 1]
    assert written(case, (0, 1), tmp_path / "b").read_text() != TEXT.text


def test_what_is_wrong_and_certain_shows() -> None:
    right = judge.Verdict(0, "arena", ["moved"], [[0]], True, True, True, True, True, True,
                          "certain", [0], cpu_seconds=1.0)  # fmt: skip
    wrong = replace(right, cause=False, named=[1])
    assert report.kept([right])
    assert not report.kept([right] * 99 + [wrong])
    assert "FALSELY CERTAIN" in report.line(wrong)
    assert report.kept([right] * 99 + [replace(wrong, certainty="likely")])
    text = report.section([right, wrong], 1)
    assert "| wrong, but stated as certain | 1 | 0 |" in text
    assert "| moved | 2 | 2 | 1 | 0 |" in text


def test_every_example_that_is_a_simulation_of_typed_python_is_drawn_from() -> None:
    examples = Path(__file__).parents[3] / "examples"
    files = {f for f in examples.glob("*/*.py") if "sb.Simulation(\n" in f.read_text()}
    assert {subject.path for subject in SUBJECTS.values()} == files
