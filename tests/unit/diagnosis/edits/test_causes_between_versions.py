"""Causes between two versions: edits that give b's bits alone, and what the others do."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from samebits.diagnosis.driver import diagnose
from samebits.diagnosis.edits import tell
from samebits.diagnosis.edits.endless import ended
from samebits.diagnosis.report.findings import AnswerFact, Diagnosis, EditsFact
from samebits.diagnosis.report.versions import lines
from samebits.sides.side import parse_side
from samebits.sim.load import load_simulation
from samebits.sim.sources import PlayerSource

HELPER = """
import samebits as sb
from samebits import float32

@sb.kernel
def soft(x: float32) -> float32:
    return x * 0.96875
"""
SOURCE = """
import samebits as sb
from helper_of_versions import soft
from samebits import float32, int32, uint64

N = 4
REST = 0.5

@sb.struct
class State:
    x: sb.FixedArray[float32, N]
    v: sb.FixedArray[float32, N]
    frame: int32

@sb.struct
class Input:
    push: float32

@sb.kernel
def init(state: State, seed: uint64) -> None:
    for i in range(N):
        state.x[i] = float32(i) * 0.37 + float32(seed % 7)

@sb.kernel
def move(state: State) -> None:
    k = 0
    while k < N:
        state.x[k] += state.v[k] * 0.0625
        k += 1

@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    state.frame += 1
    for i in range(N):
        near = soft(state.x[i])
        state.v[i] -= near * REST + inputs[0].push
        if state.frame > 9:
            state.v[i] *= 0.875
    move(state)

SMALL = sb.Simulation(name="small", version="1", state=State, input=Input, players=1,
                      init=init, step=step)
