"""`make prove-diagnose`: cases come again by number, answers are known, and wrong ones show."""

from __future__ import annotations

import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from tools.prove_diagnose import edits, injections, judge, ledger, report, versions
from tools.prove_diagnose.case import Case
from tools.prove_diagnose.draw import draw, hazard_of
from tools.prove_diagnose.entry import Entry
from tools.prove_diagnose.foreign import report as foreign_report
from tools.prove_diagnose.foreign.judge import Verdict
from tools.prove_diagnose.injected_side import sides
from tools.prove_diagnose.injections import Injection
from tools.prove_diagnose.subjects import SUBJECTS
from tools.prove_diagnose.truth import Truth, inputs_of, known, native

from samebits.diagnosis.report.findings import Diagnosis, OperationFact
from samebits.diagnosis.report.findings import Place as Source
from samebits.ir.refs import OpRef, statement_at, what
from samebits.sides.run import open_run

SWARM = SUBJECTS["swarm"]
KERNELS = SWARM.simulation().program.kernels
NARROW = OpRef("parallel_simulation.advance", 34)
CASE = Case(0, "swarm", "pull", 3, 60, "narrower", Injection("narrower", NARROW, 0), start=20)


@pytest.fixture(scope="module")
def truth() -> Truth:
    found = known(CASE)
    assert found is not None
    return found


def test_a_case_comes_again_by_its_number() -> None:
    for number in (0, 17, 60):
        assert draw(number, 5, 2) == draw(number, 5, 2)
    assert draw(0, 5, 0) != draw(0, 6, 0)
    assert draw(0, 5, 0) != draw(0, 5, 1)


def test_every_hazard_comes_as_often_as_every_other() -> None:
    count = len(injections.NAMES)
    assert set(Counter(hazard_of(n, 1) for n in range(3 * count)).values()) == {3}


def test_a_case_is_stored_whole(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    text = edits.edits(SWARM.path, edits.CONSTANT)[0]
    cases = [CASE, Case(1, "swarm", "pull", 3, 60, edits.CONSTANT, edit=text)]
    entries = [Entry(case, frame=20, verdict=judge.Verdict(named="fma")) for case in cases]
    ledger.write({(1, e.case.number): e for e in entries}, file)
    assert list(ledger.read(file).values()) == entries


def test_the_answer_is_where_states_first_differ(truth: Truth) -> None:
    assert truth.frame >= 20
    seed, inputs = inputs_of(CASE)
    program = SWARM.simulation().program
    plain = native(program)
    plain.start(seed)
    plain.advance(inputs[: truth.frame])
    assert plain.save() == truth.before
    assert CASE.injected is not None
    injected = native(CASE.injected.program(program))
    injected.restore(truth.before)
    a, b = (e.advance(inputs[truth.frame :]).hashes for e in (plain, injected))
    assert a[0] != b[0]
    assert (b == truth.hashes).all()
    statement = statement_at(KERNELS, NARROW)
    (answer,) = truth.answers
    assert (answer.line, answer.opcode) == (statement.span.line, what(statement))
    assert all(path.startswith(("birds[", "energy")) for path in truth.fields)


def test_what_changes_no_state_has_no_answer() -> None:
    unused = Case(0, "swarm", "pull", 3, 4, "narrower", CASE.injected, start=4)
    assert known(unused) is None


def test_noise_is_drawn_anew_in_each_run_of_a_side() -> None:
    place = injections.places_of(KERNELS, "host")[-1]
    case = Case(0, "swarm", "pull", 3, 9, "host", Injection("host", place, 0, 1, True))
    seed, inputs = inputs_of(case)
    hashes: list[bytes] = []
    with sides(case) as (_, side):
        for _ in range(2):
            run = open_run(side)
            run.start(seed)
            hashes.append(run.advance(inputs).hashes.tobytes())
    assert hashes[0] != hashes[1]


def test_an_edit_changes_one_place_of_the_text(tmp_path: Path) -> None:
    for hazard in (edits.CONSTANT, edits.OPERATION):
        for n, edit in enumerate(edits.edits(SWARM.path, hazard)[:3]):
            moved = replace(edit, moved=n)
            path = edits.written(moved, SWARM.path, tmp_path / f"{hazard}{n}")
            old, new = (p.read_text().split("\n") for p in (SWARM.path, path))
            assert len(new) == len(old) + n
            del new[edit.top - 1 : edit.top - 1 + n]
            changed = [i + 1 for i, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
            assert changed == [edit.line]


def _diagnosis(truth: Truth, line: int = 0, certainty: str = "likely") -> Diagnosis:
    answer = truth.answers[0]
    assert answer.line is not None
    assert answer.column is not None
    place = Source(answer.file, answer.line + line, answer.column, 9, "", "")
    return Diagnosis(
        simulation="swarm", version="1", seed=3, a="", b="", frames=60, frame=truth.frame,
        differing=len(truth.fields), certainty=certainty,
        operation=OperationFact(
            "result", answer.opcode, place, (), (), (), None, None, None, ""
        ),
    )  # fmt: skip


def test_a_wrong_line_shows_and_is_false_where_it_is_certain(truth: Truth) -> None:
    right = judge.compared(_diagnosis(truth), CASE, truth)
    assert (right.frame, right.line, right.operation, right.cause) == (True, True, True, False)
    wrong = judge.compared(_diagnosis(truth, line=1, certainty="certain"), CASE, truth)
    assert (wrong.line, wrong.operation, wrong.falsely_certain) == (False, False, True)
    text = report.section([Entry(CASE, verdict=wrong)], 1, "code", None)
    assert "| wrong, but stated as certain | 1 | 0 |" in text
    assert "| line | 0 of 1, 0.0 % | 99 % |" in text
    assert not report.kept([Entry(CASE, verdict=wrong)])


def test_the_section_takes_its_own_place_on_the_page(tmp_path: Path) -> None:
    page = tmp_path / "diagnose.md"
    page.write_text("# Page\n\nBefore.\n")
    report.into(page, "first")
    page.write_text(page.read_text() + "\nAfter.\n")
    report.into(page, "second")
    text = page.read_text()
    assert text.startswith("# Page\n\nBefore.\n")
    assert text.endswith("After.\n")
    assert "first" not in text
    assert text.count("second") == 1


def test_pages_tell_which_commits_were_judged() -> None:
    def rows(*names: str) -> list[Verdict]:
        return [Verdict(n, "arena", "", "", version=name) for n, name in enumerate(names)]

    assert versions.told(rows("abc", "abc")) == ", commit abc"
    assert versions.told(rows("abc", "de", "abc")) == "; commits: abc in 2, de in 1 cases"
    assert versions.told(rows("", "")) == ""
    assert versions.told(rows("abc", "")) == "; commits: abc in 1 cases"
    assert "(seed 7, commit abc)" in foreign_report.section(rows("abc"), 7)


def test_a_folder_is_of_the_commit_that_git_tells(tmp_path: Path) -> None:
    assert versions.commit(tmp_path) == ""
    for words in ("init -q", "-c user.name=a -c user.email=b commit -q --allow-empty -m c"):
        subprocess.run(["git", "-C", str(tmp_path), *words.split()], check=True)
    assert len(versions.commit(tmp_path)) == 8
