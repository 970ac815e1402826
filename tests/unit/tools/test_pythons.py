"""Which Pythons `make test-pythons` takes."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest
from tools import pythons


@pytest.mark.skipif(sys.platform == "win32", reason="a script stands in for a program")
def test_a_name_that_starts_no_python_is_left_out_and_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shim = tmp_path / "python3.12"
    shim.write_text("#!/bin/sh\nexit 127\n")
    shim.chmod(0o755)
    found = pythons.rows([str(shim), sys.executable])
    assert {row.python for row in found} == {sys.executable}
    assert [row.numpy for row in found] == [None, found[1].numpy]
    assert str(shim) in capsys.readouterr().err
    assert pythons.rows([str(shim)]) == []


def test_an_interpreter_that_was_asked_for_has_to_start(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ["pythons", "--python", "/nonexistent/python3", sys.executable]
    monkeypatch.setattr(sys, "argv", asked)
    assert pythons.main() == 2


def test_every_python_gets_the_extras_that_the_tests_have_here(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    commands: list[list[str]] = []

    def run(command: list[object], **_: object) -> SimpleNamespace:
        commands.append([str(word) for word in command])
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(pythons, "FOLDER", tmp_path)
    assert pythons.run(pythons.Row(sys.executable, "3.11.0"), ["tests/unit/ir"])
    install = next(command for command in commands if "install" in command)
    assert "--only-binary=numpy" in install
    wanted = next(word for word in install if word.startswith(".["))
    with (pythons.ROOT / "pyproject.toml").open("rb") as file:
        known = tomllib.load(file)["project"]["optional-dependencies"]
    assert {"test", "net", "foreign"} <= {*wanted[2:-1].split(",")} <= known.keys()
    assert f'"{wanted}"' in (pythons.ROOT / "Makefile").read_text()
