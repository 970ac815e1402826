"""F-strings and printed values: a text with places, and the values for them.

Numbers, bools, vectors, matrices and structs of these have places; how they read is
`samebits.value_text`'s.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import NoReturn

from samebits.frontend.core.context import Context
from samebits.frontend.core.operands import (
    Literal,
    MemoryOperand,
    Operand,
    Scalar,
    Static,
    Tuple,
    Vector,
    describe,
    dimensions,
)
from samebits.frontend.operations import memory
from samebits.frontend.operations.conversions import literal
from samebits.ir.grammar import MOST_VALUES, Value
from samebits.lang.annotations import class_of_type
from samebits.lang.memory.structs import shows_fields
from samebits.types import RefType, ScalarType, StructType
from samebits.value_text import (
    ValueFormatError,
    escaped,
    fits_format,
    format_of,
    place,
    vector_place,
)

Lower = Callable[[Context, ast.expr], Operand]
_FIX = "write a number, a bool or a vector, such as `{x}`, `{x!r}`, `{x:.3f}` or `{n:08b}`"

_FORMATS = (
    "an integer takes `[-+ ][0][width][dxXbo]`, such as `{n:08b}`, and a float "
    "`[-+ ][0][width][.digits][eEfFgG%]`, such as `{x:8.3f}`"
)


class Text:
    """A text with places in the making, and the values for them."""

    def __init__(self, ctx: Context, lower: Lower) -> None:
        self._ctx = ctx
        self._lower = lower
        self._pieces: list[str] = []
        self.values: list[Value] = []

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def add_text(self, text: str) -> None:
        """A piece without places."""
        self._pieces.append(escaped(text))

    def add(self, node: ast.expr) -> None:
        """What `print` shows of an expression."""
        match node:
            case ast.Constant(value=str(text)):
                self.add_text(text)
            case ast.JoinedStr():
                self.add_string(node)
            case (
                ast.BinOp(left=ast.Constant(value=str()), op=ast.Mod() | ast.Add())
                | ast.Call(func=ast.Attribute(value=ast.Constant(value=str()), attr="format"))
            ):
                self._ctx.fail(
                    node,
                    "a text is made by an f-string here",
                    fix='write an f-string, such as `f"{x:.6f}"`',
                )
            case _:
                operand = self._lower(self._ctx, node)
                if not self._value(node, operand):
                    _refuse(self._ctx, node, operand)

    def add_string(self, node: ast.JoinedStr) -> None:
        """An f-string."""
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self._formatted(part)
            else:
                assert isinstance(part, ast.Constant)
                self.add_text(str(part.value))

    def _formatted(self, part: ast.FormattedValue) -> None:
        operand = self._lower(self._ctx, part.value)
        try:
            if self._value(part.value, operand, *format_of(part)):
                return
        except ValueFormatError as error:
            self._ctx.fail(part, str(error), fix=_fix_of_format(self._ctx, part, operand))
        _refuse(self._ctx, part.value, operand)

    def _value(
        self, node: ast.expr, operand: Operand, conversion: str = "", spec: str = ""
    ) -> bool:
        """Add a value; False if it has no text. Raises ValueFormatError."""
        match operand:
            case Literal():
                self._pieces.append(place(operand.type, conversion, spec))
                self.values.append(literal(self._ctx, node, operand, operand.type))
            case Scalar():
                self._pieces.append(place(operand.type, conversion, spec))
                self.values.append(operand.value)
            case Vector():
                self._pieces.append(vector_place(operand.type, conversion, spec))
                self.values.extend(operand.items)
            case MemoryOperand(type=StructType() as t) if not spec:
                return self._struct(node, operand, t)
            case Static(object=str(text)) if not (conversion or spec):
                self.add_text(text)
            case _:
                return False
        return True

    def _struct(self, node: ast.expr, base: MemoryOperand, t: StructType) -> bool:
        """A struct as its repr shows it."""
        if not shows_fields(class_of_type(t)):
            return False
        ctx, span = self._ctx, self._ctx.span(node)
        self.add_text(f"{t}(")
        for k, (name, field_type) in enumerate(t.fields):
            self.add_text(f"{', ' * (k > 0)}{name}=")
            ref = ctx.builder.value("field", (base.value,), RefType(field_type), span, name)
            value = memory.load(ctx, ref, field_type, base.roots, base.readonly, span)
            if not self._value(node, value, "r"):
                return False
        self.add_text(")")
        return True


def _fix_of_format(ctx: Context, part: ast.FormattedValue, operand: Operand) -> str:
    """What to write for a format that a number does not have."""
    try:
        t, (_, spec) = operand.type, format_of(part)
    except ValueFormatError:
        return _FORMATS
    if isinstance(t, ScalarType) and t.is_float and fits_format(t, f"{spec}g"):
        x = ctx.text(part.value)
        fraction = "" if "." in spec else ".3"
        return (
            f"a float's format ends with a letter, one of eEfFgG%: `{{{x}:{spec}g}}`, or "
            f"`{{{x}:{spec}{fraction}f}}`"
        )
    return _FORMATS


def text_with_places(
    ctx: Context, node: ast.JoinedStr, lower: Lower
) -> tuple[str, tuple[Value, ...]]:
    """The text of an f-string with places, and the values for them, in order."""
    made = Text(ctx, lower)
    made.add_string(node)
    check_count(ctx, node, made, MOST_VALUES)
    return made.text, tuple(made.values)


def check_count(ctx: Context, node: ast.expr, made: Text, most: int) -> None:
    """Refuse a text with more numbers than it may have."""
    if len(made.values) > most:
        ctx.fail(
            node,
            f"the text has {len(made.values)} numbers, and {most} are the most",
            fix="name fewer; a vector counts as its components",
        )


def _refuse(ctx: Context, node: ast.expr, operand: Operand) -> NoReturn:
    fix, x = _FIX, ctx.text(node)
    match operand:
        case _ if dimensions(operand):
            zeros = ", ".join("0" * dimensions(operand))
            fix = f"name its elements: `{x}[{zeros}]`, or each in a loop"
        case MemoryOperand(type=StructType() as t):
            fix = f"name its numbers, such as `{x}.{next(iter(t.field_types), 'x')}`"
        case Tuple():
            fix = "name its items, with commas between them"
        case _:
            pass
    ctx.fail(node, f"{describe(operand)} has no text here", fix=fix)
