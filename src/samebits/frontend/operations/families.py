"""Calls of functions that are several kernels."""

from __future__ import annotations

import ast
from collections.abc import Callable

from samebits.frontend.core.context import Context
from samebits.frontend.core.operands import Operand, describe
from samebits.lang.families import Family
from samebits.lang.kernel import Kernel
from samebits.types import Type

Call = Callable[[Context, ast.Call, Kernel, list[tuple[ast.expr, Operand]]], Operand]


def lower(
    ctx: Context,
    node: ast.Call,
    function: Family,
    operands: list[Operand],
    type_of: Callable[[Operand], Type | None],
    call: Call,
) -> Operand:
    """A call of the kernel that fits the operands."""
    types = [type_of(operand) for operand in operands]
    kernel = function.choose(types)
    if kernel is None:
        given = ", ".join(map(describe, operands))
        ctx.fail(
            node,
            f"{function.__name__}() has no form for {given}",
            note=f"its forms are {function.forms()}",
            fix=function.fix(types),
        )
    return call(ctx, node, kernel, list(zip(node.args, operands, strict=True)))
