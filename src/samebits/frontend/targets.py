"""Targets of assignment other than names: fields, elements, components, items of structs.

Each is evaluated once, then loaded and stored."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Protocol

from samebits.frontend import assignment
from samebits.frontend.core.context import Context, component_slots
from samebits.frontend.core.operands import MemoryOperand, Operand, Scalar, Vector, View, describe
from samebits.frontend.expressions import attribute_of, lower, subscript_indices
from samebits.frontend.operations import memory, struct_items, struct_members
from samebits.frontend.operations.conversions import passed
from samebits.ir.grammar import Value
from samebits.types import (
    FixedArrayType,
    MatrixType,
    MemoryType,
    QuaternionType,
    StructType,
    Type,
    VectorType,
)


class Target(Protocol):
    """A place to which a value can be assigned, evaluated."""

    def load(self, ctx: Context) -> Operand:
        """What it holds."""
        ...

    def store(self, ctx: Context, value: Operand, source: ast.expr) -> None:
        """Assign `value`, which `source` gave."""
        ...


@dataclass(frozen=True, slots=True)
class _Memory:
    node: ast.expr
    ref: Value
    type: MemoryType
    what: str

    def load(self, ctx: Context) -> Operand:
        return memory.load(ctx, self.ref, self.type, frozenset(), False, ctx.span(self.node))

    def store(self, ctx: Context, value: Operand, source: ast.expr) -> None:
        memory.store(ctx, self.node, self.ref, self.type, value, self.what, source)


@dataclass(frozen=True, slots=True)
class _Component:
    """A component of the vector that a name holds."""

    node: ast.Attribute
    slot: str
    vector: VectorType

    def load(self, ctx: Context) -> Operand:
        return Scalar(ctx.builder.get(self.slot, ctx.span(self.node)), self.vector.element)

    def store(self, ctx: Context, value: Operand, source: ast.expr) -> None:
        t, what = self.vector.element, _component_name(self.node, self.vector)
        value = passed(ctx, self.node, value, t, what, source)
        assert isinstance(value, Scalar)
        ctx.builder.set(self.slot, value.value, ctx.span(self.node))


@dataclass(frozen=True, slots=True)
class _Item:
    """What a struct's `__getitem__` and `__setitem__` give and take at an index."""

    node: ast.Subscript
    base: MemoryOperand
    index: Operand

    def load(self, ctx: Context) -> Operand:
        return struct_members.item(ctx, self.node, self.base, self.index)

    def store(self, ctx: Context, value: Operand, source: ast.expr) -> None:
        struct_members.set_item(ctx, self.node, self.base, self.index, value, source)


def target(ctx: Context, node: ast.Attribute | ast.Subscript) -> Target:
    """The target that `node` stands for; a store through it is noted, and refused where memory is
    read-only."""
    if isinstance(node, ast.Subscript):
        base = _no_vector(ctx, node, lower(ctx, node.value))
        if isinstance(base, MemoryOperand) and isinstance(base.type, StructType):
            return _Item(node, base, lower(ctx, node.slice))
        return _Memory(node, *assignment.element_place(ctx, node, base))
    if node.attr in VECTOR_COMPONENTS:
        found = _component(ctx, node)
    else:
        found = lower(ctx, node.value)
    if isinstance(found, _Memory | _Component):
        return found
    base = _no_vector(ctx, node, found)
    if not (isinstance(base, MemoryOperand) and isinstance(base.type, StructType)):
        ctx.fail(node, f"{describe(base)} has no fields to assign", fix="assign to a name")
    ctx.mark_written(base, node)
    ref, t = memory.field(ctx, node, base)
    return _Memory(node, ref, t, f"field '{node.attr}' of {base.type}")


VECTOR_COMPONENTS = ("x", "y", "z", "w")
"""The attributes that assign a component where they are a vector's."""


def _is_plain(t: Type) -> bool:
    """Whether a type is a vector's, no matrix's or quaternion's."""
    return isinstance(t, VectorType) and not isinstance(t, MatrixType | QuaternionType)


def _component(ctx: Context, node: ast.Attribute) -> _Memory | _Component | Operand:
    """The component that `node` assigns; where it is none, the operand whose field it is."""
    inner = node.value
    if isinstance(inner, ast.Name):
        variable = ctx.variables.get(inner.id)
        base = lower(ctx, inner)
        if variable is None or not isinstance(base, Vector) or not _is_plain(base.type):
            return base
        index = _component_index(ctx, node, base.type)
        return _Component(node, component_slots(inner.id, base.type)[index], base.type)
    if not isinstance(inner, ast.Attribute | ast.Subscript):
        return lower(ctx, inner)
    owner = lower(ctx, inner.value)
    match inner, owner:
        case (ast.Attribute(), MemoryOperand(type=StructType() as t)) if (
            inner.attr in t.field_types
        ):
            ref, held = memory.field(ctx, inner, owner)
        case (ast.Subscript(), View() | MemoryOperand(type=FixedArrayType())):
            ref, held = memory.element(ctx, inner, owner, subscript_indices(ctx, inner))
        case (ast.Attribute(), _):
            return attribute_of(ctx, inner, owner)
        case (ast.Subscript(), MemoryOperand(type=StructType())) if (
            memory.elements_of(owner) is not None
        ):
            index = lower(ctx, inner.slice)
            ref, held = struct_items.place(ctx, inner, inner.slice, owner, index)
        case (ast.Subscript(), MemoryOperand(type=StructType())):
            return struct_members.item(ctx, inner, owner, lower(ctx, inner.slice))
        case _:
            return owner
    if not isinstance(held, VectorType) or not _is_plain(held):
        readonly = owner.type.readonly if isinstance(owner, View) else owner.readonly
        return memory.load(ctx, ref, held, owner.roots, readonly, ctx.span(inner))
    ctx.mark_written(owner, node)
    index = _component_index(ctx, node, held)
    place = memory.component(ctx, ref, held, index, ctx.span(node))
    return _Memory(node, place, held.element, _component_name(node, held))


def _component_name(node: ast.Attribute, t: VectorType) -> str:
    return f"component '{node.attr}' of {t}"


def _component_index(ctx: Context, node: ast.Attribute, t: VectorType) -> int:
    letters = VECTOR_COMPONENTS[: t.length]
    if node.attr not in letters:
        ctx.fail(
            node,
            f"{t} has no component '{node.attr}'",
            fix=f"use one letter of '{''.join(letters)}'",
        )
    return letters.index(node.attr)


def _no_vector(ctx: Context, node: ast.Attribute | ast.Subscript, base: Operand) -> Operand:
    """`base`; refused if it is a vector, of which only components are assigned."""
    if isinstance(base, Vector):
        parts = "parts can't be assigned"
        if _is_plain(base.type):
            parts = "components are assigned one at a time, as in `v.x = ...`"
        fix = f"make a new one: `{ctx.text(node.value)} = {base.type}(...)`"
        letters = "xyzw"[: base.type.length] if _is_plain(base.type) else ""
        match node:
            case ast.Subscript(slice=ast.Constant(value=int(n))) if 0 <= n < len(letters):
                fix = f"write `{ctx.text(node.value)}.{letters[n]} = ...`"
            case _:
                pass
        ctx.fail(node, f"a {base.type} is a value: its {parts}", fix=fix)
    return base
