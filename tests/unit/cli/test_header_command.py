"""`samebits header`, and the commands that read what it records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.command_line import Run, refused
from tests.support.foreign_records import HEAD, begin, done, run_record

from samebits.cli import status
from samebits.foreign.recorder_sources import RECORDERS, recorder_source


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command line in a folder of its own: status, stdout, stderr."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> tuple[int, str, str]:
        code = status([str(a) for a in arguments])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def recorded(name: str, other: int | None = None) -> None:
    """A record of 30 frames in this folder; the state after one of them is another."""
    records = [run_record([(0, "x", "i32")]), begin(-1), done(-1, bytes(4))]
    for n in range(30):
        records += [begin(n), done(n, (n + (n == other)).to_bytes(4, "little"))]
    Path(name).write_bytes(HEAD + b"".join(records))


@pytest.mark.parametrize("language", RECORDERS)
def test_a_recorder_is_printed_or_written(language: str, run: Run) -> None:
    text = recorder_source(language)
    assert run("header", "--lang", language) == (0, text, "")
    name = RECORDERS[language].file
    assert run("header", "--lang", language, "-o", ".")[0] == 0
    assert Path(name).read_text() == text
    assert refused(run, "header", "--lang", language, "-o", name).startswith(
        f"{name} exists already"
    )
    assert run("header", "--lang", language, "-o", name, "--force")[0] == 0


def test_no_force_replaces_a_file_of_another_kind(run: Run) -> None:
    Path("ball.py").write_text("import samebits as sb\n")
    said = refused(run, "header", "-o", "ball.py", "--force")
    assert said.startswith("ball.py exists already and is no recorder of samebits")
    assert Path("ball.py").read_text() == "import samebits as sb\n"


def test_an_unknown_language_is_refused_with_those_there_are(run: Run) -> None:
    said = refused(run, "header", "--lang", "cobol")
    assert said.splitlines() == [
        "there is no recorder for 'cobol'", f"  fix: write one of {', '.join(RECORDERS)}",
    ]  # fmt: skip


def test_two_records_are_diagnosed(run: Run) -> None:
    recorded("a.sbt")
    recorded("b.sbt", other=17)
    code, out, _ = run("diagnose", "a.sbt", "b.sbt", "--json")
    found = json.loads(out)
    assert (code, found["frame"], found["fields"][0]["path"]) == (1, 17, "x")
    assert found["answer"] == "frame 17 · x · cause unknown"
    assert found["causes"] == []
    assert run("diagnose", "a.sbt", "a.sbt")[0] == 0


def test_a_record_and_a_report_of_one_are_diagnosed(run: Run) -> None:
    recorded("a.sbt")
    recorded("b.sbt", other=17)
    assert run("report", "--from", "b.sbt", "--frames", "15:20", "-o", "b.desync")[0] == 0
    code, out, _ = run("diagnose", "a.sbt", "b.desync")
    assert code == 1
    assert out.startswith("frame 17 · x · cause unknown\n")
    code, out, _ = run("report", "--show", "b.desync")
    assert code == 0
    assert "states before frames 15-20" in out


def test_a_report_takes_its_name_of_the_recorded_run(run: Run) -> None:
    recorded("a.sbt")
    code, out, err = run("report", "--from", "a.sbt")
    assert code == 0
    assert out.startswith("toy.desync: toy 1, 30 frames, 31 states, ")
    assert err == "a.sbt stops after frame 29: the program did not close it\n"


def test_what_does_not_go_with_a_record_is_refused(run: Run) -> None:
    recorded("a.sbt")
    said = refused(run, "report", "--from", "a.sbt", "--trace", "3")
    assert said.startswith("--from does not go with trace")
    assert refused(run, "report", "--from", "none.sbt").startswith("cannot read none.sbt")
    assert refused(run, "diagnose", "none.sbt", "a.sbt").startswith("cannot read none.sbt")
