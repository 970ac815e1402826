"""A command is made alone, as it is among all."""

from __future__ import annotations

from typing import Any

import pytest
import typer

from samebits.cli import commands
from samebits.cli.application import application
from samebits.cli.chosen import chosen


def made(part: typer.Typer) -> Any:
    return typer.main.get_command(part)


WHOLE = made(application)
FACTS = (
    "name", "opts", "secondary_opts", "required", "default", "help", "metavar", "nargs", "multiple",
    "is_flag", "is_eager", "hidden",
)  # fmt: skip


def described(command: Any) -> object:
    """All that Typer knows of a command or group."""
    inner = getattr(command, "commands", {})
    return (
        command.name, command.help, command.epilog, command.context_settings, command.hidden,
        [[getattr(p, fact, None) for fact in FACTS] for p in command.params],
        [described(part) for part in inner.values()],
    )  # fmt: skip


@pytest.mark.parametrize("name", WHOLE.commands)
def test_a_command_alone_is_what_it_is_among_all(name: str) -> None:
    part = made(chosen(application, name))
    assert list(part.commands) == [name]
    assert described(part.commands[name]) == described(WHOLE.commands[name])
    assert described(part)[:-1] == described(WHOLE)[:-1]


@pytest.mark.parametrize("name", ["", "--help", "nonsense", "veriyf", "serve", "init"])
def test_without_one_of_that_name_all_are_made(name: str) -> None:
    assert chosen(application, name) is application


def test_the_application_keeps_all() -> None:
    chosen(application, "verify")
    assert list(made(application).commands) == list(WHOLE.commands)


def test_the_command_line_makes_what_its_first_word_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Any] = []
    given = typer.main.get_command
    monkeypatch.setattr(typer.main, "get_command", lambda part: asked.append(part) or given(part))
    commands._command.cache_clear()  # pyright: ignore[reportPrivateUsage]
    assert commands.app(["lint", "--nonsense"]) == 2
    (part,) = asked
    assert list(made(part).commands) == ["lint"]
