"""Names and attributes: local values, captured constants, fields, components."""

from __future__ import annotations

import ast
from typing import Any, cast

from samebits.frontend.core import advice
from samebits.frontend.core.context import Context
from samebits.frontend.core.math_name import math_in
from samebits.frontend.core.operands import (
    Literal,
    MemoryOperand,
    Operand,
    Scalar,
    Static,
    Vector,
    View,
    describe,
    dimensions,
)
from samebits.frontend.core.refusals import samebits_attribute
from samebits.frontend.operations import matrices, memory, method_fixes
from samebits.frontend.operations.constants import captured
from samebits.lang.constants import is_namespace
from samebits.types import (
    COMPONENTS,
    ArrayType,
    FixedArrayType,
    MatrixType,
    vector_of,
)

Items = tuple[object, ...]


def name(ctx: Context, node: ast.Name) -> Operand:
    """The value of a local name, or the captured object of an outer one."""
    local = ctx.read(node.id, node)
    if local is not None:
        return local
    try:
        value = ctx.kernel.lookup(node.id)
    except LookupError:
        ctx.fail(
            node,
            f"unknown name '{node.id}'",
            note="it is no parameter, no local name, no module or closure name, and no builtin",
            fix=f"define '{node.id}' at module level, or pass it as a parameter",
        )
    return captured(ctx, node, value)


def attribute(ctx: Context, node: ast.Attribute, base: Operand) -> Operand:
    """`base.attr`, with the base lowered already."""
    match base:
        case Static():
            if not is_namespace(base.object):
                ctx.fail(
                    node,
                    f"'{ctx.text(node)}' is an attribute of {describe(base)}, "
                    "which a kernel can't read",
                    fix="read it outside and keep the value in a module constant",
                )
            if not hasattr(base.object, node.attr):
                name = str(
                    getattr(base.object, "__module__", "") or getattr(base.object, "__name__", "")
                )
                ours = samebits_attribute(base.object, node.attr)
                if ours is not None:
                    fix = f"write {math_in(ctx.kernel.function.__globals__)}.{ours}"
                elif name == "samebits" and node.attr in dir(cast("Any", base.object).math):
                    fix = f"write {math_in(ctx.kernel.function.__globals__)}.{node.attr}"
                elif name.partition(".")[0] == "samebits":
                    call = _called(ctx, node)
                    given = call.args if isinstance(call, ast.Call) else []
                    fix = advice.for_name(name, node.attr, dir(base.object))
                    fix = ctx.filled(fix, call, **advice.bounds(given))
                else:
                    fix = f"define '{node.attr}' there, or correct the name"
                ctx.fail(node, f"{describe(base)} has no '{node.attr}'", fix=fix)
            return captured(ctx, node, ctx.kernel.attribute(base.object, node.attr))
        case Vector():
            return swizzle(ctx, node, base)
        case MemoryOperand() if not isinstance(base.type, FixedArrayType):
            ref, t = memory.field(ctx, node, base)
            return memory.load(ctx, ref, t, base.roots, base.readonly, ctx.span(node))
        case _:
            if isinstance(base, (View, MemoryOperand)):
                call, t = _called(ctx, node), base.type
                given = call.keywords if isinstance(call, ast.Call) else []
                axis = next((ctx.text(k.value) for k in given if k.arg == "axis"), None)
                element = t.element if isinstance(t, ArrayType | FixedArrayType) else t
                fix = advice.for_array_attribute(node.attr, element, dimensions(base), axis)
            elif isinstance(base, Literal) and node.attr == "value":
                fix = "an IntEnum's member is a number: write `{a}`"
            else:
                of_value = method_fixes.of_value(ctx, _called(ctx, node), node.attr, base)
                fix = advice.NUMBER_ATTRIBUTES.get(node.attr) or of_value
                fix = fix or "use a number or vector operation"
            fix = ctx.filled(fix, _called(ctx, node), a=node.value)
            ctx.fail(node, f"{describe(base)} has no attribute '{node.attr}'", fix=fix)


def _called(ctx: Context, node: ast.Attribute) -> ast.expr:
    """The call of a method, or the attribute that is none."""
    calls = (part for part in ast.walk(ctx.source.node) if isinstance(part, ast.Call))
    return next((call for call in calls if call.func is node), node)


def swizzle(ctx: Context, node: ast.Attribute, base: Vector) -> Operand:
    """`v.x`, `v.zyx`."""
    if isinstance(base.type, MatrixType):
        return matrices.column(ctx, node, base, base.type)
    letters = node.attr
    available = COMPONENTS[: base.type.length]
    if not letters or any(c not in available for c in letters) or len(letters) > 4:
        ctx.fail(
            node,
            f"{base.type} has no component '{letters}'",
            fix=ctx.filled(
                advice.VECTOR_ATTRIBUTES.get(letters)
                or method_fixes.of_value(ctx, _called(ctx, node), letters, base)
                or f"use letters of '{available}', one to four of them",
                _called(ctx, node),
                a=node.value,
            ),
        )
    items = tuple(base.items[available.index(c)] for c in letters)
    if len(items) == 1:
        return Scalar(items[0], base.type.element)
    return Vector(items, vector_of(base.type.element, len(items)))
