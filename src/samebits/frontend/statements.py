"""Statements: control flow, assignment, and which names are certainly assigned where."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from samebits.frontend import assignment, results, targets
from samebits.frontend.core.context import Context, merge
from samebits.frontend.core.joins import takes_weak
from samebits.frontend.core.matching import REFUSAL, offending
from samebits.frontend.core.operands import (
    Literal,
    MemoryOperand,
    Operand,
    Scalar,
    Static,
    Tuple,
    Vector,
    describe,
)
from samebits.frontend.core.source import copied_items, too_deep
from samebits.frontend.expressions import condition, lower, refuse
from samebits.frontend.operations import memory, operators
from samebits.frontend.operations import parallel_range as parallel
from samebits.frontend.operations.conversions import coerce, literal
from samebits.ir.grammar import Break, Continue, For, If, Region, Value, While
from samebits.types import INT, UINT64, ScalarType


def block(ctx: Context, body: Sequence[ast.stmt]) -> None:
    """Lower statements in order; unreachable ones are left out."""
    for node in body:
        if ctx.assigned is None:
            return
        handler = _HANDLERS.get(type(node))
        if handler is None:
            refuse(ctx, node)
        try:
            handler(ctx, node)
        except RecursionError:
            raise too_deep(ctx.span(node), ctx.calls) from None


def nested(ctx: Context, node: ast.stmt, body: Sequence[ast.stmt]) -> Region:
    """The statements of `body`, a part of `node`, as a region."""
    with ctx.region(body[0] if body else node) as region:
        block(ctx, body)
    return region


def _if(ctx: Context, node: ast.If) -> None:
    test = condition(ctx, node.test)
    before = ctx.assigned
    then = nested(ctx, node, node.body)
    after_then, ctx.assigned = ctx.assigned, before
    orelse = nested(ctx, node, node.orelse)
    ctx.assigned = merge(after_then, ctx.assigned)
    ctx.builder.append(If(ctx.builder.new_id(), test, then, orelse, ctx.span(node)))


def _is_true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def _while(ctx: Context, node: ast.While) -> None:
    with ctx.region(node) as head:
        test = condition(ctx, node.test)
    before = ctx.assigned
    body, orelse, wanted = _loop(ctx, node, before, None if _is_true(node.test) else before)
    number = ctx.builder.new_id()
    ctx.builder.append(While(number, head, test, body, orelse, ctx.span(node), wanted))


def _loop(
    ctx: Context,
    node: ast.While | ast.For,
    before: frozenset[str] | None,
    at_end: frozenset[str] | None,
) -> tuple[Region, Region, bool]:
    """Body and else of a loop, and whether it is to be vectorised; `at_end` is what is assigned
    when it ends without break."""
    ctx.breaks.append([])
    ctx.wanted.append(False)
    body = nested(ctx, node, node.body)
    breaks, wanted = ctx.breaks.pop(), ctx.wanted.pop()
    ctx.assigned = at_end
    orelse = nested(ctx, node, node.orelse) if at_end is not None else []
    for state in breaks:
        ctx.assigned = merge(ctx.assigned, state)
    return body, orelse, wanted


def _for(ctx: Context, node: ast.For) -> None:
    call = node.iter
    if not isinstance(node.target, ast.Name):
        ctx.fail(node.target, "a loop variable is one name", fix="write `for i in range(n)`")
    if parallel.is_prange(ctx, call):
        parallel.lower(ctx, node, node.target, block, _given_bound)
        return
    if not (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id not in ctx.local_names
        and ctx.kernel.lookup(call.func.id) is builtins.range
    ):
        ctx.fail(
            node.iter,
            "a `for` loop runs over range() or sb.prange()",
            fix="write `for i in range(len(a))` and index",
        )
    if call.keywords or not 1 <= len(call.args) <= 3:
        ctx.fail(call, "range() takes one to three numbers", fix="write range(start, stop, step)")
    bounds = [_given_bound(ctx, argument) for argument in call.args[:2]]
    span = ctx.span(call)
    start = bounds[0] if len(bounds) == 2 else ctx.builder.const(0, INT, span)
    step = 1
    if len(call.args) == 3:
        given = lower(ctx, call.args[2])
        if not isinstance(given, Literal) or not isinstance(given.value, int) or given.value == 0:
            ctx.fail(
                call.args[2],
                "the step of range() is a constant other than 0",
                fix="write a literal, or use a `while` loop",
            )
        literal(ctx, call.args[2], given, INT)
        step = given.value
    name = node.target.id
    before = ctx.assigned
    assignment.loop_variable(ctx, node.target, call)
    body, orelse, wanted = _loop(ctx, node, before, before)
    loop = For(ctx.builder.new_id(), name, start, bounds[-1], step, body, orelse, ctx.span(node))
    loop.vectorized = wanted
    ctx.builder.append(loop)


def _given_bound(ctx: Context, node: ast.expr) -> Value:
    match operand := lower(ctx, node):
        case Literal() if isinstance(operand.value, int):
            return literal(ctx, node, operand, INT)
        case Scalar() if operand.type is INT:
            return operand.value
        case Scalar() if operand.type.is_int and operand.type is not UINT64:
            return ctx.builder.value("convert", (operand.value,), INT, ctx.span(node))
        case _:
            ctx.fail(
                node,
                f"range() takes integers that fit int64, but this is {describe(operand)}",
                fix=f"write range(int64({ctx.text(node)}))"
                if isinstance(operand, (Scalar, Literal))
                else "give an integer",
            )


def _break(ctx: Context, node: ast.Break) -> None:
    if ctx.assigned is not None:
        ctx.breaks[-1].append(ctx.assigned)
    ctx.builder.append(Break(ctx.span(node)))
    ctx.assigned = None


def _continue(ctx: Context, node: ast.Continue) -> None:
    ctx.builder.append(Continue(ctx.span(node)))
    ctx.assigned = None


def _pass(ctx: Context, node: ast.Pass) -> None:
    del ctx, node


def _assert(ctx: Context, node: ast.Assert) -> None:
    test = condition(ctx, node.test)
    message: str | None = None
    if node.msg is not None:
        if not (isinstance(node.msg, ast.Constant) and isinstance(node.msg.value, str)):
            ctx.fail(
                node.msg, "the message of an assert is a string literal", fix="write plain text"
            )
        message = node.msg.value
    ctx.builder.effect("assert", (test,), ctx.span(node), message)


def _expression(ctx: Context, node: ast.Expr) -> None:
    if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
        return
    if not isinstance(node.value, ast.Call):
        if isinstance(node.value, ast.Yield | ast.YieldFrom | ast.Await):
            refuse(ctx, node.value)
        ctx.fail(node, "this expression has no effect", fix="assign it, or take it out")
    lower(ctx, node.value)


def _assign(ctx: Context, node: ast.Assign) -> None:
    value = _assigned_value(ctx, node)
    if len(node.targets) > 1 and isinstance(value, MemoryOperand):
        ctx.fail(
            node,
            "in Python both names would mean the same object",
            fix="assign one name, and `.copy()` of it to the other",
        )
    for target in node.targets:
        _assign_target(ctx, target, value, node.value)


def _assigned_value(ctx: Context, node: ast.Assign) -> Operand:
    """The value of an assignment. In `a[i], a[j] = a[j], a[i]` structs are copied first: Python
    would keep references, and the second would see the first's change."""
    if not isinstance(node.value, ast.Tuple):
        return lower(ctx, node.value)
    copied = copied_items(node)
    items: list[Operand] = []
    for source in node.value.elts:
        item = lower(ctx, source)
        if source in copied and isinstance(item, MemoryOperand) and not item.temporary:
            item = memory.fresh_copy(ctx, source, item)
        items.append(item)
    return Tuple(tuple(items))


