"""The reference of the command line is what the command line has."""

from __future__ import annotations

from tools import command_line


def test_the_page_is_what_the_tool_makes() -> None:
    made = command_line.page()
    assert made.count("\n## ") >= 11
    assert command_line.PAGE.read_text() == made, "run: python -m tools.command_line"


def test_every_argument_has_a_name_and_no_default_is_nothing() -> None:
    made = command_line.page()
    assert "| `` |" not in made
    assert "Default: . |" not in made
