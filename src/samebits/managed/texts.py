"""The text of an f-string in a managed run, by the rules of every other execution."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, cast

from samebits.errors import TRAP_MESSAGES, ArgumentError, Trap
from samebits.lang.values.vectors import components
from samebits.types import BOOL, FLOAT, INT, ScalarType, VectorType
from samebits.value_text import escaped, filled, format_of, outline, place, vector_place

Part = str | tuple[Any, str, str]
"""A piece of a text, or a value with its conversion and its format."""
_PLAIN: dict[type, ScalarType] = {bool: BOOL, int: INT, float: FLOAT}


def text_of(*parts: Part) -> tuple[str, list[Any]]:
    """A text with places, and the values for them."""
    pieces: list[str] = []
    values: list[Any] = []
    for part in parts:
        if isinstance(part, str):
            pieces.append(escaped(part))
            continue
        value, conversion, spec = part
        cls = cast("Any", type(value))
        t = getattr(cls, "__sb_type__", None) or _PLAIN.get(cls)
        if isinstance(t, VectorType):
            pieces.append(vector_place(t, conversion, spec))
            values += components(value)
        elif isinstance(t, ScalarType):
            pieces.append(place(t, conversion, spec))
            values.append(value)
        else:
            raise ArgumentError(f"{value!r:.60} has no text in a kernel", fix="write a number")
    return "".join(pieces), values


def parts_of(node: ast.JoinedStr, visit: Callable[[ast.expr], ast.expr]) -> list[ast.expr]:
    """The arguments of `text_of`, as expressions."""
    found: list[ast.expr] = []
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            row: list[ast.expr] = [visit(part.value), *map(ast.Constant, format_of(part))]
            part = ast.Tuple(row, ast.Load())
        found.append(ast.copy_location(part, node))
    return found


def check(condition: bool, make: Callable[[], tuple[str, list[Any]]]) -> None:
    """An assertion whose message `make` gives. Raises Trap."""
    if not condition:
        text, values = make()
        said = f"{TRAP_MESSAGES['assert']}: {filled(text, values)}" if values else None
        raise Trap("assert", detail=outline(text), said=said)
