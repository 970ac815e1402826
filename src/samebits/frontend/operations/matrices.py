"""Matrices in kernels: construction, columns, products and transposes, scalar by scalar.

What is computed in which order is `samebits.lang.values.products`'s.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from samebits.frontend.core.context import Context
from samebits.frontend.core.operands import (
    Literal,
    Operand,
    Scalar,
    Vector,
    describe,
    dimensions,
)
from samebits.frontend.operations import fixed_point
from samebits.frontend.operations.conversions import component
from samebits.frontend.operations.halves import is_half
from samebits.ir.grammar import Value
from samebits.lang.values.matrices import by_column, of_columns
from samebits.lang.values.products import FORMS, Arithmetic, product, product_type, transposed
from samebits.types import FixedPointType, MatrixType, ScalarType, matrix_of


def columns(base: Vector, t: MatrixType) -> list[Vector]:
    """The columns of a matrix."""
    return [Vector(base.items[at : at + t.rows], t.column) for at in range(0, t.length, t.rows)]


def column(ctx: Context, node: ast.Attribute, base: Vector, t: MatrixType) -> Vector:
    """`m.c0`."""
    names = [f"c{j}" for j in range(t.columns)]
    if node.attr not in names:
        ctx.fail(
            node,
            f"{t} has no column '{node.attr}'",
            fix=f"use one of {', '.join(names)}, and of that a component: m.c0.x",
        )
    return columns(base, t)[names.index(node.attr)]


def build_matrix(ctx: Context, node: ast.Call, operands: list[Operand], t: MatrixType) -> Vector:
    """`float3x3(...)`: of columns, of numbers row by row, of one number, of a matrix."""
    single = operands[0] if len(operands) == 1 else None
    if isinstance(single, Vector) and isinstance(single.type, MatrixType):
        if single.type.shape != t.shape:
            ctx.fail(node, f"{t}() of a {single.type}: the shapes differ", fix="give its columns")
        span = ctx.span(node)
        if single.type == t:
            return single
        items = (ctx.builder.value("convert", (v,), t.element, span) for v in single.items)
        return Vector(tuple(items), t)
    if all(isinstance(operand, (Literal, Scalar)) for operand in operands):
        items = [
            component(ctx, node, argument, operand, t)
            for argument, operand in zip(node.args, operands, strict=True)
        ]
        if len(items) == 1:
            return Vector((items[0],) * t.length, t)
        if len(items) == t.length:
            return Vector(by_column(items, t), t)
    given = [operand for operand in operands if isinstance(operand, Vector)]
    if len(given) == len(operands) == t.columns and all(v.type == t.column for v in given):
        return Vector(tuple(item for v in given for item in v.items), t)
    ctx.fail(
        node,
        f"{t}() is made of {t.columns} {t.column} columns, or of {t.length} numbers row by row",
        note=f"given are {', '.join(map(describe, operands))}",
        fix=f"write {of_columns(t, halves=any(map(is_half, operands)))}",
    )


def arithmetic(ctx: Context, node: ast.AST, t: ScalarType) -> Arithmetic[Value]:
    """Operations of elements of type `t`, emitted at the span of `node`."""
    span = ctx.span(node)

    def on(sign: str, opcode: str) -> Callable[[Value, Value], Value]:
        def emit(a: Value, b: Value) -> Value:
            if isinstance(t, FixedPointType):
                return fixed_point.binary(ctx, node, sign, a, b, t)
            return ctx.builder.value(opcode, (a, b), t, span)

        return emit

    return Arithmetic(on("+", "add"), on("-", "sub"), on("*", "mul"))


def _fix_of_mul(ctx: Context, node: ast.AST, a: Operand, b: Operand) -> str:
    given = dimensions(a), dimensions(b)
    if given == (1, 1) and isinstance(node, ast.BinOp):
        return f"write `math.dot({ctx.text(node.left)}, {ctx.text(node.right)})`"
    if given == (2, 1) and isinstance(node, ast.BinOp):
        return ctx.filled(
            "write the loops: `out[i] += {a}[i, k] * {b}[k]`", a=node.left, b=node.right
        )
    if any(given):
        return "write the loops, `out[i, j] += a[i, k] * b[k, j]`; up to 4x4 take a matrix type"
    return "write `*` for the product of components, or make the lengths fit"


def mul(ctx: Context, node: ast.AST, a: Operand, b: Operand) -> Vector:
    """`a @ b`, `mul(a, b)`."""
    t = product_type(a.type, b.type)
    if t is None or not isinstance(a, Vector) or not isinstance(b, Vector):
        ctx.fail(
            node,
            f"`@` of {describe(a)} and {describe(b)} is not there",
            note=f"there is {FORMS}",
            fix=_fix_of_mul(ctx, node, a, b),
        )
    on = arithmetic(ctx, node, t.element)
    return Vector(product(on, a.items, a.type, b.items, b.type), t)


def transpose(ctx: Context, node: ast.AST, a: Operand) -> Vector:
    """`transpose(a)`."""
    if not isinstance(a, Vector) or not isinstance(a.type, MatrixType):
        ctx.fail(node, f"transpose() takes a matrix, but this is {describe(a)}", fix="give one")
    turned = matrix_of(a.type.element, a.type.columns, a.type.rows)
    return Vector(transposed(a.items, a.type), turned)
