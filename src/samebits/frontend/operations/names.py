"""Names and attributes: local values, captured constants, fields, components."""

from __future__ import annotations

import ast
from typing import Any, cast

import numpy as np

from samebits.frontend.core import advice
from samebits.frontend.core.context import Context
from samebits.frontend.core.operands import (
    Literal,
    MemoryOperand,
    Operand,
    Scalar,
    Static,
    Tuple,
    Vector,
    View,
    describe,
)
from samebits.frontend.operations import matrices, memory
from samebits.lang.constants import is_namespace
from samebits.lang.memory.structs import Struct
from samebits.lang.memory.tables import Table
from samebits.lang.values.fixed.fixed_point import FixedPoint
from samebits.lang.values.scalars import RAW_OF
from samebits.lang.values.vectors import Vector as ManagedVector
from samebits.lang.values.vectors import components
from samebits.types import (
    BOOL,
    COMPONENTS,
    FixedArrayType,
    MatrixType,
    RefType,
    ScalarType,
    StructType,
    VectorType,
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


def captured(ctx: Context, node: ast.expr, value: object) -> Operand:
    """A Python object from outside the kernel, as a constant where it is one."""
    span = ctx.span(node)
    match value:
        case bool():
            return Scalar(ctx.builder.const(value, BOOL, span), BOOL)
        case np.generic():
            number = cast("np.generic[Any]", value)
            t = getattr(number, "__sb_type__", None)
            if not isinstance(t, ScalarType):
                ctx.fail(
                    node,
                    f"a constant of NumPy type {number.dtype} is not in the kernel language",
                    fix="use one of bool, int8 ... uint64, float32, float64",
                )
            return Scalar(ctx.builder.const(RAW_OF[t](number), t, span), t)
        case FixedPoint():
            number = value.__sb_type__
            return Scalar(ctx.builder.const(value.raw, number, span), number)
        case int() | float():
            return Literal(value, span)
        case Table():
            t = FixedArrayType(value.element, value.raw.shape)
            name = value.identity
            ref = ctx.builder.value("table", (), RefType(t), span, name)
            ctx.tables[name] = value
            return MemoryOperand(ref, t, frozenset({ctx.text(node)}), readonly=True)
        case np.ndarray():
            ctx.fail(
                node,
                f"the array '{ctx.text(node)}' comes from outside the kernel",
                note="it could change between the compilation and the call",
                fix="pass it as a parameter, or freeze it at module level: "
                f"`sb.table({ctx.text(node)}, {advice.own_type(str(value.dtype))})`",
            )
        case Struct():
            t = value.__sb_type__
            ctx.fail(
                node,
                f"the struct '{ctx.text(node)}' comes from outside the kernel",
                note="it could change between the compilation and the call",
                fix=_fix_of_captured(value, t),
            )
        case tuple():
            return Tuple(tuple(captured(ctx, node, item) for item in cast("Items", value)))
        case _:
            t = getattr(value, "__sb_type__", None)
            if isinstance(t, VectorType) and not isinstance(value, type):
                raw = RAW_OF[t.element]
                parts = components(cast("ManagedVector", value))
                return Vector(
                    tuple(ctx.builder.const(raw(part), t.element, span) for part in parts), t
                )
            return Static(value)


def _fix_of_captured(value: Struct, t: StructType) -> str:
    """What to write for a struct from outside the kernel."""
    numbers = [getattr(value, name) for name, f in t.fields if isinstance(f, ScalarType)]
    if len(numbers) < len(t.fields):
        return "pass it as a parameter, or make it in the kernel"
    made = f"{t}({', '.join(str(number) for number in numbers)})"
    return f"pass it as a parameter, or make it in the kernel: `{made}`"


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
                own = name.partition(".")[0] != "samebits"
                ctx.fail(
                    node,
                    f"{describe(base)} has no '{node.attr}'",
                    fix=f"define '{node.attr}' there, or correct the name"
                    if own
                    else advice.for_name(name, node.attr, dir(base.object)),
                )
            return captured(ctx, node, ctx.kernel.attribute(base.object, node.attr))
        case Vector():
            return swizzle(ctx, node, base)
        case MemoryOperand() if not isinstance(base.type, FixedArrayType):
            ref, t = memory.field(ctx, node, base)
            return memory.load(ctx, ref, t, base.roots, base.readonly, ctx.span(node))
        case _:
            if isinstance(base, (View, MemoryOperand)):
                fix = advice.ARRAY_ATTRIBUTES.get(
                    node.attr, "an array has `len({a})` and `{a}.shape[0]`"
                )
            elif isinstance(base, Literal) and node.attr == "value":
                fix = "an IntEnum's member is a number: write `{a}`"
            else:
                fix = advice.NUMBER_ATTRIBUTES.get(node.attr, "use a number or vector operation")
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
                advice.VECTOR_ATTRIBUTES.get(
                    letters, f"use letters of '{available}', one to four of them"
                ),
                _called(ctx, node),
                a=node.value,
            ),
        )
    items = tuple(base.items[available.index(c)] for c in letters)
    if len(items) == 1:
        return Scalar(items[0], base.type.element)
    return Vector(items, vector_of(base.type.element, len(items)))
