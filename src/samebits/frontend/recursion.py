"""Recursion: the depth that recursive kernels hand on, and its bound."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from itertools import count

from samebits.errors import Span
from samebits.frontend.core.context import Callee, Context
from samebits.ir.grammar import Function, Return, Value, ValueType
from samebits.ir.rewrite import ValueWriter
from samebits.lang.calls.recursion import too_deep
from samebits.types import BOOL, INT

DEPTH = ".depth"
"""The last parameter of a recursive function: how many calls are inside one another, this one
included."""
SUFFIX = ".recursion"
"""The end of the name of a recursive function; without it is the function that begins with 1."""


def deeper(ctx: Context, node: ast.AST, name: str, callee: Callee) -> Value:
    """The depth of a call of a kernel that recurses with the present one; one too many traps."""
    if DEPTH not in ctx.builder.slots:
        ctx.fail(
            node,
            f"the body of a parallel range calls '{name}', which it is in",
            note="recursion has one order",
            fix="write a plain `range` loop",
        )
    builder, span = ctx.builder, ctx.span(node)
    depth = builder.get(DEPTH, span)
    bound = builder.const(callee.depth, INT, span)
    inside = builder.value("lt", (depth, bound), BOOL, span)
    builder.effect("assert", (inside,), span, too_deep(name, callee.depth))
    return builder.value("add", (depth, builder.const(1, INT, span)), INT, span)


def beginning(function: Function, name: str, span: Span) -> Function:
    """The function `name` that calls the recursive `function` from outside."""
    params: tuple[tuple[str, ValueType], ...] = function.params[:-1]
    types: Mapping[str, ValueType] = dict(params)
    writer = ValueWriter([], span, count())
    given = [writer.op("get", t, attr=slot) for slot, t in types.items()]
    given.append(writer.constant(1, INT))
    op = writer.append_op("call", tuple(given), list(function.results), span, function.name)
    writer.region.append(Return(op.results, span))
    return Function(
        name, params, function.results, {}, {}, writer.region, span, options=function.options
    )
