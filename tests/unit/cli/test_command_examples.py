"""The examples below each command's help: they are shown, and they are commands."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from samebits.cli import status
from samebits.cli.examples import EXAMPLES


@pytest.mark.parametrize("command", EXAMPLES)
def test_help_shows_each_example_on_a_line_of_its_own(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    assert status([*command.split(), "--help"]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    for example in EXAMPLES[command]:
        assert f"• samebits {example}" in lines


@pytest.mark.parametrize("example", [each for rows in EXAMPLES.values() for each in rows])
def test_an_example_is_a_command_that_is_understood(
    example: str, capsys: pytest.CaptureFixture[str], tmp_path: object,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    from samebits.cli.application import Parsed

    def keep_nothing(parsed: Parsed, command: object) -> None:
        """Takes the command's place, so that it isn't run."""
        parsed.command = lambda: 0

    monkeypatch.setattr(Parsed, "__init__", keep_nothing)
    assert status(shlex.split(example)) == 0, capsys.readouterr().err


@pytest.mark.parametrize("example", EXAMPLES["explain"])
def test_the_examples_of_explain_are_explained(
    example: str, capsys: pytest.CaptureFixture[str], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("rows.csv").write_text("a,b,c,got\n0.1,0.1,-0.01,0x300f5c29\n1,2,3,5\n")
    assert status(shlex.split(example)) == 0
    assert "\ngives the" in capsys.readouterr().out
