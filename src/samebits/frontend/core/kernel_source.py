"""The source of a kernel: the lines that its function was made from, parsed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from types import CodeType
from typing import cast

from samebits.errors import CompileError
from samebits.frontend.core.job_source import job_source
from samebits.frontend.core.matching import without_matches
from samebits.frontend.core.source import FunctionNode, Source, blank, syntax
from samebits.lang.calls.kernel_parameters import GivenKernel
from samebits.lang.definition import own_lines
from samebits.lang.jobs import JobKernel
from samebits.lang.kernel import Kernel


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
    """The line of the `def` or of the first decorator."""
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


def _positional(node: FunctionNode) -> FunctionNode:
    """The definition with what is given by name alone among its other parameters: how calls give
    them is the signature's matter."""
    given = node.args
    if not given.kwonlyargs:
        return node
    result = blank(node)
    for name, value in vars(node).items():
        setattr(result, name, value)
    parameters = [*given.args, *given.kwonlyargs]
    result.args = ast.arguments([], parameters, None, [], [], None, [])
    return result


def _without_given(kernel: GivenKernel, source: Source) -> Source:
    """The definition without the parameters for kernels. Raises CompileError where one is
    assigned."""
    node = blank(source.node)
    for name, value in vars(source.node).items():
        setattr(node, name, value)
    parameters = [p for p in source.node.args.args if p.arg not in kernel.kernels]
    node.args = ast.arguments([], parameters, None, [], [], None, [])
    for part in ast.walk(ast.Module(node.body, [])):
        if (
            isinstance(part, ast.Name)
            and isinstance(part.ctx, ast.Store)
            and part.id in kernel.kernels
        ):
            raise CompileError(
                f"the parameter '{part.id}' is a kernel, which is not assigned",
                span=source.span(part),
                fix="use a new name",
            )
    return replace(source, node=node)


def source_of(kernel: Kernel) -> Source:
    """The source of a kernel as it was decorated. Raises CompileError if it cannot be read."""
    function, lines = kernel.function, tuple(kernel.lines)
    code = function.__code__
    node = _definition(code, lines) if lines else None
    if node is None:
        raise CompileError(
            f"kernel '{function.__qualname__}' has no source that can be read",
            note=f"it comes from {code.co_filename}, line {code.co_firstlineno}",
            fix="define the kernel with `def` in a file (not in exec, a lambda or the bare prompt)",
        )
    plain = _positional(without_matches(node))
    source = Source(code.co_filename, function.__qualname__, plain, lines)
    if isinstance(kernel, GivenKernel):
        return _without_given(kernel, source)
    if isinstance(kernel, JobKernel):
        return job_source(kernel, source)
    return source
