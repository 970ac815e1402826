"""Constants from outside a kernel: numbers, tables, and structs that nobody writes.

A field of such a struct is a constant itself; the struct as a whole lies in memory of the call,
filled where the function begins. `lang/constants.py` says when it is frozen.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import product
from typing import Any, cast

import numpy as np

from samebits.frontend.core import advice
from samebits.frontend.core.context import Context
from samebits.frontend.core.operands import Literal, MemoryOperand, Operand, Scalar, Static, Tuple
from samebits.frontend.core.operands import Vector as VectorOperand
from samebits.frontend.operations import memory
from samebits.ir.grammar import Value
from samebits.lang.annotations import class_of_type
from samebits.lang.constants import is_namespace
from samebits.lang.memory.arrays import ManagedArray
from samebits.lang.memory.structs import Struct, count_of
from samebits.lang.memory.tables import Table
from samebits.lang.values.enums import plain_number
from samebits.lang.values.fixed.fixed_point import FixedPoint
from samebits.lang.values.scalars import RAW_OF
from samebits.lang.values.vectors import Vector, components
from samebits.types import (
    BOOL,
    INT,
    FixedArrayType,
    MemoryType,
    RefType,
    ScalarType,
    StructType,
    VectorType,
)

Items = tuple[object, ...]
MOST_STORED = 1_024
"""The most numbers of a struct that are stored one by one: arrays of scalars are tables."""
_FEW = 8
"""As many numbers of an array are rather stored than copied from a table."""


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
            return Literal(cast("int | float", plain_number(value)), span)
        case Table():
            t = FixedArrayType(value.element, value.raw.shape)
            return MemoryOperand(table_of(ctx, node, value), t, _root(ctx, node), readonly=True)
        case np.ndarray():
            ctx.fail(
                node,
                f"the array '{ctx.text(node)}' comes from outside the kernel",
                note="it could change between the compilation and the call",
                fix="pass it as a parameter, or freeze it at module level: "
                f"`sb.table({ctx.text(node)}, {advice.own_type(str(value.dtype))})`",
            )
        case Struct():
            return _struct(ctx, node, value)
        case tuple():
            items = cast("Items", value)
            return Tuple(tuple(captured(ctx, node, item) for item in items), items)
        case _:
            t = getattr(value, "__sb_type__", None)
            if isinstance(t, VectorType) and not isinstance(value, type):
                raw = RAW_OF[t.element]
                parts = components(cast("Vector", value))
                return VectorOperand(
                    tuple(ctx.builder.const(raw(part), t.element, span) for part in parts), t
                )
            return Static(value)


def _root(ctx: Context, node: ast.expr) -> frozenset[str]:
    """What the memory of a constant is called."""
    return frozenset({ctx.text(node)})


def table_of(ctx: Context, node: ast.expr, table: Table) -> Value:
    t = FixedArrayType(table.element, table.raw.shape)
    name = table.identity
    ctx.tables[name] = table
    return ctx.builder.value("table", (), RefType(t), ctx.span(node), name)


def _struct(ctx: Context, node: ast.expr, value: Struct) -> MemoryOperand:
    """A struct from outside, in memory that the function fills where it begins, once."""
    t = value.__sb_type__
    key = t, value.memory.tobytes()
    ref = ctx.builder.constants.get(key)
    if ref is None:
        count = _stored(t)
        if count > MOST_STORED:
            ctx.fail(
                node,
                f"the struct '{ctx.text(node)}' has {count:,} numbers in arrays of structs and "
                f"vectors, and a constant may have {MOST_STORED:,}",
                fix="pass it as a parameter, or keep the numbers in sb.table(values, float64)",
            )
        with ctx.builder.at_start():
            ref = memory.fresh(ctx, ctx.span(node), t).value
            store_constant(ctx, node, ref, t, value, "a constant")
        ctx.builder.constants[key] = ref
    return MemoryOperand(ref, t, _root(ctx, node), readonly=True)


def _stored(t: MemoryType) -> int:
    """The numbers of a constant that are stored one by one."""
    match t:
        case StructType():
            return sum(_stored(field) for _, field in t.fields)
        case FixedArrayType(element=ScalarType()):
            return 0
        case _:
            return count_of(t)


def field(ctx: Context, node: ast.Attribute) -> Operand | None:
    """The field of a struct from outside that `node` reads, a constant itself; None of anything
    else."""
    owner = _outer(ctx, node.value)
    if not isinstance(owner, Struct) or node.attr not in owner.__sb_type__.field_types:
        return None
    value: Any = getattr(owner, node.attr)
    match owner.__sb_type__.field_types[node.attr]:
        case FixedArrayType(element=ScalarType()):
            return captured(ctx, node, _as_table(value))
        case FixedArrayType():
            return None
        case _:
            return captured(ctx, node, value)


def _outer(ctx: Context, node: ast.expr) -> object:
    """The object from outside that a name, an attribute of a namespace or a field of a struct is;
    None where it is none."""
    if isinstance(node, ast.Name):
        if node.id in ctx.variables or node.id in ctx.local_names:
            return None
        try:
            return ctx.kernel.lookup(node.id)
        except LookupError:
            return None
    if not isinstance(node, ast.Attribute):
        return None
    owner = _outer(ctx, node.value)
    if isinstance(owner, Struct):
        is_field = node.attr in owner.__sb_type__.field_types
        return getattr(owner, node.attr) if is_field else None
    if owner is not None and is_namespace(owner) and hasattr(owner, node.attr):
        return ctx.kernel.attribute(owner, node.attr)
    return None


def _as_table(array: ManagedArray) -> Table:
    assert isinstance(array.element, ScalarType)
    return Table(_rows(array), class_of_type(array.element))


def _rows(array: ManagedArray) -> list[Any]:
    items: Iterator[Any] = iter(array)
    return [_rows(item) if isinstance(item, ManagedArray) else item for item in items]


def store_constant(
    ctx: Context, node: ast.expr, place: Value, t: MemoryType, value: Any, what: str
) -> None:
    """Write a constant number by number: a default of a field, or a struct from outside."""
    span = ctx.span(node)
    match t:
        case StructType():
            for name, inner in t.fields:
                ref = ctx.builder.value("field", (place,), RefType(inner), span, name)
                store_constant(ctx, node, ref, inner, getattr(value, name), what)
        case FixedArrayType(element=ScalarType()) if count_of(t) > _FEW:
            table = table_of(ctx, node, _as_table(value))
            ctx.builder.effect("copy", (place, table), span)
        case FixedArrayType():
            for index in product(*map(range, t.shape)):
                numbers = tuple(ctx.builder.const(i, INT, span) for i in index)
                ref = ctx.builder.value("element", (place, *numbers), RefType(t.element), span)
                found = value[index if len(t.shape) > 1 else index[0]]
                store_constant(ctx, node, ref, t.element, found, what)
        case _:
            memory.store(ctx, node, place, t, captured(ctx, node, value), what)
