"""Rich consoles that print text literally: no markup, no control sequences."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from samebits.cli.terminal import underlying
from samebits.visible import visible

WIDTH = 100
"""Columns of output that is not a terminal."""


class TextConsole(Console):
    """A console that escapes text itself, and so may write colours to the underlying stream."""

    def __init__(self, *, stderr: bool = False, width: int | None = None) -> None:
        stream = underlying(sys.stderr if stderr else sys.stdout)
        super().__init__(file=stream, width=width, highlight=False, markup=False, emoji=False)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=visible(segment.text))

    def on_broken_pipe(self) -> None:
        """Raise, as any other output does: Rich would end the command with status 1."""
        raise


def console() -> Console:
    """The console for tables: stdout, `WIDTH` columns wide unless it is a terminal."""
    found = TextConsole()
    return found if found.is_terminal else TextConsole(width=WIDTH)
