"""Parallel ranges: the body of `for i in sb.prange(n)` becomes a function of its own.

Its parameters are the range and the outer names that it uses. Owns what a body may do to those;
which elements it may touch is `own_index`'s.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from samebits.frontend import assignment
from samebits.frontend.core.builder import Builder
from samebits.frontend.core.context import Context, Variable, slots_of, values_of
from samebits.ir.grammar import For, Return, Value, ValueType
from samebits.lang.parallel import prange
from samebits.types import INT, NONE, FixedArrayType, StructType

START, STOP = ".start", ".stop"
"""The first parameters of a parallel body: the range of its iterations."""

Block = Callable[[Context, Sequence[ast.stmt]], None]
Bounds = Callable[[Context, ast.Call], list[Value]]
"""The numbers that a call gives, in order, as weak ints."""
Param = tuple[str, ValueType]


def is_prange(ctx: Context, call: ast.expr) -> bool:
    """Whether an expression is a call of `prange`."""
    return isinstance(call, ast.Call) and _outer(ctx, call.func) is prange


def _outer(ctx: Context, node: ast.expr) -> object:
    """The outer object that a name, or an attribute of one, denotes; None if it is none."""
    try:
        if isinstance(node, ast.Name) and node.id not in ctx.local_names:
            return ctx.kernel.lookup(node.id)
        if isinstance(node, ast.Attribute):
            owner = _outer(ctx, node.value)
            return None if owner is None else ctx.kernel.attribute(owner, node.attr)
    except (LookupError, AttributeError):
        pass
    return None


def lower(ctx: Context, node: ast.For, name: ast.Name, block: Block, given: Bounds) -> None:
    """`for name in sb.prange(...)`. Inside another parallel body it is a plain loop."""
    call = node.iter
    assert isinstance(call, ast.Call)
    batch = _batch(ctx, call)
    if not 1 <= len(call.args) <= 2:
        ctx.fail(
            call,
            "prange() takes a length, or a start and a stop",
            note="its iterations have no order, so that there is no step",
            fix="write sb.prange(n) or sb.prange(start, stop)",
        )
    bounds = given(ctx, call)
    span = ctx.span(call)
    start = bounds[0] if len(bounds) == 2 else ctx.builder.const(0, INT, span)
    _refuse(ctx, node, name)
    if ctx.is_parallel:
        _serial(ctx, node, name, start, bounds[-1], block)
        return
    inner, params = _inner(ctx, node)
    inner.builder.slots[START] = inner.builder.slots[STOP] = INT
    first, last = inner.builder.get(START, span), inner.builder.get(STOP, span)
    _serial(inner, node, name, first, last, block)
    inner.builder.append(Return((), span))
    if ctx.joins.grown:
        return  # a name of the body has another type: all this is lowered again
    symbol = ctx.outline(inner, ((START, INT), (STOP, INT), *params), name.id, span)
    ctx.written |= inner.written
    ctx.private |= {name.id, *inner.first_use}
    captured: list[Value] = []
    for outer in _captured(ctx, node):
        operand = ctx.read(outer, call)
        assert operand is not None
        captured += values_of(operand)
    size = ctx.builder.const(batch, INT, span)
    ctx.builder.effect("parallel", (start, bounds[-1], size, *captured), span, symbol)


def _batch(ctx: Context, call: ast.Call) -> int:
    """The batch given by the call; 0 for none."""
    batch = 0
    for keyword in call.keywords:
        if keyword.arg != "batch":
            ctx.fail(call, f"prange() has no parameter '{keyword.arg}'", fix="it has `batch`")
        value = keyword.value
        found = value.value if isinstance(value, ast.Constant) else _outer(ctx, value)
        if isinstance(value, ast.Constant) and found is None:
            continue
        if type(found) is not int or not 1 <= found <= INT.maximum:
            ctx.fail(
                value,
                f"the batch of prange() is a positive constant, not `{ctx.text(value)}`",
                fix="leave it out, or write a literal such as batch=64",
            )
        batch = found
    return batch


def _refuse(ctx: Context, node: ast.For, name: ast.Name) -> None:
    """Refuse what iterations that have no order can't do."""
    if node.orelse:
        ctx.fail(
            node.orelse[0],
            "a parallel range has no `else`",
            note="it always runs all its iterations",
            fix="write these statements after the loop",
        )
    for jump in _jumps(node.body, own=True):
        word = "break" if isinstance(jump, ast.Break) else "return"
        ctx.fail(
            jump,
            f"`{word}` would end the other iterations of a parallel range, which have no order",
            fix="use `continue` to end this iteration, or a plain `range` loop",
        )
    assigned = ctx.assigned or frozenset[str]()
    for inner in ast.walk(ast.Module([*node.body, ast.Expr(name)], [])):
        if not isinstance(inner, ast.Name) or not isinstance(inner.ctx, ast.Store):
            continue
        if inner.id in assigned:
            what = "the loop variable of" if inner is name else "the body of"
            ctx.fail(
                inner,
                f"'{inner.id}' is shared by all iterations: "
                f"{what} a parallel range can't assign it",
                note="iterations run in any order, and at the same time",
                fix="use a new name for what belongs to one iteration; for a result, write an "
                "array at [i] and combine its elements afterwards, as with math.sum",
            )
        if inner.id == name.id and inner is not name:
            ctx.fail(
                inner,
                f"'{inner.id}' is the iteration's own index, which its body can't assign",
                fix="use another name",
            )


