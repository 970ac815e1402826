"""The lines of source files as they were when kernels were made of them.

A file may be edited while the process runs, and Python's own `linecache` is made to read it again
by whatever prints a traceback: what is shown of a kernel is the text that was compiled.
"""

from __future__ import annotations

import linecache
from collections.abc import Sequence

_read: dict[str, Sequence[str]] = {}
"""Of files with kernels, as of the last kernel that was made of each."""


def remember_lines(file: str, lines: Sequence[str]) -> None:
    """Note what a kernel was made from; nothing where it could not be read."""
    if lines:
        _read[file] = lines


def line_of(file: str, number: int) -> str:
    """A line, from 1, with its end; empty where there is none."""
    lines = _read.get(file)
    if lines is None:
        return linecache.getline(file, number)
    return lines[number - 1] if 0 < number <= len(lines) else ""
