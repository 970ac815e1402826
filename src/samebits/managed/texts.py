"""F-strings, `print` and `sb.trace` in a managed run, by the rules of every other execution."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, cast

from samebits.errors import TRAP_MESSAGES, ArgumentError, Span, Trap
from samebits.lang.calls.tracing import numbers_of, separators, stored
from samebits.lang.memory.structs import Struct, shows_fields
from samebits.lang.values.vectors import components
from samebits.lang.values.weak import checked
from samebits.printed import keep, write
from samebits.types import BOOL, FLOAT, INT, ScalarType, VectorType
from samebits.value_text import (
    escaped,
    filled,
    format_of,
    outline,
    place,
    vector_place,
)

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
        _add(pieces, values, *part)
    return "".join(pieces), values


def _add(pieces: list[str], values: list[Any], value: Any, conversion: str, spec: str) -> None:
    value = checked(value) if type(value) is int else value
    cls = cast("Any", type(value))
    t = getattr(cls, "__sb_type__", None) or _PLAIN.get(cls)
    if isinstance(t, VectorType):
        pieces.append(vector_place(t, conversion, spec))
        values += [stored(item, t.element) for item in components(value)]
    elif isinstance(t, ScalarType):
        pieces.append(place(t, conversion, spec))
        values.append(stored(value, t))
    elif isinstance(value, str) and not (conversion or spec):
        pieces.append(escaped(value))
    elif isinstance(value, Struct) and shows_fields(cls) and not spec:
        before = f"{value.__sb_type__}("
        for name in value.__sb_type__.field_types:
            pieces.append(escaped(f"{before}{name}="))
            _add(pieces, values, getattr(value, name), "r", "")
            before = ", "
        pieces.append(")")
    else:
        raise ArgumentError(f"{value!r:.60} has no text in a kernel", fix="write a number")


def printed(*parts: Part) -> None:
    """A `print` of these pieces."""
    text, values = text_of(*parts)
    write(filled(text, values), len(values))


def traced(name: str, value: Any, span: Span) -> None:
    """A `trace` of a kernel."""
    keep(name, numbers_of(checked(value) if type(value) is int else value), span)


def unprinted(*parts: Any) -> None:
    """A `print` or `trace` of a kernel without them: what it is given is computed all the same."""


def line_parts(node: ast.Call, visit: Callable[[ast.expr], ast.expr]) -> list[ast.expr]:
    """The arguments of `printed` for a call of `print`, as expressions. ValueError where it takes
    others."""
    sep, end = separators(node)
    found: list[ast.expr] = []
    for k, argument in enumerate(node.args):
        if k:
            found.append(ast.Constant(sep))
        match argument:
            case ast.Constant(value=str()):
                found.append(argument)
            case ast.JoinedStr():
                found += parts_of(argument, visit)
            case _:
                row = [visit(argument), ast.Constant(""), ast.Constant("")]
                found.append(ast.Tuple(row, ast.Load()))
    found.append(ast.Constant(end))
    return [ast.copy_location(part, node) for part in found]


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