def _jumps(body: Sequence[ast.stmt], own: bool) -> Iterator[ast.stmt]:
    """Every `return` inside, and every `break` of this loop itself."""
    for statement in body:
        match statement:
            case ast.Return():
                yield statement
            case ast.Break():
                if own:
                    yield statement
            case ast.For() | ast.While():
                yield from _jumps(statement.body, own=False)
                yield from _jumps(statement.orelse, own)
            case ast.If():
                yield from _jumps(statement.body, own)
                yield from _jumps(statement.orelse, own)
            case _:
                pass


def _serial(
    ctx: Context, node: ast.For, name: ast.Name, start: Value, stop: Value, block: Block
) -> None:
    """The loop over the iterations from `start` to `stop`, in order."""
    before = ctx.assigned
    assignment.loop_variable(ctx, name, node.iter)
    ctx.wanted.append(False)
    with ctx.region(node) as body:
        block(ctx, node.body)
    ctx.assigned = before
    loop = For(ctx.builder.new_id(), name.id, start, stop, 1, body, [], ctx.span(node))
    loop.vectorized = ctx.wanted.pop()
    ctx.builder.append(loop)


def _captured(ctx: Context, node: ast.For) -> list[str]:
    """The outer names that the body uses, in the order in which they were declared."""
    used = {n.id for part in node.body for n in ast.walk(part) if isinstance(n, ast.Name)}
    return [n for n in ctx.variables if n in used and n in (ctx.assigned or frozenset[str]())]


def _inner(ctx: Context, node: ast.For) -> tuple[Context, list[Param]]:
    """The body's own context, and the parameters for what it captures."""
    inner = replace(
        ctx,
        builder=Builder(),
        result=NONE,
        variables={},
        assigned=frozenset(),
        breaks=[],
        written=set(),
        first_use={},
        exempt=set(),
        is_parallel=True,
    )
    params: list[Param] = []
    for name in _captured(ctx, node):
        outer = ctx.variables[name]
        roots = outer.roots
        if isinstance(outer.type, StructType | FixedArrayType):
            roots = roots or frozenset({name})
        params += slots_of(name, outer.type)
        inner.declare(
            Variable(name, outer.type, roots=roots, readonly=outer.readonly, parameter=True)
        )
        inner.mark_assigned(name)
    return inner, params
