"""Advice where the value of `and` or `or` is used and isn't a bool's.

In Python it is one of their sides, of whichever type; a name here has one.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from samebits.errors import CompileError
from samebits.frontend.core.context import Context
from samebits.frontend.core.operands import Literal, Operand, Scalar
from samebits.types import BOOL, ScalarType

Lower = Callable[[Context, ast.expr], Operand]


def of_value(ctx: Context, node: ast.BoolOp, lower: Lower) -> str:
    """What follows the fix of one side: the ternary that is the value itself, where the sides are
    numbers; else what the sides are."""
    outer = _old_ternary(ctx, node)
    if outer is not None:
        (first, yes), no = node.values, outer.values[1]
        types = [_type(ctx, side, lower) for side in (first, yes, no)]
        if None not in types and BOOL not in types[1:]:
            tested = "{c}" if types[0] is BOOL else "{c} != 0"
            text = f"; for the value itself, `{{yes}} if {tested} and {{yes}} != 0 else {{no}}`"
            return ctx.filled(text, outer, c=first, yes=yes, no=no) + _for(ctx, outer)
    is_or, sides = isinstance(node.op, ast.Or), node.values
    types = [_type(ctx, side, lower) for side in sides]
    if None in types:
        return ""
    if BOOL not in types:
        parts = {f"v{k}": side for k, side in enumerate(sides)}
        return ctx.filled(
            f"; for the value itself, `{_chosen(len(sides), is_or)}`", node, **parts
        ) + (_for(ctx, node))
    if len(sides) == 2 and types[0] is BOOL:
        text = (
            "; for a number, `1 if {c} else {x}`"
            if is_or
            else "; for a number, `{x} if {c} else 0`"
        )
        return ctx.filled(text, node, c=sides[0], x=sides[1]) + _for(ctx, node)
    named = " or ".join(dict.fromkeys(map(str, types)))
    return f": its value would be of no one type, {named}"


def _chosen(count: int, is_or: bool) -> str:
    """The chain of ternaries that is the value of so many numbers, with places for them."""
    text = f"{{v{count - 1}}}"
    for k in reversed(range(count - 1)):
        rest = text if k + 2 == count or is_or else f"({text})"
        text = (
            f"{{v{k}}} if {{v{k}}} != 0 else {rest}"
            if is_or
            else f"{rest} if {{v{k}}} != 0 else {{v{k}}}"
        )
    return text


def _for(ctx: Context, node: ast.expr) -> str:
    return ctx.filled(" for `{whole}`", node, whole=node)


def _old_ternary(ctx: Context, node: ast.BoolOp) -> ast.BoolOp | None:
    """The whole of `c and a or b`, where `node` is its first part."""
    if not isinstance(node.op, ast.And) or len(node.values) != 2:
        return None
    for outer in ast.walk(ctx.source.node):
        if isinstance(outer, ast.BoolOp) and outer.values[0] is node and len(outer.values) == 2:
            return outer
    return None


def _type(ctx: Context, node: ast.expr, lower: Lower) -> ScalarType | None:
    """The type of a side that is a number or a bool."""
    try:
        operand = lower(ctx, node)
    except CompileError:
        return None
    return operand.type if isinstance(operand, Literal | Scalar) else None
