"""The lines of source files as they were when kernels were compiled from them.

A file may be edited while the process runs, and whatever prints a traceback makes Python's own
`linecache` read it again: messages about a kernel show the text that was compiled.
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Sequence

import numpy as np

_NUMBER = r"-?\d[\d_]*(?:\.[\d_]*)?(?:[eE][+-]?\d+)?"
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


def written_number(file: str, line: int, columns: tuple[int, int], value: float) -> str | None:
    """The digits of a float32 number as the source has them: of a literal there, or of the constant
    of its module that is named there. None where that is not seen, or says what `value` itself
    says: a literal is a float64 until it meets a float32, and C keeps it so without an f."""
    text = line_of(file, line)[columns[0] : columns[1]]
    if text.isidentifier():
        constant = re.compile(rf"{text}\s*(?::[^=]*)?=\s*({_NUMBER})\s*(?:#.*)?$")
        found = next(filter(None, map(constant.match, map(str.rstrip, _read.get(file, ())))), None)
        text = found[1] if found else ""
    if not re.fullmatch(_NUMBER, text):
        return None
    text = text.replace("_", "")
    number = float(text)
    with np.errstate(over="ignore"):
        is_it = float(np.float32(number)) == value
    return text if is_it and number != float(str(np.float32(value))) else None
