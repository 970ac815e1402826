"""The definition of a function: its `def` line, parameters and text, without parsing its file."""

from __future__ import annotations

import inspect
import linecache
import re
import sys
from collections.abc import Iterator, Sequence
from operator import itemgetter
from types import CodeType, FunctionType
from typing import NamedTuple

from samebits.errors import Span
from samebits.source_lines import line_of

UNWRITTEN = inspect.Parameter.empty
"""Marks a parameter without annotation or without default."""
_MARKED = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


class Written(NamedTuple):
    """A parameter as it was written. `is_plain`: without `*` and not before a `/`; `by_name`: given
    by name alone."""

    name: str
    is_plain: bool
    by_name: bool
    annotation: object
    default: object


def written(function: FunctionType) -> list[Written]:
    """The parameters of a function, as by `inspect.signature`."""
    code = function.__code__
    unusual = code.co_kwonlyargcount or code.co_posonlyargcount or code.co_flags & _MARKED
    if unusual or vars(function):
        plain, named = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
        parameters = inspect.signature(function).parameters.values()
        return [
            Written(p.name, p.kind in (plain, named), p.kind is named, p.annotation, p.default)
            for p in parameters
        ]
    # This way takes a twentieth of the time, and the math library alone has hundreds of kernels.
    names = code.co_varnames[: code.co_argcount]
    defaults = function.__defaults__ or ()
    values = (*(UNWRITTEN,) * (len(names) - len(defaults)), *defaults)
    annotations = function.__annotations__
    return [
        Written(name, True, False, annotations.get(name, UNWRITTEN), value)
        for name, value in zip(names, values, strict=True)
    ]


def definition_span(function: FunctionType) -> Span:
    """The `def` line, found without parsing the file."""
    code = function.__code__
    line = code.co_firstlineno
    for number in range(line, line + 50):
        text = line_of(code.co_filename, number)
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


def own_lines(code: CodeType, lines: Sequence[str]) -> Sequence[str]:
    """The lines of a function, decorators included, among those of its file: they end before the
    first line that is indented no further and comes after all of its code."""
    first = code.co_firstlineno - 1
    margin = _indentation(lines[first]) if first < len(lines) else 0
    for number in range(max(first, _last_line(code)), len(lines)):
        line = lines[number]
        if line.strip() and _indentation(line) <= margin:
            return lines[first:number]
    return lines[first:]


_IS_KNOWN = sys.implementation.name == "cpython" and sys.version_info < (3, 16)
_ENTRIES = re.compile(rb"[\xd8-\xf7][\x00-\x7f]*")
"""The entries of CPython's table of locations that may be on another line than those before them:
see its Objects/locations.md. Of their bytes the first alone has its highest bit."""
_ONE_LINE, _NO_COLUMNS, _LONG = 10, 13, 14


def _last_line(code: CodeType) -> int:
    """The last line that has code; 0 if none has."""
    if not _IS_KNOWN:
        ends: Iterator[int | None] = map(itemgetter(1), code.co_positions())
        return max(filter(None, ends), default=0)
    # This way takes a quarter of the time, and a program may have hundreds of kernels.
    line = last = code.co_firstlineno
    for entry in _ENTRIES.findall(code.co_linetable):
        kind = entry[0] >> 3 & 15
        if kind < _NO_COLUMNS:
            line += kind - _ONE_LINE
            last = max(last, line)
            continue
        number, at = _number(entry, 1)
        line += -(number >> 1) if number & 1 else number >> 1
        more = _number(entry, at)[0] if kind == _LONG else 0
        last = max(last, line + more)
    return last


def _number(entry: bytes, at: int) -> tuple[int, int]:
    """The number at a place in an entry, six bits a byte, lowest first; and the place after it."""
    number = shift = 0
    while entry[at] & 64:
        number |= (entry[at] & 63) << shift
        shift += 6
        at += 1
    return number | (entry[at] & 63) << shift, at + 1


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())