def _assign_target(ctx: Context, target: ast.expr, value: Operand, source: ast.expr) -> None:
    match target:
        case ast.Name():
            assignment.to_name(ctx, target, value, source)
        case ast.Attribute() | ast.Subscript():
            targets.target(ctx, target).store(ctx, value, source)
        case ast.Tuple() | ast.List():
            if not isinstance(value, Tuple):
                ctx.fail(
                    target,
                    f"{describe(value)} can't be unpacked",
                    fix="assign it to one name and use its components"
                    if isinstance(value, Vector)
                    else "unpack a tuple or a call with several results",
                )
            if len(value.items) != len(target.elts):
                ctx.fail(
                    target,
                    f"{len(target.elts)} names for {len(value.items)} values",
                    fix="give one name a value",
                )
            if any(isinstance(v, MemoryOperand) and not v.temporary for v in value.items):
                ctx.fail(
                    source,
                    "in Python these would be references, and the second would see the first's "
                    "change",
                    fix="write `.copy()` of each, or assign on lines of their own",
                )
            sources = source.elts if isinstance(source, ast.Tuple) else [source] * len(target.elts)
            for part, item, item_source in zip(target.elts, value.items, sources, strict=True):
                _assign_target(ctx, part, item, item_source)
        case _:
            refuse(ctx, target)


