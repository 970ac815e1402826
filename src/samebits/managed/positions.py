"""Positions: from a traceback of a managed run to the kernel's span."""

from __future__ import annotations

import ast
from types import TracebackType

from samebits.errors import IS_OWN_CODE, Span, Trap
from samebits.frontend.core.source import Source

SOURCE = "__sb_source"
"""The global name of a managed function's Source. Code objects of different files may be equal."""


def located(trap: Trap, traceback: TracebackType | None) -> Trap:
    """The trap with the span of the innermost kernel operation on the traceback that is not in
    samebits' own code, or is if all are."""
    if trap.span is not None:
        return trap
    found: TracebackType | None = None
    while traceback is not None:
        is_kernel = SOURCE in traceback.tb_frame.f_globals
        if is_kernel and (found is None or _is_own_code(found) or not _is_own_code(traceback)):
            found = traceback
        traceback = traceback.tb_next
    return trap.at(found and _position(found.tb_frame.f_globals[SOURCE], found))


def _is_own_code(traceback: TracebackType) -> bool:
    """Whether a kernel's frame is of samebits' own code."""
    return bool(traceback.tb_frame.f_globals[IS_OWN_CODE])


def _position(source: Source, traceback: TracebackType) -> Span:
    positions = list(traceback.tb_frame.f_code.co_positions())
    line, end_line, column, end_column = positions[traceback.tb_lasti // 2]
    line = line or source.node.lineno
    place = (line, column or 0, end_line or line, end_column or 0)
    return source.span(_moved(source).get(place) or _at(place))


_Place = tuple[int, int, int, int]
"""The start and end of a piece of source: line and UTF-8 column, twice."""


def _at(place: _Place) -> ast.AST:
    line, column, end_line, end_column = place
    return ast.Pass(lineno=line, col_offset=column, end_lineno=end_line, end_col_offset=end_column)


def _moved(source: Source) -> dict[_Place, ast.expr]:
    """Attributes on a later line than their base, calls of them, and heads of loops, by CPython's
    place.

    CPython lets their instructions start at the attribute's name, for its tracebacks; 3.11 asks for
    the next item at the whole loop.
    """
    found: dict[_Place, ast.expr] = {}
    for node in ast.walk(source.node):
        if isinstance(node, ast.For):
            end = node.end_lineno or node.lineno, node.end_col_offset or 0
            found[node.lineno, node.col_offset, *end] = node.iter
        attribute = node.func if isinstance(node, ast.Call) else node
        if isinstance(attribute, ast.Attribute) and attribute.lineno != attribute.end_lineno:
            assert isinstance(node, ast.expr)
            line, end = attribute.end_lineno or 0, attribute.end_col_offset or 0
            start = end - len(attribute.attr.encode())
            for last in (node.end_col_offset or 0, end):
                found[line, start, node.end_lineno or 0, last] = node
    return found
