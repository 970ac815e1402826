"""Members of a struct's class in a kernel: operators, properties, constants, defaults.

An operator is a call of the method that CPython would call.
"""

from __future__ import annotations

import ast
from typing import Any, cast

from samebits.frontend.core.context import Context
from samebits.frontend.core.operands import (
    MemoryOperand,
    Operand,
    Scalar,
    Static,
    Tuple,
    describe,
    dimensions,
)
from samebits.frontend.operations import memory, struct_items
from samebits.frontend.operations.constants import captured
from samebits.frontend.operations.conversions import materialize
from samebits.frontend.operations.kernel_calls import call_kernel
from samebits.lang.annotations import class_of_type
from samebits.lang.kernel import Kernel, kernel_of, method_kernel
from samebits.lang.memory.struct_members import BINARY, COMPARE, SWAPPED, UNARY
from samebits.lang.memory.structs import Struct
from samebits.types import BOOL, StructType, VectorType


def struct_of(operand: Operand) -> StructType | None:
    """The type of an operand that is a struct."""
    t = operand.type if isinstance(operand, MemoryOperand) else None
    return t if isinstance(t, StructType) else None


def _kernel(operand: Operand, stem: str) -> Kernel | None:
    t = struct_of(operand)
    return method_kernel(t, f"__{stem}__") if t is not None else None


def binary(ctx: Context, node: ast.AST, sign: str, a: Operand, b: Operand) -> Operand:
    """`a sign b`, one of which is a struct, by the method of the first that has one."""
    stem = BINARY[sign]
    kernel = _kernel(a, stem)
    if kernel is not None:
        return _call(ctx, node, kernel, a, b)
    # CPython asks two values of one type once.
    kernel = _kernel(b, f"r{stem}") if struct_of(a) != struct_of(b) else None
    if kernel is not None:
        return _call(ctx, node, kernel, b, a)
    first = struct_of(a)
    missing = f"`__{stem}__` in {first}" if first else f"`__r{stem}__` in {struct_of(b)}"
    ctx.fail(
        node,
        f"`{sign}` on {describe(a)} and {describe(b)} has no method",
        fix=_added(ctx, node, a, b)
        or f"define {missing}, or use a component, a field or an element of it",
    )


def _added(ctx: Context, node: ast.AST, a: Operand, b: Operand) -> str | None:
    """What to write for `a += b` of an sb.List."""
    t = struct_of(a)
    match node:
        case ast.AugAssign(op=ast.Add()) if t is not None and method_kernel(t, "extend"):
            many = struct_of(b) == t or dimensions(b)
            call = "{a}.extend({b})" if many else "{a}.append({b})"
            return ctx.filled(f"write `{call}`", node, a=node.target, b=node.value)
        case _:
            return None


def unary(ctx: Context, node: ast.UnaryOp, sign: str, a: Operand) -> Operand:
    """`sign a` of a struct."""
    kernel = _kernel(a, UNARY[sign])
    if kernel is None:
        ctx.fail(
            node,
            f"`{sign}` is not there for {describe(a)}",
            fix=f"define `__{UNARY[sign]}__` in {struct_of(a)}",
        )
    return _call(ctx, node, kernel, a)


def compare(ctx: Context, node: ast.AST, sign: str, a: Operand, b: Operand) -> Scalar:
    """`a sign b`, one of which is a struct: as CPython, also by the other's swapped method."""
    stem = COMPARE[sign]
    kernel, operands = _kernel(a, stem), (a, b)
    first = struct_of(a)
    if kernel is None and stem == "ne" and first is not None:
        return _not(ctx, node, compare(ctx, node, "==", a, b))
    # Every struct has an `==`, which refuses.
    if kernel is None and not (stem in ("eq", "ne") and first is not None):
        kernel, operands = _kernel(b, SWAPPED[stem]), (b, a)
        if kernel is None and stem == "ne" and _kernel(b, "eq") is not None:
            return _not(ctx, node, compare(ctx, node, "==", b, a))
    if kernel is None:
        ctx.fail(
            node,
            f"`{sign}` compares numbers and vectors, but this is "
            f"{describe(a if first is not None else b)}",
            fix=f"compare its fields, or define `__{stem}__` in {first or struct_of(b)}",
        )
    result = _call(ctx, node, kernel, *operands)
    assert isinstance(result, Scalar)
    return result


