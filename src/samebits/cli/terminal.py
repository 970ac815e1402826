"""Output without control sequences, so that no file or source controls the terminal.

Owns the one place that all printing of the command line goes through: while a command runs,
`sys.stdout` and `sys.stderr` print control and bidirectional characters as escapes. Coloured output
escapes its own text and writes to the underlying stream.
"""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from io import TextIOBase
from typing import Any, TextIO, cast

from samebits.visible import visible

_COLOUR = re.compile(r"(\x1b\[(?:[0-4]|3[1-7]|39|9[1-6])?(?:;(?:[0-4]|3[1-7]|39|9[1-6]))*m)")


class EscapedStream:
    """A stream that writes text escaped, and passes everything else on."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.keeps_colours = False

    def write(self, text: str) -> int:
        if self.keeps_colours:
            pieces = _COLOUR.split(text)  # every other one is a colour
            shown = [piece if n % 2 else visible(piece) for n, piece in enumerate(pieces)]
            self.stream.write("".join(shown))
        else:
            self.stream.write(visible(text))
        return len(text)

    def close(self) -> None:
        """Do nothing: a script that closes its output does not close this process's."""

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


class _Closed(TextIOBase):
    """Stands for a stream that the process was started without: writing raises OSError."""

    def write(self, s: str) -> int:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


@contextmanager
def escaping() -> Generator[None]:
    """Standard output and error write escaped text while the block runs."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (
        cast("TextIO", EscapedStream(underlying(stream))) for stream in before
    )
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


@contextmanager
def colours(kept: bool = True) -> Generator[None]:
    """Let plain colours through while the block runs: Typer prints its help in colours."""
    streams = [stream for stream in (sys.stdout, sys.stderr) if isinstance(stream, EscapedStream)]
    before = [stream.keeps_colours for stream in streams]
    for stream in streams:
        stream.keeps_colours = kept
    try:
        yield
    finally:
        for stream, kept_before in zip(streams, before, strict=True):
            stream.keeps_colours = kept_before


def underlying(stream: TextIO | None) -> TextIO:
    """The stream itself, for text that is escaped already; one that fails if there is none."""
    return (
        stream.stream if isinstance(stream, EscapedStream) else stream or cast("TextIO", _Closed())
    )


def write_coloured(render: Callable[[Callable[[str], str]], str]) -> None:
    """Print what `render` returns; its argument turns a colour's number into the start of it.

    No other escape sequence reaches the terminal.
    """
    mark = os.urandom(8).hex()
    text = render(lambda number: f"{mark}[{number}m")
    underlying(sys.stdout).write(visible(text).replace(mark, "\x1b") + "\n")
