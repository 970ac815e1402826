"""Calls of library functions that are several kernels: reductions, chosen by the first operand's
type, and families, chosen by the types of all."""

from __future__ import annotations

import ast

from samebits.frontend.core.context import Context
from samebits.frontend.core.operands import Operand, describe
from samebits.frontend.operations import intrinsics
from samebits.frontend.operations.kernel_calls import argument_type, call_kernel
from samebits.lang.families import Family
from samebits.lang.reductions import Reduction
from samebits.types import ArrayType


def lower_reduction(
    ctx: Context, node: ast.Call, function: Reduction, operands: list[Operand]
) -> Operand:
    """A call of `function`: of arrays, or of its form for numbers and vectors."""
    t = argument_type(operands[0]) if operands else None
    name = getattr(function.scalars, "__samebits_intrinsic__", None)
    if not isinstance(t, ArrayType) and isinstance(name, str):
        return intrinsics.lower(ctx, node, name, operands)
    intrinsics.arguments(ctx, node, function.__name__, function.arrays)
    kernel = function.kernel_for(t.element) if isinstance(t, ArrayType) and t.ndim == 1 else None
    if kernel is None:
        kinds = ", ".join(str(scalar) for scalar in function.kernels)
        ctx.fail(
            node,
            f"{function.__name__}() has no form for {describe(operands[0])}",
            note=f"it takes one-dimensional arrays of {kinds}",
            fix="loop over the array",
        )
    return call_kernel(ctx, node, kernel, list(zip(node.args, operands, strict=True)))


def lower_family(
    ctx: Context, node: ast.Call, function: Family, operands: list[Operand]
) -> Operand:
    """A call of the kernel that fits the operands."""
    types = [argument_type(operand) for operand in operands]
    kernel = function.choose(types)
    if kernel is None:
        given = "for " + ", ".join(map(describe, operands)) if operands else "without arguments"
        ctx.fail(
            node,
            f"{function.__name__}() has no form {given}",
            note=f"its forms are {function.forms()}",
            fix=function.fix(types),
        )
    return call_kernel(ctx, node, kernel, list(zip(node.args, operands, strict=True)))
