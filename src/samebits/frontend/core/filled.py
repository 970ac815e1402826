"""Advice with what the user wrote filled in: as many parentheses as its meaning needs, no fewer.

A place is `{name}` in a text; what is between backticks there is code. Filled with an expression,
the code means what it would if that were one name; where the code itself is written in place of an
expression, it means there what it means alone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import cast

from samebits.frontend.core.source import FunctionNode, blank, syntax

Filling = ast.AST | str
"""What fills a place: an expression as it is written, or a text of one word, such as a type."""
_CODE = re.compile(r"`([^`]+)`")
_PLACE = re.compile(r"\{(\w+)\}")
_HOLE = "_sb_{}_"
"""The name that stands for a place while it is empty; a file may not have it."""


def filled(
    text: str, parts: Mapping[str, Filling], *, at: ast.AST | None, within: FunctionNode
) -> str:
    """`text` with its places filled. Code that is an expression is written in place of `at`, an
    expression of `within`, if that is given."""

    def of(found: re.Match[str]) -> str:
        return f"`{code(found[1], parts, at=at, within=within)}`"

    filled_code = _CODE.sub(of, text)
    return _PLACE.sub(lambda found: _plain(parts.get(found[1], found[0])), filled_code)


def code(
    text: str, parts: Mapping[str, Filling], *, at: ast.AST | None = None, within: FunctionNode
) -> str:
    """Code with its places filled, as `filled` does it."""
    holes = _PLACE.sub(lambda found: _HOLE.format(found[1]), text)
    for name, part in parts.items():
        hole, plain = _HOLE.format(name), _plain(part)
        if hole not in holes:
            continue
        loose = isinstance(part, ast.expr) and _means_more(_parsed(holes), hole, plain, holes)
        holes = holes.replace(hole, f"({plain})" if loose else plain)
    if at is None:
        return holes
    statement, hole = _statement_of(within, at), _HOLE.format("at")
    if statement is None or not isinstance(_expression(holes), ast.expr):
        return holes
    around = _changed(statement, lambda node: ast.Name(hole) if node is at else None)
    return f"({holes})" if _means_more(around, hole, holes, _unparsed(around)) else holes


def _means_more(around: ast.AST | None, hole: str, text: str, written: str | None) -> bool:
    """Whether a part written as `text` comes apart where it is put into `around`, which is written
    as `written`, in place of the name `hole`."""
    part = _expression(text)
    if around is None or part is None or written is None:
        return False
    meant = _changed(around, lambda node: part if _is_name(node, hole) else None)
    return _unparsed(_parsed(written.replace(hole, text))) != _unparsed(meant)


def _plain(part: Filling) -> str:
    if isinstance(part, str):
        return part
    return _unparsed(part) or "..."


def _unparsed(node: ast.AST | None) -> str | None:
    try:
        return None if node is None else ast.unparse(node)
    except ValueError:  # CPython refuses to write very long ints
        return None


def _parsed(text: str) -> ast.Module | None:
    try:
        with syntax():
            return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


def _expression(text: str) -> ast.expr | None:
    tree = _parsed(text)
    match tree:
        case ast.Module(body=[ast.Expr(value=value)]):
            return value
        case _:
            return None


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _statement_of(within: FunctionNode, part: ast.AST) -> ast.stmt | None:
    """The statement that an expression stands in, without the statements in it."""
    inner: ast.stmt | None = None
    for node in ast.walk(within):
        if isinstance(node, ast.stmt) and any(child is part for child in _own_parts(node)):
            inner = node
    if inner is None or not hasattr(inner, "body"):
        return inner
    bare = blank(inner)
    for name, value in ast.iter_fields(inner):
        setattr(bare, name, [ast.Pass()] * bool(value) if name in ("body", "orelse") else value)
    return ast.copy_location(bare, inner)


def _own_parts(node: ast.AST) -> list[ast.AST]:
    """A statement's expressions and what is in them."""
    parts: list[ast.AST] = []
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.stmt):
            parts += [child, *_own_parts(child)]
    return parts


def _changed(node: ast.AST, change: Callable[[ast.AST], ast.AST | None]) -> ast.AST:
    """A tree like `node`, with what `change` gives in place of each part that it gives one of."""
    made = change(node)
    if made is not None:
        return made
    copy = blank(node)
    for name, value in ast.iter_fields(node):
        if isinstance(value, list):
            items = cast("list[object]", value)
            parts = [_changed(i, change) if isinstance(i, ast.AST) else i for i in items]
            setattr(copy, name, parts)
        else:
            setattr(copy, name, _changed(value, change) if isinstance(value, ast.AST) else value)
    return ast.copy_location(copy, node)
