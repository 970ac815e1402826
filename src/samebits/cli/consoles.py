"""Rich's consoles for this command line: text is no markup, and nothing in it is a command."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from samebits.cli.terminal import underlying
from samebits.visible import visible

WIDTH = 100
"""Columns where the output is no terminal."""


class TextConsole(Console):
    """Escapes text itself, and may therefore write colours to the stream behind."""

    def __init__(self, *, stderr: bool = False, width: int | None = None) -> None:
        stream = underlying(sys.stderr if stderr else sys.stdout)
        super().__init__(file=stream, width=width, highlight=False, markup=False, emoji=False)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=visible(segment.text))

    def on_broken_pipe(self) -> None:
        """The command ends as where anything else writes: Rich would have it end with 1."""
        raise


def console() -> Console:
    """Where tables go: stdout, `WIDTH` columns wide where it is no terminal."""
    found = TextConsole()
    return found if found.is_terminal else TextConsole(width=WIDTH)


def progress_console() -> Console:
    """Where it is said how far things are: stderr."""
    return TextConsole(stderr=True)
