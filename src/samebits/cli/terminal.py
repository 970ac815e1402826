"""What reaches the terminal: text alone, whatever is in file names, sources, replays and reports.

Owns the one place that all printing of the command line goes through: while a command runs,
`sys.stdout` and `sys.stderr` show control characters, and those that turn the direction of text,
as escapes. What has colours on purpose escapes its own text and writes to the stream behind.
"""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from io import TextIOBase
from itertools import pairwise
from typing import Any, TextIO, cast

from samebits.visible import visible

_COLOUR = re.compile(r"\x1b\[(?:[0-4]|3[1-7]|39|9[1-6])?(?:;(?:[0-4]|3[1-7]|39|9[1-6]))*m")


class EscapedStream:
    """A stream that shows what is written to it; all else is the stream's own."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.keeps_colours = False

    def write(self, text: str) -> int:
        if self.keeps_colours:
            ends = [match.span() for match in _COLOUR.finditer(text)]
            borders = [0, *(place for span in ends for place in span), len(text)]
            pieces = [text[a:b] for a, b in pairwise(borders)]
            shown = [piece if n % 2 else visible(piece) for n, piece in enumerate(pieces)]
            self.stream.write("".join(shown))
        else:
            self.stream.write(visible(text))
        return len(text)

    def close(self) -> None:
        """Nothing: a script that closes its output leaves this process its own."""

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


class _Closed(TextIOBase):
    """In the place of a stream that the process was started without: what is written is lost,
    which is told."""

    def write(self, s: str) -> int:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


@contextmanager
def escaping() -> Generator[None]:
    """Standard output and error show what is written to them while the block runs."""
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
    """Whether plain colours go through while the block runs: what parses the command line has
    some of its own."""
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
    """The stream itself, for what escapes its own text; one that fails where there is none."""
    return (
        stream.stream if isinstance(stream, EscapedStream) else stream or cast("TextIO", _Closed())
    )


def write_coloured(render: Callable[[Callable[[str], str]], str]) -> None:
    """Print what `render` makes; it is given what turns a colour's number into its beginning.

    Only colours that were asked for in this way reach the terminal.
    """
    mark = os.urandom(8).hex()
    text = render(lambda number: f"{mark}[{number}m")
    underlying(sys.stdout).write(visible(text).replace(mark, "\x1b") + "\n")
