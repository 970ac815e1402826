"""The Typer application, and what the declarations of commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from samebits.cli.examples import examples

application = typer.Typer(
    name="samebits",
    help="The same bits on every machine: verify simulations, and find where and why runs differ.",
    epilog=examples(""),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)

Sim = Annotated[
    str, typer.Argument(metavar="SIM", help="path.py, path.py:Name or package.module:Name")
]
Players = Annotated[
    str | None, typer.Option(help="Without a REPLAY: who plays, a script of SIM or random.")
]
Seed = Annotated[int | None, typer.Option(help="Without a REPLAY: the seed; 1 if not given.")]
Html = Annotated[str | None, typer.Option(metavar="FILE", help="Write a self-contained HTML page.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def targets_option(help: str) -> Any:
    """`--targets A,B`, of commands that run on several."""
    return typer.Option("--targets", "--target", metavar="A,B", help=help)


class Parsed(BaseException):
    """The parsed command, to be run outside Typer, which turns interrupts, closed pipes and a
    script's `sys.exit` into statuses of its own. Not an Exception, which Typer takes for an error.
    """

    def __init__(self, command: Callable[[], int]) -> None:
        super().__init__()
        self.command = command


def finish(command: Callable[[], int]) -> None:
    """End parsing and hand over the command to run."""
    raise Parsed(command)