def _not(ctx: Context, node: ast.AST, equal: Scalar) -> Scalar:
    return Scalar(ctx.builder.value("not", (equal.value,), BOOL, ctx.span(node)), BOOL)


def item(ctx: Context, node: ast.Subscript, base: MemoryOperand, index: Operand) -> Operand:
    """`base[index]` of a struct."""
    if isinstance(index, Tuple):
        kernel = _kernel(base, "getitem") or _kernel(base, "position")
        fix = None if kernel is None else key_fix(ctx, node, kernel)
        if fix is not None:
            ctx.fail(node.slice, f"an item of {base.type} is at one index", fix=fix)
    if memory.elements_of(base) is not None:
        ref, t = struct_items.place(ctx, node, node.slice, base, index)
        return memory.load(ctx, ref, t, base.roots, base.readonly, ctx.span(node))
    return _call(ctx, node, _item_kernel(ctx, node, base, "getitem"), base, index)


def set_item(
    ctx: Context,
    node: ast.Subscript,
    base: MemoryOperand,
    index: Operand,
    value: Operand,
    source: ast.AST | None = None,
) -> None:
    """`base[index] = value` of a struct."""
    if memory.elements_of(base) is not None and _kernel(base, "setitem") is None:
        ctx.mark_written(base, node)
        ref, t = struct_items.place(ctx, node, node.slice, base, index)
        memory.store(ctx, node, ref, t, value, f"an item of {base.type}", source)
        return
    _call(ctx, node, _item_kernel(ctx, node, base, "setitem"), base, index, value)


def _item_kernel(ctx: Context, node: ast.Subscript, base: MemoryOperand, stem: str) -> Kernel:
    kernel = _kernel(base, stem)
    if kernel is None:
        ctx.fail(
            node,
            f"{describe(base)} can't be indexed"
            if stem == "getitem"
            else f"{describe(base)} has no elements to assign",
            fix=f"index an array field of it, or define `__{stem}__` in {base.type}",
        )
    if isinstance(node.slice, ast.Tuple | ast.Slice):
        fix = "write a method with a name"
        if isinstance(node.slice, ast.Tuple):
            fix = key_fix(ctx, node, kernel) or fix
        ctx.fail(node.slice, f"`__{stem}__` takes one index", fix=fix)
    return kernel


def key_fix(ctx: Context, node: ast.Subscript, kernel: Kernel) -> str | None:
    """What to write where the numbers of a vector, the index that a method takes, stand alone."""
    types = kernel.fixed_types
    t = types[1] if types is not None and len(types) > 1 else None
    if not isinstance(t, VectorType) or not isinstance(node.slice, ast.Tuple):
        return None
    if len(node.slice.elts) != t.length:
        return None
    items = ", ".join(map(ctx.text, node.slice.elts))
    return ctx.filled("write `{m}[{t}({k})]`", m=node.value, t=str(t), k=items)


def _call(ctx: Context, node: ast.AST, kernel: Kernel, *operands: Operand) -> Operand:
    return call_kernel(ctx, node, kernel, [(node, operand) for operand in operands])


def member(ctx: Context, node: ast.Attribute, base: MemoryOperand) -> Operand | None:
    """The value of a property or class constant of a struct; None if it is neither."""
    assert isinstance(base.type, StructType)
    cls: Any = class_of_type(base.type)
    members: dict[str, Any] = dict(cast("Any", vars(cls)))
    found: Any = members.get(node.attr)
    if isinstance(found, property) and (kernel := kernel_of(found)) is not None:
        return _call(ctx, node, kernel, base)
    if node.attr in cls.__sb_constants__:
        # A value of the object's: CPython folds it nowhere.
        return materialize(ctx, node, captured(ctx, node, cls.__sb_constants__[node.attr]))
    return None


def of_class(ctx: Context, node: ast.Attribute, base: Static) -> Operand | None:
    """A constant or method read from a struct's class; None for anything else."""
    if not (isinstance(base.object, type) and issubclass(base.object, Struct)):
        return None
    if node.attr in base.object.__sb_constants__:
        return captured(ctx, node, base.object.__sb_constants__[node.attr])
    found = vars(base.object).get(node.attr)
    kernel = None if isinstance(found, property) else kernel_of(found)
    return Static(kernel) if kernel is not None else None
