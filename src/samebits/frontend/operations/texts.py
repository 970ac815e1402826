"""F-strings: a text with places, and the values for them.

Numbers, bools and vectors have places; how they read is `samebits.value_text`'s.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from samebits.frontend.core.context import Context
from samebits.frontend.core.operands import Literal, Operand, Scalar, Vector, describe
from samebits.frontend.operations.conversions import literal
from samebits.ir.grammar import MOST_VALUES, Value
from samebits.types import FixedPointType, MatrixType, ScalarType, vector_of
from samebits.value_text import ValueFormatError, escaped, format_of, place, vector_place

Lower = Callable[[Context, ast.expr], Operand]
_FIX = "write a number, a bool or a vector, such as `{x}`, `{x!r}`, `{x:.3f}` or `{n:08b}`"


def text_with_places(
    ctx: Context, node: ast.JoinedStr, lower: Lower
) -> tuple[str, tuple[Value, ...]]:
    """The text of an f-string with places, and the values for them, in order."""
    pieces: list[str] = []
    values: list[Value] = []
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            _formatted(ctx, part, lower, pieces, values)
        else:
            assert isinstance(part, ast.Constant)
            pieces.append(escaped(str(part.value)))
    if len(values) > MOST_VALUES:
        ctx.fail(
            node,
            f"the text has {len(values)} numbers, and {MOST_VALUES} are the most",
            fix="name fewer; a vector counts as its components",
        )
    return "".join(pieces), tuple(values)


def _formatted(
    ctx: Context, part: ast.FormattedValue, lower: Lower, pieces: list[str], values: list[Value]
) -> None:
    operand = lower(ctx, part.value)
    try:
        conversion, spec = format_of(part)
        match operand:
            case Literal():
                pieces.append(place(operand.type, conversion, spec))
                values.append(literal(ctx, part.value, operand, operand.type))
                return
            case Scalar() if _has_places(operand.type):
                pieces.append(place(operand.type, conversion, spec))
                values.append(operand.value)
                return
            case Vector() if _is_vector(operand) and _has_places(operand.type.element):
                pieces.append(vector_place(operand.type, conversion, spec))
                values.extend(operand.items)
                return
            case _:
                pass
    except ValueFormatError as error:
        ctx.fail(part, str(error), fix=_FIX)
    ctx.fail(part.value, f"{describe(operand)} has no text here", fix=_FIX)


def _has_places(t: ScalarType) -> bool:
    return not isinstance(t, FixedPointType) and (t.is_ieee == t.is_float)


def _is_vector(operand: Vector) -> bool:
    t = operand.type
    return not isinstance(t, MatrixType) and t == vector_of(t.element, t.length)
