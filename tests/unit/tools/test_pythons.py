"""Which Pythons `make test-pythons` takes."""

from __future__ import annotations

import sys
from pathlib import Path

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
