"""Memory: fields, elements, loads and stores, and copies of structs."""

from __future__ import annotations

import ast
from typing import NoReturn

from samebits.errors import Span
from samebits.frontend.core.context import Context, values_of
from samebits.frontend.core.operands import (
    Literal,
    MemoryOperand,
    Operand,
    Scalar,
    Vector,
    View,
    describe,
)
from samebits.frontend.operations import halves
from samebits.frontend.operations.conversions import index_value, passed
from samebits.ir.grammar import Value
from samebits.lang.annotations import class_of_type
from samebits.lang.kernel import method_kernel
from samebits.types import (
    FLOAT16,
    INT,
    ArrayType,
    FixedArrayType,
    MemoryType,
    RefType,
    ScalarType,
    StructType,
    VectorType,
)
from samebits.value_text import from_end_text


def load(
    ctx: Context, ref: Value, t: MemoryType, roots: frozenset[str], readonly: bool, span: Span
) -> Operand:
    """The content of `ref`: a scalar or vector by value, a struct or array as a reference to its
    memory."""
    match t:
        case ScalarType():
            return Scalar(_loaded(ctx, ref, t, span), t)
        case VectorType():
            items = [component(ctx, ref, t, i, span) for i in range(t.length)]
            return Vector(tuple(_loaded(ctx, item, t.element, span) for item in items), t)
        case _:
            return MemoryOperand(ref, t, roots, readonly)


def _loaded(ctx: Context, ref: Value, t: ScalarType, span: Span) -> Value:
    value = ctx.builder.value("load", (ref,), t, span)
    return halves.canonical(ctx, value, span) if t == FLOAT16 else value


def component(ctx: Context, ref: Value, t: VectorType, index: int, span: Span) -> Value:
    return ctx.builder.value("component", (ref,), RefType(t.element), span, index)


def store(
    ctx: Context,
    node: ast.AST,
    ref: Value,
    t: MemoryType,
    value: Operand,
    what: str,
    source: ast.AST | None = None,
) -> None:
    """Write `value`, converted as an assignment converts, over what lies at `ref`."""
    span = ctx.span(node)
    value = passed(ctx, node, value, t, what, source)
    match value:
        case Scalar():
            ctx.builder.effect("store", (ref, value.value), span)
        case Vector():
            for i, item in enumerate(values_of(value)):
                ctx.builder.effect("store", (component(ctx, ref, value.type, i, span), item), span)
        case MemoryOperand():
            ctx.builder.effect("copy", (ref, value.value), span)
        case _:
            raise AssertionError(value)


def field(ctx: Context, node: ast.Attribute, base: MemoryOperand) -> tuple[Value, MemoryType]:
    """The reference to `base.attr`."""
    assert isinstance(base.type, StructType)
    t = base.type.field_types.get(node.attr)
    if t is None and method_kernel(base.type, node.attr) is not None:
        ctx.fail(
            node,
            f"'{node.attr}' is a method of {base.type}, and no value",
            fix="call it; for a parameter that takes a kernel, write one that takes the struct",
        )
    if t is None:
        names = ", ".join(base.type.field_types)
        ctx.fail(
            node,
            f"{base.type} has no field '{node.attr}'",
            note=f"its fields are {names}",
            fix="use one of them, or add the field to the struct",
        )
    ref = ctx.builder.value("field", (base.value,), RefType(t), ctx.span(node), node.attr)
    return ref, t


def element(
    ctx: Context,
    node: ast.Subscript,
    base: MemoryOperand | View,
    indices: list[tuple[ast.expr, Operand]],
) -> tuple[Value, MemoryType]:
    """The reference to `base[indices]`, each index checked."""
    ndim = base.type.ndim if isinstance(base, View) else len(fixed(base).shape)
    if len(indices) != ndim:
        wrong_count(ctx, node, base, len(indices))
    checked = tuple(
        checked_index(ctx, node, base, axis, index) for axis, index in enumerate(indices)
    )
    t = base.type.element if isinstance(base, View) else fixed(base).element
    return ctx.builder.value("element", (base.value, *checked), RefType(t), ctx.span(node)), t


def wrong_count(
    ctx: Context, node: ast.Subscript, base: MemoryOperand | View, count: int
) -> NoReturn:
    """Raise the error of another number of indices than dimensions."""
    ndim = base.type.ndim if isinstance(base, View) else len(fixed(base).shape)
    ctx.fail(
        node,
        f"{describe(base)} has {ndim} dimension{'s' * (ndim > 1)}, but {count} "
        f"{'indices are' if count > 1 else 'index is'} given",
        fix=_fix_of_row(ctx, node)
        if count == 1 and ndim == 2 and isinstance(node.ctx, ast.Store)
        else f"write `a[{', '.join('ijkl'[:ndim])}]`",
    )


