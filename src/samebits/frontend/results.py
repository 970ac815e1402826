"""Results: the operands of `return`, at the declared types and as objects of their own."""

from __future__ import annotations

import ast

from samebits.frontend.core.context import Context, values_of
from samebits.frontend.core.operands import (
    MemoryOperand,
    Nothing,
    Operand,
    Scalar,
    Tuple,
    Vector,
    describe,
)
from samebits.frontend.expressions import lower
from samebits.frontend.operations.conversions import passed, widened
from samebits.ir.grammar import Return, Value
from samebits.types import NONE, NoneType, TupleType, Type


def lower_return(ctx: Context, node: ast.Return) -> None:
    """`return ...`: scalars as values, structs copied to where the caller wants them."""
    span = ctx.span(node)
    value = lower(ctx, node.value) if node.value is not None else Nothing()
    if isinstance(node.value, ast.Constant) and node.value.value is None:
        value = Nothing()
    ctx.result = _result_type(ctx, node, value)
    values: list[Value] = []
    wanted = ctx.result.items if isinstance(ctx.result, TupleType) else (ctx.result,)
    given = value.items if isinstance(value, Tuple) else (value,)
    if len(wanted) != len(given):
        ctx.fail(
            node,
            f"{len(given)} result{'s' * (len(given) != 1)} where {len(wanted)} are declared",
            note=f"the kernel returns {ctx.result}",
            fix=f"return {len(wanted)}, or change the annotation",
        )
    if isinstance(value, Tuple) != isinstance(ctx.result, TupleType):
        ctx.fail(
            node,
            f"the result is {ctx.result}, but this is {describe(value)}",
            fix=f"write `-> {value.type}`",
        )
    _distinct_objects(ctx, node, given)
    outs = 0
    for k, (t, item) in enumerate(zip(wanted, given, strict=True)):
        if isinstance(t, NoneType):
            if not isinstance(item, Nothing):
                ctx.fail(
                    node,
                    f"the kernel is annotated to return None, but this is {describe(item)}",
                    fix=f"write `-> {item.type}`",
                )
            continue
        item = _passed(ctx, node, item, t, None if len(given) == 1 else k)
        if isinstance(item, MemoryOperand):
            if item.roots and not (len(given) == 1 and _is_own(ctx, item)):
                ctx.fail(
                    node,
                    "in Python this would return the constant itself, which the caller could change"
                    if ctx.is_outer(item)
                    else "in Python two results would be the same object"
                    if _is_own(ctx, item)
                    else "in Python this would return a reference to the caller's memory",
                    fix="return `.copy()` of it",
                )
            destination = ctx.builder.get(f"return.{outs}", span)
            ctx.builder.effect("copy", (destination, item.value), span)
            outs += 1
        else:
            assert isinstance(item, (Scalar, Vector))
            values += values_of(item)
    ctx.builder.append(Return(tuple(values), span))
    ctx.assigned = None


def _passed(ctx: Context, node: ast.Return, item: Operand, t: Type, k: int | None) -> Operand:
    """One result at its declared type; with `k` it is item k of several."""
    if k is None:
        return passed(ctx, node, item, t, "the result", node.value)
    what = f"result {k + 1}"
    if isinstance(node.value, ast.Tuple):
        return passed(ctx, node, item, t, what, node.value.elts[k])
    strong = isinstance(item, Scalar) and not item.type.weak
    if strong and item.type != t and not widened(item, t):
        assert node.value is not None
        assert isinstance(ctx.result, TupleType)
        names = "abcdefgh"[: len(ctx.result.items)]
        returned = ", ".join(f"{t}({n})" if i == k else n for i, n in enumerate(names))
        ctx.fail(
            node.value,
            f"{what} is {t}, but this is {describe(item)}",
            fix=f"write `{', '.join(names)} = {ctx.text(node.value)}`, and `return {returned}`",
        )
    return passed(ctx, node, item, t, what, node.value)


def _is_own(ctx: Context, item: MemoryOperand) -> bool:
    """Whether it lies in memory that ends with the call."""
    variables = (ctx.variables.get(root) for root in item.roots)
    return all(v is not None and v.local is not None for v in variables)


def _distinct_objects(ctx: Context, node: ast.Return, given: tuple[Operand, ...]) -> None:
    """Refuse to return one struct twice: in Python both results would be the same object."""
    sources = node.value.elts if isinstance(node.value, ast.Tuple) else []
    owners: set[str] = set()
    for source, item in zip(sources, given, strict=False):
        if not isinstance(item, MemoryOperand) or item.temporary:
            continue
        base = source
        while isinstance(base, ast.Attribute | ast.Subscript):
            base = base.value
        name = ctx.text(base)
        if name in owners:
            ctx.fail(
                source,
                f"'{name}' is returned twice: in Python both results would be the same object",
                fix=f"return `{ctx.text(source)}.copy()`",
            )
        owners.add(name)


def _result_type(ctx: Context, node: ast.Return, value: Operand) -> Type:
    if ctx.result is not None:
        return ctx.result
    if not isinstance(value, Nothing):
        ctx.fail(
            node,
            "the kernel returns a value but has no return annotation",
            fix=f"write `-> {value.type}` in its `def` line",
        )
    return NONE
