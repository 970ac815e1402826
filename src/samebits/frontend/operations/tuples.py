"""Tuples that are written out: loops over their items, membership, constant indices.

Which item an iteration is given is a choice among values that are there already.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import reduce

from samebits.frontend.core.context import Context, of_values, values_of
from samebits.frontend.core.joins import ItemTypes, join
from samebits.frontend.core.operands import Literal, Operand, Scalar, Tuple, Vector, describe
from samebits.frontend.operations import operators
from samebits.frontend.operations.conversions import coerce, literal
from samebits.ir.grammar import Value
from samebits.types import BOOL, FLOAT, FLOAT64, INT, ScalarType, Type, promote

MOST = 64
"""Items of a loop's tuple: each iteration chooses among them one by one."""


def joined(ctx: Context, node: ast.expr, items: Sequence[Operand]) -> list[Operand]:
    """The items of a loop's tuple, weak numbers in the type that they meet in."""
    converted, types = _joined(ctx, node, items)
    if types is not None:
        ctx.joins.items[ctx.span(node)] = types
    return converted


def _joined(
    ctx: Context, node: ast.expr, items: Sequence[Operand]
) -> tuple[list[Operand], ItemTypes]:
    rows = [item.items for item in items if isinstance(item, Tuple)]
    if rows and len(rows) == len(items) and len({len(row) for row in rows}) == 1:
        columns = [_joined(ctx, node, column) for column in zip(*rows, strict=True)]
        types = tuple(t for _, t in columns)
        if not any(t is not None for t in types):
            return list(items), None
        made = zip(*(column for column, _ in columns), strict=True)
        return [Tuple(row) for row in made], types
    numbers = [item for item in items if isinstance(item, Literal | Scalar)]
    if len(numbers) != len(items) or len({item.type for item in numbers}) == 1:
        return list(items), None
    t: ScalarType | None = numbers[0].type
    for item in numbers[1:]:
        t = None if t is None else join(t, item.type)
    if t is None:
        return list(items), None
    return [coerce(ctx, node, item, t, "an item", node) for item in numbers], t


def chosen(ctx: Context, node: ast.expr, items: Sequence[Operand], k: Value) -> Operand:
    """Item `k`, which is one of them. Raises CompileError where their types differ."""
    first = items[0]
    if len(items) > MOST:
        ctx.fail(
            node,
            f"a loop over a tuple of {len(items)} items; {MOST} at most",
            fix="freeze it at module level: sb.table(values, int64)",
        )
    if isinstance(first, Tuple):
        rows = [item.items for item in items if isinstance(item, Tuple)]
        if len(rows) != len(items) or len({len(row) for row in rows}) > 1:
            ctx.fail(node, "the items have different lengths", fix="give each as many values")
        return Tuple(tuple(chosen(ctx, node, column, k) for column in zip(*rows, strict=True)))
    values = [_value(ctx, node, item) for item in items]
    other = next((v for v in values if v.type != values[0].type), None)
    if other is not None:
        ctx.fail(
            node,
            f"the items have different types: {describe(values[0])} and {describe(other)}",
            note="a loop variable has one type, which Python's own ints take, and its floats if it "
            "is one of floats",
            fix=f"convert them to one type, as in `{_wanted(values[0].type, other.type)}(x)`",
        )
    at = ctx.span(node)

    def either(rest: list[Value], numbered: tuple[int, list[Value]]) -> list[Value]:
        n, parts = numbered
        here = ctx.builder.value("eq", (k, ctx.builder.const(n, INT, at)), BOOL, at)
        pairs = zip(parts, rest, strict=True)
        return [ctx.builder.value("select", (here, a, b), a.type, at) for a, b in pairs]

    columns = [list(values_of(value)) for value in values]
    earlier = list(enumerate(columns))[-2::-1]
    return of_values(tuple(reduce(either, earlier, columns[-1])), values[0].type)


def _wanted(a: Type, b: Type) -> Type:
    """The type that holds both, where there is one."""
    both = promote(a, b) if isinstance(a, ScalarType) and isinstance(b, ScalarType) else None
    return a if both is None else FLOAT64 if both is FLOAT else both


def _value(ctx: Context, node: ast.expr, item: Operand) -> Scalar | Vector:
    if isinstance(item, Literal):
        return Scalar(literal(ctx, node, item, item.type), item.type)
    if not isinstance(item, Scalar | Vector):
        ctx.fail(
            node,
            f"a loop over a tuple is given numbers and vectors, but this is {describe(item)}",
            fix="write the body as a kernel, and call it for each",
        )
    return item


def contains(ctx: Context, node: ast.Compare, x: Operand, items: Sequence[Operand]) -> Scalar:
    """Whether `x` equals one of the items, all of which are compared."""
    at = ctx.span(node)
    found = ctx.builder.const(False, BOOL, at)
    for item in items:
        same = operators.compare(ctx, node, ast.Eq(), x, item)
        if not isinstance(same, Scalar):
            ctx.fail(
                node,
                f"`in` compares numbers, but this is {describe(x)}",
                fix="write `sb.all(a == b)` for each",
            )
        found = ctx.builder.value("or", (found, same.value), BOOL, at)
    return Scalar(found, BOOL)
