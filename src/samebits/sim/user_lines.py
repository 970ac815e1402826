"""The line of a user's own source that raised an error.

Owns which line of a traceback is the user's. Knows nothing of simulations.
"""

from __future__ import annotations

import importlib
import traceback
from collections.abc import Callable
from inspect import unwrap
from pathlib import Path
from typing import Any

from samebits.errors import Span
from samebits.source_lines import line_of

_PACKAGE = Path(__file__).parents[1]


def own_line(error: BaseException, path: Path | str | None) -> Span | None:
    """The innermost line of the traceback in `path`, or in any file of a user's without a path."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return _whole_line(error.filename, "<module>", error.lineno)
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        wanted = _is_a_users(frame.filename) if path is None else frame.filename == str(path)
        if frame.lineno and wanted:
            return _whole_line(frame.filename, frame.name, frame.lineno)
    return None


def line_in(function: Callable[..., Any], error: BaseException) -> Span | None:
    """The line of a user's function that failed; its first line if its result was unusable."""
    code = getattr(unwrap(function), "__code__", None)
    if code is None:  # a callable object
        return own_line(error, None)
    found = own_line(error, code.co_filename)
    return found or _whole_line(code.co_filename, code.co_name, code.co_firstlineno)


def ends_a_run(error: BaseException) -> bool:
    """Whether an error that a user's function raised is none of its own: an interrupt, or what
    samebits itself raises in a thread that is to stop."""
    is_ours = type(error).__module__.partition(".")[0] == __name__.partition(".")[0]
    return isinstance(error, KeyboardInterrupt) or (is_ours and not isinstance(error, Exception))


def _is_a_users(file: str) -> bool:
    library = file == importlib.__file__ or "<frozen" in file
    return not library and not Path(file).is_relative_to(_PACKAGE)


def _whole_line(file: str, function: str, line: int) -> Span:
    text = line_of(file, line).rstrip()
    start = len(text) - len(text.lstrip())
    return Span(file, function, line, start, line, max(len(text), start + 1))