"""
Changes = list[tuple[str, str]]
Compare = Callable[..., Diagnosis]
NAMES = ("small_version", "helper_of_versions")


@pytest.fixture
def compare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Compare:
    def written(folder: str, texts: list[str], changes: Changes) -> Path:
        (tmp_path / folder).mkdir()
        for name, text in zip(NAMES, texts, strict=True):
            for old, new in changes:
                text = text.replace(old, new)
            (tmp_path / folder / f"{name}.py").write_text(text)
        return tmp_path / folder / f"{NAMES[0]}.py"

    def compared(*changes: tuple[str, str]) -> Diagnosis:
        assert all((SOURCE + HELPER).count(old) == 1 for old, _ in changes)
        for name in NAMES:
            monkeypatch.delitem(sys.modules, name, raising=False)
        first = load_simulation(str(written("first", [SOURCE, HELPER], [])))
        second = written("second", [SOURCE, HELPER], [*changes])
        source = PlayerSource(first, "random", 5, 40)
        other = parse_side(f"source={second}", first, any_state=True)
        return diagnose(first, source, parse_side("", first), other)

    return compared


def known(found: Diagnosis) -> tuple[EditsFact, tuple[AnswerFact, ...]]:
    assert found.edits is not None, found.notes
    return found.edits, found.edits.answers


def words(answer: AnswerFact) -> list[str]:
    return [edit.words for edit in answer.edits]


LATE = ("*= 0.875", "*= 0.75")
EARLY = ("REST = 0.5", "REST = 0.625")
NO_MOVE = ("    move(state)\n", "")


def test_two_independent_causes_are_two_answers(compare: Compare) -> None:
    found = compare(LATE, EARLY)
    _, (first, second) = known(found)
    assert (words(first), words(second)) == (["`0.5` became `0.625`"], ["`0.875` became `0.75`"])
    assert (first.alone, first.left) == (0, 9)
    assert (second.alone, second.left) == (9, 0)
    assert found.frame == 0
    assert found.certainty == "certain"
    assert found.causes[0].title == "2 causes, independent of each other"
    assert found.causes[0].evidence[1:] == (
        "once it is mended, frame 9 is the first that differs, in x[0], x[1], x[2], x[3]",
        f"cause 2: {second.edits[0].where}: `0.875` became `0.75`",
        "once it is mended, frame 0 is the first that differs, in x[0], x[1], x[2], x[3]",
    )


def test_a_function_and_its_call_are_one_answer(compare: Compare) -> None:
    new = "@sb.kernel\ndef hard(x: float32) -> float32:\n    return x * 0.5\n\n@sb.kernel\ndef step"
    found = compare(("@sb.kernel\ndef step", new), ("soft(state.x[i])", "hard(soft(state.x[i]))"))
    _, (answer,) = known(found)
    assert {edit.kind for edit in answer.edits} == {"function added", "expression"}
    assert found.certainty == "certain"


def test_an_edit_of_a_file_that_is_imported_is_found(compare: Compare) -> None:
    found = compare(("0.96875", "0.9375"))
    _, (answer,) = known(found)
    assert words(answer) == ["`0.96875` became `0.9375`"]
    assert answer.edits[0].a is not None
    assert Path(answer.edits[0].a.file).name == "helper_of_versions.py"


def test_where_either_of_two_edits_is_enough_neither_is_certain(compare: Compare) -> None:
    found = compare(("frame > 9", "frame > 99"), ("*= 0.875", "*= 1.0"))
    edits, (answer,) = known(found)
    assert found.certainty == "likely"
    assert {*words(answer), *(edit.words for edit in edits.rivals)} == {
        "`9` became `99`", "`0.875` became `1.0`",
    }  # fmt: skip


def test_an_edit_that_another_one_hides_is_told_apart(compare: Compare) -> None:
    found = compare(NO_MOVE, ("* 0.0625", "* 0.125"))
    edits, (answer,) = known(found)
    assert words(answer) == ["`move(state)` is missing in b"]
    assert [edit.words for edit in edits.masked] == ["`0.0625` became `0.125`"]
    assert found.certainty == "certain"


def test_edits_that_change_nothing_are_named_as_harmless(compare: Compare) -> None:
    found = compare(
        EARLY, ("float32(i) * 0.37", "0.37 * float32(i)"), ("N = 4\n", "N = 4\nM = 5\n")
    )
    edits, (answer,) = known(found)
    assert len(answer.edits) == 1
    assert {edit.words for edit in edits.harmless} == {
        "`M = 5` is in b alone", "`float32(i) * 0.37` became `0.37 * float32(i)`",
    }  # fmt: skip
    text = "\n".join(lines(edits))
    assert text.startswith("edits: 3 between both versions, of which 1 matter")
    assert text.count("changes nothing in this run") == 2


def test_edits_that_need_one_another_are_left_out_together(compare: Compare) -> None:
    found = compare(
        EARLY,
        ("    state.frame += 1\n", "    whole = state.frame + 1\n    state.frame = whole\n"),
        ("near * REST + inputs[0].push", "near * rest + inputs[0].push"),
        (
            "        near = soft(state.x[i])\n",
            "        rest = REST\n        near = soft(state.x[i])\n",
        ),
    )
    edits, (answer,) = known(found)
    assert words(answer) == ["`0.5` became `0.625`"]
    assert len(edits.harmless) == 5
    assert found.certainty == "certain"


def test_a_set_that_does_not_end_or_compile_fails(compare: Compare) -> None:
    loop = (
        "    k = 0\n    while k < N:\n        state.x[k] += state.v[k] * 0.0625\n        k += 1\n"
    )
    other = "    for n in range(N):\n        state.x[n] += state.v[n] * 0.125\n"
    found = compare((loop, other))
    _, (answer,) = known(found)
    assert answer.edits
    assert found.certainty == "certain"


FIELD = ("    frame: int32\n", "    boost: float32\n    frame: int32\n")


def test_a_field_that_one_version_has_is_left_out_of_the_comparison(compare: Compare) -> None:
    found = compare(
        FIELD, ("    move(state)\n", "    state.boost += 0.5\n    move(state)\n"), EARLY
    )
    _, (answer,) = known(found)
    assert words(answer) == ["`0.5` became `0.625`"]
    assert (found.frame, found.certainty) == (0, "certain")
    assert found.fields[0].path == "x[0]"
    assert found.notes == ["not compared, for the states differ: state.boost, which only b has"]


def test_a_field_and_what_it_is_for_are_one_cause(compare: Compare) -> None:
    found = compare(
        FIELD,
        ("    move(state)\n", "    state.boost += 0.5\n    move(state)\n"),
        ("+ inputs[0].push", "+ inputs[0].push + state.boost"),
    )
    _, (answer,) = known(found)
    assert {edit.kind for edit in answer.edits} == {"field", "added", "expression"}
    assert (found.frame, found.certainty) == (1, "certain")


def test_fields_that_changed_their_names_or_order_are_compared(compare: Compare) -> None:
    found = compare(
        ("    frame: int32\n", ""),
        ("class State:\n", "class State:\n    time: int32\n"),
        ("state.frame += 1", "state.time += 1"),
        ("state.frame > 9", "state.time > 9"),
        EARLY,
    )
    _, (answer,) = known(found)
    assert words(answer) == ["`0.5` became `0.625`"]
    assert found.certainty == "certain"
    assert found.columns[0].path.startswith("x")


def test_versions_that_share_what_is_compared_are_the_same(compare: Compare) -> None:
    found = compare(FIELD)
    assert found.same
    assert found.notes == ["not compared, for the states differ: state.boost, which only b has"]


def test_a_search_without_time_is_not_certain(
    compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tell, "BUDGET", 0.0)
    found = compare(EARLY)
    assert found.edits is None
    assert found.certainty == "likely"
    assert any("not all sets of edits were tried in 0 s" in note for note in found.notes)


def test_loops_between_versions_end() -> None:
    import ast

    tree = ended(ast.parse("def f(x):\n    while x > 0:\n        x += 1\n    return x\n"))
    space: dict[str, Callable[[int], int]] = {}
    exec(compile(ast.fix_missing_locations(tree), "made", "exec"), space)
    assert space["f"](0) == 0
    with pytest.raises(AssertionError):
        space["f"](1)


def test_a_trap_at_the_same_place_with_another_value_is_another_outcome(compare: Compare) -> None:
    far = ("soft(state.x[i])", "soft(state.x[state.frame * 3 + i])")
    found = compare(far, ("state.frame += 1", "state.frame += 2"))
    _, answers = known(found)
    named = {word for answer in answers for word in words(answer)}
    assert "`1` became `2`" in named, "without it the index that traps is 4, not 6"
    assert len(named) == 2
