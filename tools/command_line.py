"""The writer of docs/reference/cli.md: every command, its arguments and options.

They are as `--help` has them.

python -m tools.command_line
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from samebits.cli import commands

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "cli.md"

HEAD = """\
# The command line

Made by `python -m tools.command_line` from what `samebits COMMAND --help` prints.

Every command ends with 0 where nothing differs, 1 where something does, 2 for bad usage or input,
and 130 after Ctrl-C; what else a status says stands with the command. `--json` gives the same facts
to programs. `--traceback`, anywhere among the options, shows the traceback of an unexpected error;
`--version` prints the version.
"""


def page() -> str:
    """The whole page."""
    root: Any = typer.main.get_command(commands.application)
    return "\n".join([HEAD, *_commands("samebits", root.commands)])


def _commands(prefix: str, group: dict[str, Any]) -> Iterator[str]:
    for name, command in group.items():
        if hasattr(command, "commands"):
            yield from _commands(f"{prefix} {name}", command.commands)
        else:
            yield from _command(f"{prefix} {name}", command)


def _command(name: str, command: Any) -> Iterator[str]:
    paragraphs = [" ".join(text.split()) for text in command.help.split("\n\n")]
    yield f"## `{name}`\n" + "\n\n".join(paragraphs) + "\n"
    rows = [f"| {_usage(it)} | {_text(it)} |" for it in command.params]
    yield "| argument | |\n|---|---|\n" + "\n".join(rows) + "\n"
    examples = re.findall(r"^- `(.*)`$", command.epilog, re.MULTILINE)
    yield "```sh\n" + "\n".join(examples) + "\n```\n"


def _usage(parameter: Any) -> str:
    """How a parameter is written."""
    metavar = (parameter.metavar or "").replace("|", "\\|")
    if parameter.param_type_name == "argument":
        return f"`{metavar}`"
    names = ", ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts))
    return f"{names} {metavar}".rstrip()


def _text(parameter: Any) -> str:
    """What a parameter means; its default, if there is one that says anything."""
    shown = parameter.help.replace("|", "\\|").removesuffix(".") + "."
    if parameter.required:
        return f"{shown} Required."
    default = parameter.default
    return shown if default in (None, False, "") else f"{shown} Default: {default}."


if __name__ == "__main__":
    PAGE.write_text(page())
