"""The command: what it reads, prints and ends with, for good input and bad."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from samebits.cli import status

HAZARD = "import time\nstarted = time.time()\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_text_has_the_place_the_line_the_reason_and_the_remedy(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder / "game.py", HAZARD)
    assert status(["lint", "game.py"]) == 1
    assert capsys.readouterr().out == (
        "game.py:2:11: SB501 wall-clock: `time.time` reads a clock\n"
        "  2 | started = time.time()\n"
        "    |           ^^^^^^^^^^^\n"
        "  why: no two runs read the same time: a step that depends on it can't be replayed\n"
        "  instead: count frames, and pass a fixed `dt`; read clocks only to decide when to step\n"
        "1 hazard in 1 file\n"
    )


def test_a_folder_is_gone_through_in_order_without_what_is_not_its_own(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("b.py", "a.py", "pkg/c.py", ".hidden/d.py", "env/e.py", "build/f.py", "g.txt"):
        write(folder / name, HAZARD)
    write(folder / "env/pyvenv.cfg", "")
    assert status(["lint", ".", "./a.py", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [f["path"] for f in found["findings"]] == ["a.py", "b.py", "pkg/c.py"]
    assert (found["files"], found["lines"]) == (3, 9)


UNSURE = "def total(xs: list[float]) -> float:\n    return sum(xs)\n"


def test_findings_say_how_sure_they_are_and_the_least_can_be_chosen(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder / "game.py", HAZARD + UNSURE)
    assert status(["lint", "game.py"]) == 1
    assert "SB201 builtin-sum: `sum` adds floats (medium confidence)" in capsys.readouterr().out
    for least, expected in (("low", 2), ("medium", 2), ("high", 1)):
        assert status(["lint", "game.py", "--json", "--min-confidence", least]) == 1
        found = json.loads(capsys.readouterr().out)["findings"]
        assert [f["confidence"] for f in found] == ["high", "medium"][:expected]
    write(folder / "unsure.py", UNSURE)
    assert status(["lint", "unsure.py", "--min-confidence", "high"]) == 0
    assert status(["lint", "unsure.py", "--min-confidence", "sure"]) == 2
    assert "'low', 'medium', 'high'" in capsys.readouterr().err


def test_clean_code_ends_with_0(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder / "a.py", "x = 1\n")
    assert status(["lint", "a.py"]) == 0
    assert capsys.readouterr().out == "no hazards in 1 file\n"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("def f(:\n", "line 1: invalid syntax"),
        (b"x = '\xff'\n", "its encoding can't be read"),
        ("# coding: nonsense\n", "its encoding can't be read"),
        (b"x = 1\0\n", "null bytes"),
        ("x = " + "(" * 5000 + ")" * 5000, "too many nested parentheses"),
        ("x = " + "-" * 100_000 + "1", "nested too deeply"),
        ("x" + ".a" * 20_000, "nested too deeply"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_and_the_others_are_checked(
    folder: Path, capsys: pytest.CaptureFixture[str], text: str | bytes, error: str
) -> None:
    write(folder / "bad.py", text)
    write(folder / "good.py", HAZARD)
    assert status(["lint", "."]) == 2
    out = capsys.readouterr().out
    assert "bad.py: not checked: " in out
    assert error in out
    assert "line None" not in out
    assert "good.py:2:11: SB501" in out
    assert out.endswith("1 hazard in 1 file, 1 not checked\n")


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_links_in_a_circle_end(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder / "pkg/a.py", HAZARD)
    os.symlink(folder / "pkg", folder / "pkg/again")
    os.symlink(folder / "pkg/a.py", folder / "b.py")
    assert status(["lint", "."]) == 1
    assert "1 hazard in 1 file" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.py"], "there is no file or folder nowhere.py"),
        ([], "no file or folder is given"),
        (["."], "there is no Python or Lua file in ."),
        ([".", "--select", "SB9"], "there is no rule SB9"),
        ([".", "--format", "xml"], "Invalid value for '--format'"),
    ],
)
def test_bad_usage_ends_with_2(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert status(["lint", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_rules_are_chosen_by_the_beginning_of_their_codes(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder / "a.py", HAZARD + "import math\ny = math.sin(1.0)\n")
    assert status(["lint", "a.py", "--select", "sb2"]) == 1
    assert "SB501" not in capsys.readouterr().out
    assert status(["lint", "a.py", "--ignore", "SB2,SB501"]) == 0


def test_sarif_names_its_rules_and_relative_places(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder / "my game.py", HAZARD)
    assert status(["lint", str(folder), "--format", "sarif"]) == 1
    log: Any = json.loads(capsys.readouterr().out)
    (run,) = log["runs"]
    (result,) = run["results"]
    rules = run["tool"]["driver"]["rules"]
    assert log["version"] == "2.1.0"
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == "SB501"
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "my%20game.py"
    assert place["region"] == {"startLine": 2, "startColumn": 11, "endLine": 2, "endColumn": 22}


def test_nothing_that_is_checked_is_run(folder: Path) -> None:
    write(folder / "a.py", "open('ran', 'w').close()\nraise SystemExit(3)\n")
    assert status(["lint", "a.py", "--ignore", "SB6"]) == 0
    assert not (folder / "ran").exists()
