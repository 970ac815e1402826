"""The lines of source files as they were when kernels were compiled from them.

A file may be edited while the process runs, and whatever prints a traceback makes Python's own
`linecache` read it again: messages about a kernel show the text that was compiled.
"""

from __future__ import annotations

import linecache
from collections.abc import Sequence

_read: dict[str, Sequence[str]] = {}
"""Lines by file, as of the last kernel that was made from each."""


def remember_lines(file: str, lines: Sequence[str]) -> None:
    """Store the lines of a kernel's file; does nothing if it could not be read."""
    if lines:
        _read[file] = lines


def line_of(file: str, number: int) -> str:
    """Line `number`, from 1, with its line end; empty if there is none."""
    lines = _read.get(file)
    if lines is None:
        return linecache.getline(file, number)
    return lines[number - 1] if 0 < number <= len(lines) else ""
