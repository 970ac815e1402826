"""`print` and `sb.trace`: a text or a name, with places for numbers, and the numbers."""

from __future__ import annotations

import ast

from samebits.frontend.core.context import Context
from samebits.frontend.core.operands import Nothing
from samebits.frontend.operations.texts import Lower, Text, check_count
from samebits.ir.grammar import MOST_PRINTED
from samebits.lang.calls.tracing import IN_JOBS, NAMED, SEPARATORS, separators
from samebits.lang.jobs import JobKernel
from samebits.value_text import escaped, place, types_in


def lower_print(ctx: Context, node: ast.Call, lower: Lower) -> Nothing:
    """`print(...)`, of any number of values, with constant `sep` and `end`."""
    _refuse_in_job(ctx, node)
    try:
        sep, end = separators(node)
    except ValueError:
        ctx.fail(node, SEPARATORS[0], note=SEPARATORS[1], fix=SEPARATORS[2])
    made = Text(ctx, lower)
    for k, argument in enumerate(node.args):
        if k:
            made.add_text(sep)
        made.add(argument)
    made.add_text(end)
    _leave(ctx, node, "print", made.text, made)
    return Nothing()


def lower_trace(ctx: Context, node: ast.Call, lower: Lower) -> Nothing:
    """`sb.trace("name", value)`."""
    _refuse_in_job(ctx, node)
    match node.args, node.keywords:
        case [ast.Constant(value=str(name)), value], []:
            pass
        case _:
            ctx.fail(node, NAMED[0], fix=NAMED[1])
    made = Text(ctx, lower)
    made.add(value)
    if not made.values:
        ctx.fail(value, "a trace keeps a value, and this is a text", fix='write sb.trace("x", x)')
    _leave(ctx, node, "trace", escaped(name) + "".join(map(place, types_in(made.text))), made)
    return Nothing()


def _leave(ctx: Context, node: ast.Call, opcode: str, text: str, made: Text) -> None:
    check_count(ctx, node, made, MOST_PRINTED)
    if ctx.kernel.options.prints:
        ctx.builder.effect(opcode, tuple(made.values), ctx.span(node), text)


def _refuse_in_job(ctx: Context, node: ast.Call) -> None:
    if isinstance(ctx.kernel, JobKernel):
        ctx.fail(node, IN_JOBS[0], note=IN_JOBS[1], fix=IN_JOBS[2])
