"""The part of a Typer application that one command line needs.

Typer makes every command of an application, all options included, before it reads the first word:
that takes as long as most commands. Knows no command.
"""

from __future__ import annotations

from copy import copy

import typer
from typer.main import get_command_name
from typer.models import CommandInfo, TyperInfo


def chosen(application: typer.Typer, name: str) -> typer.Typer:
    """The application with the command or group `name` alone; all of it if there is none, of which
    Typer says what is there."""
    part = _part(application, name)
    return part if part.registered_commands or part.registered_groups else application


def _part(application: typer.Typer, name: str) -> typer.Typer:
    part = copy(application)
    part.registered_commands = [c for c in application.registered_commands if _name(c) == name]
    part.registered_groups = []
    for group in application.registered_groups:
        inside = group.typer_instance
        if group.name == name:
            part.registered_groups.append(group)
        elif isinstance(group.name, str) or inside is None:
            continue
        else:  # a group without a name, whose commands are the application's
            some = _part(inside, name)
            if some.registered_commands or some.registered_groups:
                part.registered_groups.append(_holding(group, some))
    return part


def _holding(group: TyperInfo, part: typer.Typer) -> TyperInfo:
    made = copy(group)
    made.typer_instance = part
    return made


def _name(command: CommandInfo) -> str | None:
    """As Typer names it."""
    if command.name or command.callback is None:
        return command.name
    return get_command_name(command.callback.__name__)
