"""A function's source: its syntax tree, and the span of each node in it."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from samebits.compiling import lock
from samebits.errors import CompileError, Span

FunctionNode = ast.FunctionDef

syntax = lock
"""Lock around `ast.parse` and `compile` of a tree: CPython 3.11 counts their depth in one place for
all threads, and raises SystemError when two overlap."""


@dataclass(frozen=True)
class Source:
    """The definition of one function and the file that it stands in."""

    file: str
    function: str
    node: FunctionNode
    lines: tuple[str, ...] = field(repr=False)

    def span(self, node: ast.AST) -> Span:
        """The span of a node that has a position."""
        line: int = getattr(node, "lineno", self.node.lineno)
        end_line: int = getattr(node, "end_lineno", None) or line
        start: int = getattr(node, "col_offset", 0)
        end: int = getattr(node, "end_col_offset", None) or start + 1
        lines = self.lines
        if not (0 < line <= end_line <= len(lines) and lines[line - 1].isascii()) or (
            end_line != line and not lines[end_line - 1].isascii()
        ):
            start, end = self._characters(line, start), self._characters(end_line, end)
        return Span(self.file, self.function, line, start, end_line, end)

    def _characters(self, line: int, utf8: int) -> int:
        """Column in characters from `ast`'s column in UTF-8 bytes."""
        if not 1 <= line <= len(self.lines):
            return utf8
        text = self.lines[line - 1]
        return utf8 if text.isascii() else len(text.encode()[:utf8].decode(errors="replace"))

    def text(self, node: ast.AST) -> str:
        """One-line source of a node, for use in a fix."""
        try:
            return ast.unparse(node)
        except ValueError:  # CPython refuses to write very long ints
            return "..."


def blank(node: ast.AST) -> Any:
    """A node of the same class without any part, for a copy to fill: calling the class warns from
    Python 3.13 on where a part is missing, and raises from 3.15 on."""
    return type(node).__new__(type(node))


def copied_items(node: ast.Assign) -> list[ast.expr]:
    """The parts of the tuple that `node` assigns which go into memory: those are copied first."""
    pairs = _pairs(node)
    return [value for part, value in pairs if isinstance(part, ast.Attribute | ast.Subscript)]


def named_items(node: ast.Assign) -> list[ast.expr]:
    """The parts of the tuple that `node` assigns which get a name while others go into memory: of
    them structs are copied first, and views stay what they view."""
    pairs = _pairs(node)
    if all(isinstance(part, ast.Name) for part, _ in pairs):
        return []
    return [
        value for part, value in pairs if isinstance(part, ast.Name) and isinstance(value, _PLACES)
    ]


def given_names(node: ast.Assign) -> dict[ast.expr, str]:
    """The parts of the tuple that `node` assigns, with the names that they get, where it assigns to
    names alone."""
    pairs = _pairs(node)
    names = {value: part.id for part, value in pairs if isinstance(part, ast.Name)}
    return names if len(names) == len(pairs) else {}


def _pairs(node: ast.Assign) -> list[tuple[ast.expr, ast.expr]]:
    """The parts of a tuple that is unpacked where it is written, and what they are assigned to."""
    if len(node.targets) != 1 or not isinstance(node.value, ast.Tuple):
        return []
    (target,) = node.targets
    if not isinstance(target, ast.Tuple | ast.List) or len(target.elts) != len(node.value.elts):
        return []
    return list(zip(target.elts, node.value.elts, strict=True))


_PLACES = (ast.Name, ast.Attribute, ast.Subscript)
"""Expressions that a struct in memory can be; that of a call is new."""


_MANY_CALLS = 16
"""More of them inside one another than a statement's own parts are likely to have to do with it."""


def too_deep(span: Span, calls: int = 1) -> CompileError:
    """The error of a statement that exhausts Python's stack, in a kernel `calls` calls deep."""
    if calls >= _MANY_CALLS:
        return CompileError(
            f"kernels call one another too deep: this is {calls} calls down",
            span=span,
            fix="write some of the kernels out where they are called",
        )
    return CompileError(
        "this statement has too many parts inside one another",
        span=span,
        note="a chain such as `a + b + ...` of some hundred operands nests as deep",
        fix="split it: keep partial results in names",
    )
