"""Where a function was defined: its `def` line and its file's text, without parsing it."""

from __future__ import annotations

import linecache
from types import FunctionType

from samebits.errors import Span


def definition_span(function: FunctionType) -> Span:
    """The `def` line, found without parsing the file."""
    code = function.__code__
    line = code.co_firstlineno
    for number in range(line, line + 50):
        text = linecache.getline(code.co_filename, number)
        if text.lstrip().startswith(("def ", "async def ")):
            start = len(text) - len(text.lstrip())
            end = len(text.rstrip())
            return Span(code.co_filename, function.__qualname__, number, start, number, end)
    return Span(code.co_filename, function.__qualname__, line, 0, line, 1)


def lines_now(function: FunctionType) -> list[str]:
    """The file's text while it is what the function was made from: it may be edited later."""
    file = function.__code__.co_filename
    linecache.checkcache(file)
    return linecache.getlines(file, function.__globals__)
