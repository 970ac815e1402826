"""Where a kernel's text comes from: its syntax tree, and the span of each node in it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from types import CodeType
from typing import Any, cast

from samebits.compiling import lock
from samebits.errors import CompileError, Span
from samebits.lang.definition import own_lines
from samebits.lang.jobs import JobKernel
from samebits.lang.kernel import Kernel

FunctionNode = ast.FunctionDef

syntax = lock
"""To be held around `ast.parse` and `compile` of a tree: CPython 3.11 counts their depth in one
place for all threads, and raises SystemError where two meet."""


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


@lru_cache(maxsize=256)
def _alone(file: str, first: int, text: str) -> FunctionNode | None:
    """The definition that is all of `text`, which stands in its file from line `first` on, not
    indented; None where it is something else."""
    try:
        with syntax():
            (node,) = ast.parse("\n" * (first - 1) + text, file).body
    except (SyntaxError, ValueError):
        return None
    return node if isinstance(node, ast.FunctionDef) and _first_line(node) == first else None


@lru_cache(maxsize=64)
def _parse(file: str, lines: tuple[str, ...]) -> dict[int, FunctionNode]:
    """Function definitions of a file by the line on which they (or their decorators) start."""
    with syntax():
        tree = ast.parse("".join(lines), file)
    return {_first_line(node): node for node in _definitions(tree)}


def _first_line(node: FunctionNode) -> int:
    """That of the `def` or the first decorator."""
    return min([node.lineno, *(d.lineno for d in node.decorator_list)])


def _definitions(node: ast.AST) -> Iterator[FunctionNode]:
    """The function definitions in `node`. They are statements: expressions are not looked into."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef):
            yield node
        for name in ("body", "orelse", "handlers", "finalbody", "cases"):
            inner = getattr(node, name, None)
            if isinstance(inner, list):
                waiting += cast("list[ast.AST]", inner)


def _definition(code: CodeType, lines: tuple[str, ...]) -> FunctionNode | None:
    """The definition that a function was made from; where it does not nest, nothing else of the
    file is parsed."""
    text = "".join(own_lines(code, lines))
    first = code.co_firstlineno
    node = None if text[:1].isspace() else _alone(code.co_filename, first, text)
    return node or _parse(code.co_filename, lines).get(first)


def source_of(kernel: Kernel) -> Source:
    """The source of a kernel as it was decorated; CompileError where there is none to read."""
    function, lines = kernel.function, tuple(kernel.lines)
    code = function.__code__
    node = _definition(code, lines) if lines else None
    if node is None:
        raise CompileError(
            f"kernel '{function.__qualname__}' has no source that can be read",
            note=f"it comes from {code.co_filename}, line {code.co_firstlineno}",
            fix="define the kernel with `def` in a file (not in exec, a lambda or the bare prompt)",
        )
    source = Source(code.co_filename, function.__qualname__, node, lines)
    if isinstance(kernel, JobKernel):
        from samebits.frontend.job_source import job_source

        return job_source(kernel, source)
    return source


def blank(node: ast.AST) -> Any:
    """A node of the same class without any part, for a copy to fill: calling the class warns from
    Python 3.13 on where a part is missing, and raises from 3.15 on."""
    return type(node).__new__(type(node))


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
