"""Items and parts of tuples: `t[2]`, `t[1:]`, and, of a module's tuple, `T[i]` by a variable.

A variable chooses from tables of the tuple's numbers, which the compiler makes.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, cast

from samebits.errors import ArgumentError
from samebits.frontend.core.context import Context
from samebits.frontend.core.operands import Literal, Operand, Scalar, Tuple, Vector, describe
from samebits.frontend.operations import constants, memory
from samebits.frontend.operations.conversions import index_value, materialize
from samebits.ir.grammar import Value
from samebits.lang.annotations import class_of_type
from samebits.lang.memory.slices import NO_STEP
from samebits.lang.memory.tables import Table
from samebits.lang.values.enums import plain_number
from samebits.lang.values.vectors import components
from samebits.types import FLOAT, FLOAT64, INT, INT64, MatrixType, RefType, ScalarType, VectorType

Lower = Callable[[Context, ast.expr], Operand]
Items = tuple[object, ...]

FEW = 4
"""Items of a tuple that a ternary chooses among."""
_WIDE: dict[ScalarType, ScalarType] = {INT: INT64, FLOAT: FLOAT64}
"""The type of a table of Python's own numbers."""


def subscript(ctx: Context, node: ast.Subscript, base: Tuple, lower: Lower) -> Operand:
    """`base[...]`: an item, or, of a slice, a tuple of some."""
    if isinstance(node.slice, ast.Slice):
        return _part(ctx, node, node.slice, base, lower)
    index = lower(ctx, node.slice)
    if isinstance(index, Literal) and isinstance(index.value, int):
        length = len(base.items)
        if not -length <= index.value < length:
            fix = f"0 to {length - 1} are there" if length else "leave it out: it has no items"
            ctx.fail(node, f"index {index.value} of a tuple of {length}", fix=fix)
        item = base.items[index.value]
        # A literal is what is written as one or has a name.
        return materialize(ctx, node, item) if _written_out(node) else item
    number = index_value(ctx, node.slice, index)
    if base.constant and one_kind(base.items):
        return _chosen(ctx, node, base, base.constant, number)
    message = f"{describe(base)} is indexed by constants"
    ctx.fail(node, message, fix=_fix(ctx, node, base))


def _fix(ctx: Context, node: ast.Subscript, base: Tuple) -> str:
    """What to write for an index by a variable."""
    text, count = ctx.text(node.value), len(base.items)
    t = _of_a_table(base.items)
    if base.constant is not None and t is not None:
        return f"freeze it at module level: `sb.table({text}, {t})`"
    if (
        base.constant is None
        and count <= FEW
        and one_kind(base.items)
        and not isinstance(base.items[0], Tuple)
    ):
        sides = "".join(f"{{x}}[{k}] if {{i}} == {k} else " for k in range(count - 1))
        whole = f"write `{sides}{{x}}[{count - 1}]`"
        return ctx.filled(whole, node, x=node.value, i=node.slice)
    if base.constant is None and t is not None:
        return f"keep the numbers in a local array, `sb.zeros({count}, {t})`"
    names = ", ".join("abcdefgh"[k % 8] for k in range(count))
    return f"unpack it: `{names} = {text}`"


def _of_a_table(items: Sequence[Operand]) -> str | None:
    """The type of a table that has the items, as it is written; None where they are no numbers."""
    found: list[str] = []
    for item in items:
        match item:
            case Tuple():
                found.append(_of_a_table(item.items) or "")
            case Literal() | Scalar():
                found.append(str(_WIDE.get(item.type, item.type)))
            case _:
                return None
    kinds = set(found)
    if kinds == {"int64", "float64"}:
        return "float64"
    return found[0] or None if len(kinds) == 1 else None