def _augmented(ctx: Context, node: ast.AugAssign) -> None:
    target = node.target
    # What is assigned, for errors: a conversion of the right side alone would be another value.
    whole = ast.copy_location(ast.BinOp(target, node.op, node.value), node)
    if isinstance(target, ast.Name):
        current = lower(ctx, target)
        if isinstance(current, Static):
            ctx.fail(
                node,
                f"'{target.id}' is not assigned in this kernel",
                note="a module constant can't be changed by a kernel",
                fix=f"write `{target.id} = ...` first, under another name",
            )
        result = _changed(ctx, node, current)
        assignment.to_name(ctx, target, result, whole)
        return
    assert isinstance(target, (ast.Attribute, ast.Subscript))
    if isinstance(node.op, ast.Pow):
        text = ctx.text(target)
        ctx.fail(
            node,
            "`**=` is for names",
            note="CPython would compute it by the element's own `**`",
            fix=f"write `{text} = {text}**{ctx.text(node.value)}`",
        )
    place = targets.target(ctx, target)
    place.store(ctx, _changed(ctx, node, place.load(ctx)), whole)


def _changed(ctx: Context, node: ast.AugAssign, current: Operand) -> Operand:
    """What `current` becomes."""
    value = lower(ctx, node.value)
    if isinstance(node.op, ast.Pow):
        return operators.power(ctx, node, current, value)
    return operators.binary(ctx, node, operators.BINARY[type(node.op)], current, value)


def _annotated(ctx: Context, node: ast.AnnAssign) -> None:
    if node.value is None or not isinstance(node.target, ast.Name):
        ctx.fail(node, "a name gets its type when it is assigned", fix="assign a value")
    value = lower(ctx, node.value)
    annotation = lower(ctx, node.annotation)
    found: Any = annotation.object if isinstance(annotation, Static) else None
    t = getattr(found, "__sb_type__", None) or {bool: "bool", int: "int", float: "float"}.get(found)
    number = isinstance(value, Literal | Scalar)
    if number and isinstance(t, ScalarType) and takes_weak(t, value.type):
        ctx.joins.names[node.target.id] = t
        value = coerce(ctx, node.target, value, t, f"'{node.target.id}'", node.value)
    if str(t) != str(value.type):
        ctx.fail(
            node,
            f"'{node.target.id}' is annotated {ctx.text(node.annotation)}, "
            f"but the value is {describe(value)}",
            note="CPython ignores the annotation of a local name, so it can't convert",
            fix=f"write `{node.target.id} = {ctx.text(node.annotation)}({ctx.text(node.value)})`",
        )
    assignment.to_name(ctx, node.target, value, node.value)


def _match(ctx: Context, node: ast.Match) -> NoReturn:
    """What is refused: any other `match` is written out."""
    message, fix = REFUSAL
    ctx.fail(offending(node) or node, message, fix=fix)


_HANDLERS: dict[type[ast.stmt], Callable[[Context, Any], None]] = {
    ast.If: _if,
    ast.Match: _match,
    ast.While: _while,
    ast.For: _for,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.Pass: _pass,
    ast.Assert: _assert,
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AugAssign: _augmented,
    ast.AnnAssign: _annotated,
    ast.Return: results.lower_return,
}