def _fix_of_row(ctx: Context, node: ast.Subscript) -> str:
    """What to write where a row is assigned: a loop over its elements."""

    def element(part: ast.expr) -> str:
        if not isinstance(part, ast.Subscript):
            return f"({ctx.text(part)})[j]"
        return f"{ctx.text(part.value)}[{ctx.text(part.slice)}, j]"

    left, right = element(node), "..."
    for statement in ast.walk(ctx.source.node):
        match statement:
            case ast.Assign(targets=[ast.Tuple(elts=parts)], value=ast.Tuple(elts=given)):
                rows = (*parts, *given)
                if node in parts and all(isinstance(row, ast.Subscript) for row in rows):
                    left, right = (", ".join(map(element, side)) for side in (parts, given))
            case ast.Assign(targets=[target], value=ast.Constant() as number) if target is node:
                right = ctx.text(number)
            case _:
                pass
    columns = f"{ctx.text(node.value)}.shape[1]"
    return f"loop over its elements: `for j in range({columns}): {left} = {right}`"


def checked_index(
    ctx: Context,
    node: ast.Subscript,
    base: MemoryOperand | View,
    axis: int,
    index: tuple[ast.expr, Operand],
) -> Value:
    """An index along `axis`; a negative constant counts from the end."""
    place, operand = index
    value = index_value(ctx, place, operand)
    ndim = base.type.ndim if isinstance(base, View) else len(fixed(base).shape)
    said: int | str | None = axis if ndim > 1 else None
    constant = from_end(operand)
    if constant is not None:
        count = length(ctx, node, base, axis)
        value = ctx.builder.value("add", (count, value), INT, ctx.span(node))
        said = from_end_text(constant, said)
    count = length(ctx, node, base, axis)
    ctx.builder.effect("index", (value, count), ctx.span(node), said)
    return value


def from_end(index: Operand) -> int | None:
    """The negative constant that an index is, which counts from the end; None of any other."""
    value = index.value if isinstance(index, Literal) else 0
    return value if isinstance(value, int) and value < 0 else None


def fixed(base: MemoryOperand) -> FixedArrayType:
    assert isinstance(base.type, FixedArrayType)
    return base.type


def length(ctx: Context, node: ast.AST, base: MemoryOperand | View, axis: int) -> Value:
    """Weak int: the length along `axis`."""
    span = ctx.span(node)
    if isinstance(base, MemoryOperand):
        return ctx.builder.const(fixed(base).shape[axis], INT, span)
    return ctx.builder.value("length", (base.value,), INT, span, axis)


def as_view(ctx: Context, node: ast.AST, base: MemoryOperand) -> View:
    """A fixed array as an array value."""
    t = fixed(base)
    array = ArrayType(t.element, len(t.shape), base.readonly)
    value = ctx.builder.value("view", (base.value,), array, ctx.span(node))
    return View(value, array, base.roots)


def elements_of(base: Operand) -> str | None:
    """The name of the field whose elements are the struct's; None where there is none."""
    t = base.type if isinstance(base, MemoryOperand) else None
    if not isinstance(t, StructType):
        return None
    return getattr(class_of_type(t), "__sb_elements__", None)


def elements_field(ctx: Context, node: ast.AST, base: MemoryOperand) -> MemoryOperand:
    """The field whose elements are the struct's."""
    name = elements_of(base)
    assert name is not None
    assert isinstance(base.type, StructType)
    t = base.type.field_types[name]
    assert isinstance(t, FixedArrayType)
    ref = ctx.builder.value("field", (base.value,), RefType(t), ctx.span(node), name)
    return MemoryOperand(ref, t, base.roots, base.readonly)


def fresh(ctx: Context, span: Span, t: StructType | FixedArrayType) -> MemoryOperand:
    """New memory of this call that holds zeros."""
    ref = ctx.builder.local(t, span)
    ctx.builder.effect("zero", (ref,), span)
    return MemoryOperand(ref, t, frozenset(), False, temporary=True)


def fresh_copy(ctx: Context, node: ast.AST, place: MemoryOperand) -> MemoryOperand:
    """New memory of this call that holds a copy."""
    span = ctx.span(node)
    ref = ctx.builder.local(place.type, span)
    ctx.builder.effect("copy", (ref, place.value), span)
    return MemoryOperand(ref, place.type, frozenset(), False, temporary=True)