def _part(ctx: Context, node: ast.Subscript, part: ast.Slice, base: Tuple, lower: Lower) -> Operand:
    """A part of a tuple, with Python's own meaning of constant bounds."""
    if part.step is not None:
        ctx.fail(part.step, NO_STEP[0], fix=f"write `reversed({ctx.text(node.value)})` in a loop")
    bounds: list[int | None] = []
    for bound in (part.lower, part.upper):
        found = None if bound is None else lower(ctx, bound)
        if found is not None and not (isinstance(found, Literal) and isinstance(found.value, int)):
            assert bound is not None
            t = _of_a_table(base.items) or "int64"
            ctx.fail(
                bound,
                f"a part of a tuple has constant bounds, but this is {describe(found)}",
                fix=f"freeze it at module level, `sb.table({ctx.text(node.value)}, {t})`, and "
                "take the part of that",
            )
        bounds.append(None if found is None else int(found.value))
    chosen = slice(*bounds)
    items = base.items[chosen]
    if _written_out(node):
        items = tuple(materialize(ctx, node, item) for item in items)
    return Tuple(items, None if base.constant is None else base.constant[chosen])


def _written_out(node: ast.Subscript) -> bool:
    """Whether what is indexed is a tuple that stands there, not the name of one."""
    base = node.value
    while isinstance(base, ast.Subscript):
        base = base.value
    return isinstance(base, ast.Tuple)


def of_numbers(value: Tuple) -> bool:
    """Whether a tuple can have a name: one of numbers, vectors and such tuples."""
    return all(
        (of_numbers(item) and item.items != ()) if isinstance(item, Tuple)
        else isinstance(item, Literal | Scalar | Vector)
        for item in value.items
    )  # fmt: skip


def one_kind(items: Sequence[Operand]) -> bool:
    """Whether items are numbers or vectors of one type, or tuples whose columns are."""
    if not items:
        return False
    if all(isinstance(item, Tuple) for item in items):
        rows = [item.items for item in items if isinstance(item, Tuple)]
        return len({len(row) for row in rows}) == 1 and all(
            one_kind(column) for column in zip(*rows, strict=True)
        )
    if not all(isinstance(item, Literal | Scalar | Vector) for item in items):
        return False
    return len({item.type for item in items}) == 1 and not isinstance(items[0].type, MatrixType)


def _chosen(
    ctx: Context, node: ast.Subscript, base: Tuple, values: Items, number: Value
) -> Operand:
    """Item `number`, which traps where there is none: as of an array, none counts from the end."""
    count = ctx.builder.const(len(values), INT, ctx.span(node))
    ctx.builder.effect("index", (number, count), ctx.span(node), None)
    return _from_tables(ctx, node, base.items, values, number)


def _from_tables(
    ctx: Context, node: ast.Subscript, items: Sequence[Operand], values: Items, number: Value
) -> Operand:
    """Item `number` of items of one kind."""
    t = items[0].type
    if isinstance(items[0], Tuple):
        rows = [item.items for item in items if isinstance(item, Tuple)]
        columns = zip(*rows, strict=True), zip(*cast("tuple[Items, ...]", values), strict=True)
        return Tuple(
            tuple(
                _from_tables(ctx, node, column, held, number)
                for column, held in zip(*columns, strict=True)
            )
        )
    if isinstance(t, VectorType):
        parts = zip(*(components(cast("Any", value)) for value in values), strict=True)
        found = [_number(ctx, node, t.element, part, number) for part in parts]
        return Vector(tuple(scalar.value for scalar in found), t)
    assert isinstance(t, ScalarType)
    return _number(ctx, node, t, values, number)


def _number(
    ctx: Context, node: ast.Subscript, t: ScalarType, values: Items, number: Value
) -> Scalar:
    held = _WIDE.get(t, t)
    try:
        table = Table([plain_number(value) for value in values], class_of_type(held))
    except ArgumentError as error:
        ctx.fail(node, error.message, fix="give numbers that int64 holds, or write them as floats")
    ref = ctx.builder.value(
        "element", (constants.table_of(ctx, node, table), number), RefType(held), ctx.span(node)
    )
    found = memory.load(ctx, ref, held, frozenset(), True, ctx.span(node))
    assert isinstance(found, Scalar)
    if held is t:
        return found
    return Scalar(ctx.builder.value("convert", (found.value,), t, ctx.span(node)), t)
