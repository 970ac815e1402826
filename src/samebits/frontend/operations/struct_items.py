"""The items of structs in a kernel: lengths, membership, elements of a field, loops.

The methods are those of `lang/memory/struct_members.py`; `lang/memory/struct_items.py` and
`lang/iteration.py` do the same in CPython.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from samebits.errors import Span
from samebits.frontend.core.context import Context
from samebits.frontend.core.operands import MemoryOperand, Operand, Scalar, Tuple, describe
from samebits.frontend.operations import memory
from samebits.frontend.operations.conversions import index_value
from samebits.frontend.operations.kernel_calls import call_kernel
from samebits.ir.grammar import Value
from samebits.lang.iteration import LENGTH_CHANGED
from samebits.lang.kernel import Kernel, method_kernel
from samebits.types import BOOL, INT, FixedArrayType, MemoryType, RefType, StructType
from samebits.value_text import from_end_text

Item = Callable[[Value], Operand]


def kernel_of(base: Operand, stem: str) -> Kernel | None:
    """The special method `__stem__` of a struct; None of anything else."""
    t = base.type if isinstance(base, MemoryOperand) else None
    return method_kernel(t, f"__{stem}__") if isinstance(t, StructType) else None


def call(ctx: Context, node: ast.AST, kernel: Kernel, *operands: Operand) -> Operand:
    return call_kernel(ctx, node, kernel, [(node, operand) for operand in operands])


def length(ctx: Context, node: ast.AST, base: Operand) -> Scalar | None:
    """`len(base)` of a struct that has one."""
    kernel = kernel_of(base, "len")
    found = None if kernel is None else call(ctx, node, kernel, base)
    assert found is None or isinstance(found, Scalar)
    return found


def contains(ctx: Context, node: ast.AST, item: Operand, base: Operand) -> Scalar | None:
    """`item in base` of a struct that says so."""
    kernel = kernel_of(base, "contains")
    found = None if kernel is None else call(ctx, node, kernel, base, item)
    assert found is None or isinstance(found, Scalar)
    return found


def delete(ctx: Context, node: ast.expr, lower: Callable[[Context, ast.expr], Operand]) -> None:
    """`del base[index]` of a struct that has `__delitem__`."""
    if not isinstance(node, ast.Subscript):
        ctx.fail(node, "`del` is for items of structs", fix="drop the statement")
    base = lower(ctx, node.value)
    kernel = kernel_of(base, "delitem")
    if kernel is None:
        fix = "drop the statement"
        if isinstance(base, MemoryOperand) and isinstance(base.type, StructType):
            fix = f"define `__delitem__` in {base.type}"
        ctx.fail(node, f"{describe(base)} has no items to delete", fix=fix)
    call(ctx, node, kernel, base, lower(ctx, node.slice))


def place(
    ctx: Context, node: ast.AST, at: ast.AST, base: MemoryOperand, index: Operand
) -> tuple[Value, MemoryType]:
    """The reference to `base[index]`, an element of a field; the index is written `at`."""
    kernel = kernel_of(base, "position")
    if kernel is not None:
        position = call(ctx, node, kernel, base, index)
        assert isinstance(position, Scalar)
        return _element(ctx, node, base, position.value)
    value, span = index_value(ctx, at, index), ctx.span(node)
    count = length(ctx, node, base)
    if count is None:
        size = memory.fixed(memory.elements_field(ctx, node, base)).shape[0]
        end = ctx.builder.const(size, INT, span)
    else:  # A length that lies in memory may be anything: below 0, nothing is inside.
        end = _not_negative(ctx, span, count)
    said = None
    constant = memory.from_end(index)
    if constant is not None:
        said = from_end_text(constant)
        value = ctx.builder.value("add", (end, value), INT, span)
    ctx.builder.effect("index", (value, end), span, said)
    return _element(ctx, node, base, value)


def _element(
    ctx: Context, node: ast.AST, base: MemoryOperand, position: Value
) -> tuple[Value, MemoryType]:
    """An element of the field, whatever the length says: that lies in memory that others write."""
    field, span = memory.elements_field(ctx, node, base), ctx.span(node)
    t = memory.fixed(field)
    size = ctx.builder.const(t.shape[0], INT, span)
    ctx.builder.effect("index", (position, size), span)
    ref = ctx.builder.value("element", (field.value, position), RefType(t.element), span)
    return ref, t.element


def loops(base: Operand) -> bool:
    """Whether a `for` loop can run over it as over a struct."""
    some = kernel_of(base, "at") or kernel_of(base, "getitem") or memory.elements_of(base)
    return kernel_of(base, "len") is not None and bool(some)


def gives_reference(base: MemoryOperand, view: str | None = None) -> bool:
    """Whether the items of a loop over it are structs in its own memory."""
    name = memory.elements_of(base)
    if name is None or (kernel_of(base, "at") is not None and view in (None, "keys")):
        return False
    assert isinstance(base.type, StructType)
    t = base.type.field_types[name]
    return isinstance(t, FixedArrayType) and isinstance(t.element, StructType)


def items(
    ctx: Context,
    node: ast.AST,
    base: MemoryOperand,
    again: Callable[[], Operand],
    get: Callable[[Context, ast.AST, MemoryOperand, Operand], Operand] | None = None,
) -> tuple[Value, Item, Callable[[], None], bool]:
    """What a loop over a struct runs over: the number of items, item k, a check that there are
    still as many, and whether they can be had in another order than from the first on. `again` is
    the struct in the body, and `get` what gives the item at a cursor, by default `at`."""
    count = length(ctx, node, base)
    assert count is not None
    span = ctx.span(node)
    ordered = kernel_of(base, "after") is not None
    cursor = ctx.builder.fresh("cursor")
    if ordered:
        ctx.builder.slot(cursor, INT)
        ctx.builder.set(cursor, ctx.builder.const(-1, INT, span), span)

    def checked() -> MemoryOperand:
        owner = again()
        assert isinstance(owner, MemoryOperand)
        now = length(ctx, node, owner)
        assert now is not None
        same = ctx.builder.value("eq", (now.value, count.value), BOOL, span)
        ctx.builder.effect("assert", (same,), span, LENGTH_CHANGED)
        return owner

    def check() -> None:
        checked()

    def item(k: Value) -> Operand:
        owner = checked()
        after = kernel_of(owner, "after")
        if after is not None:
            found = call(ctx, node, after, owner, Scalar(ctx.builder.get(cursor, span), INT))
            assert isinstance(found, Scalar)
            k = found.value
            ctx.builder.set(cursor, k, span)
        return (get or at)(ctx, node, owner, Scalar(k, INT))

    return _not_negative(ctx, span, count), item, check, not ordered


def _not_negative(ctx: Context, span: Span, count: Scalar) -> Value:
    zero = ctx.builder.const(0, INT, span)
    return ctx.builder.value("max", (count.value, zero), INT, span)


def view_of(name: str, base: Operand) -> bool:
    """Whether `base.name()` in the head of a loop is one of a struct's keys, values or items."""
    if name not in VIEWS or memory.elements_of(base) is None or kernel_of(base, "at") is None:
        return False
    assert isinstance(base, MemoryOperand)
    assert isinstance(base.type, StructType)
    return kernel_of(base, "len") is not None and method_kernel(base.type, name) is None


def value(ctx: Context, node: ast.AST, base: MemoryOperand, k: Operand) -> Operand:
    """The element that belongs to the item at a cursor."""
    assert isinstance(k, Scalar)
    ref, t = _element(ctx, node, base, k.value)
    return memory.load(ctx, ref, t, base.roots, base.readonly, ctx.span(node))


def pair(ctx: Context, node: ast.AST, base: MemoryOperand, k: Operand) -> Operand:
    """The item at a cursor and the element that belongs to it."""
    return Tuple((at(ctx, node, base, k), value(ctx, node, base, k)))


def at(ctx: Context, node: ast.AST, base: MemoryOperand, k: Operand) -> Operand:
    """The item at a cursor."""
    kernel = kernel_of(base, "at")
    if kernel is None and memory.elements_of(base) is not None:
        ref, t = place(ctx, node, node, base, k)
        return memory.load(ctx, ref, t, base.roots, base.readonly, ctx.span(node))
    kernel = kernel or kernel_of(base, "getitem")
    assert kernel is not None
    return call(ctx, node, kernel, base, k)


VIEWS = {"keys": at, "values": value, "items": pair}
"""What loops over `s.keys()` and its like are given at a cursor."""
