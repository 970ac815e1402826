"""Tuples that are written out: loops over their items, membership, constant indices.

Which item an iteration is given is a choice among values that are there already.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from samebits.frontend.core.context import Context, of_values, values_of
from samebits.frontend.core.joins import ItemTypes, join
from samebits.frontend.core.operands import (
    Literal,
    MemoryOperand,
    Operand,
    Scalar,
    Tuple,
    Vector,
    View,
    describe,
)
from samebits.frontend.operations import memory, operators, views
from samebits.frontend.operations.conversions import coerce, literal
from samebits.ir.grammar import If, Value
from samebits.types import BOOL, FLOAT, FLOAT64, INT, FixedArrayType, ScalarType, Type, promote

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
    places = [item for item in items if isinstance(item, MemoryOperand | View)]
    if len(places) == len(items):
        return _place(ctx, node, places, k)
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


def in_memory(ctx: Context, node: ast.expr, items: Sequence[Operand]) -> list[Operand]:
    """The items of a loop's tuple, where those of memory of this call's own know its name."""
    parts = node.elts if isinstance(node, ast.Tuple | ast.List) else [node] * len(items)
    found: list[Operand] = []
    for part, item in zip(parts, items, strict=True):
        match item:
            case Tuple():
                item = Tuple(tuple(in_memory(ctx, part, item.items)))
            case MemoryOperand() | View() if not item.roots:
                item = replace(item, roots=views.owner(ctx, part))
            case _:
                pass
        found.append(item)
    return found


def _place(
    ctx: Context, node: ast.expr, items: Sequence[MemoryOperand | View], k: Value
) -> MemoryOperand | View:
    """The struct or array `k`: a name of it refers to its memory."""
    if len({item.type for item in items}) > 1:
        items = [_as_view(ctx, node, item) for item in items]
    first, at = items[0], ctx.span(node)
    other = next((item for item in items if item.type != first.type), None)
    if other is not None:
        ctx.fail(
            node,
            f"the items have different types: {describe(first)} and {describe(other)}",
            note="a loop variable has one type",
            fix="write the body as a generic kernel, and call it for each",
        )
    if not all(item.roots for item in items):
        ctx.fail(
            node,
            f"a loop over a tuple takes each {describe(first)} by its name",
            note="the loop's name refers to its memory",
            fix="give each a name on a line of its own, and write the names",
        )
    t = first.value.type
    slot = ctx.builder.slot(ctx.builder.fresh("item"), t)
    ctx.builder.set(slot, first.value, at)
    for n, item in enumerate(items[1:], 1):
        here = ctx.builder.value("eq", (k, ctx.builder.const(n, INT, at)), BOOL, at)
        with ctx.region(node) as chosen:
            ctx.builder.set(slot, item.value, at)
        ctx.builder.append(If(ctx.builder.new_id(), here, chosen, [], at))
    value = ctx.builder.get(slot, at)
    roots = frozenset[str]().union(*(item.roots for item in items))
    if isinstance(first, View):
        return replace(first, value=value, roots=roots, fresh=False)
    readonly = any(item.readonly for item in items if isinstance(item, MemoryOperand))
    return MemoryOperand(value, first.type, roots, readonly)


def _as_view(ctx: Context, node: ast.expr, item: MemoryOperand | View) -> MemoryOperand | View:
    """An array of a constant shape as one of any length."""
    if isinstance(item, View) or not isinstance(item.type, FixedArrayType):
        return item
    return replace(memory.as_view(ctx, node, item), roots=item.roots)


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
            "a loop over a tuple is given numbers and vectors, or structs or arrays alone, "
            f"but this is {describe(item)}",
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
