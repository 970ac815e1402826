"""The kernel that a call of a library function means.

Math functions are chosen by type and precision, and take vectors by component; reductions are
chosen by the first operand's type, families by the types of all.

The float arguments promote as in arithmetic, weak ones alone to float64; beside a vector a scalar
has its element's type. An argument that is an integer converts as any kernel's does. The managed
run of such calls, by the same rule, is in `managed.overloads`.
"""

from __future__ import annotations

import ast
from functools import reduce

from samebits.frontend.core.context import Context, element_of, element_type, of_values
from samebits.frontend.core.operands import (
    Literal,
    Operand,
    Scalar,
    Tuple,
    Vector,
    describe,
    dimensions,
)
from samebits.frontend.operations import fixed_point, intrinsics
from samebits.frontend.operations.conversions import coerce, passed, to_scalar
from samebits.frontend.operations.kernel_calls import (
    argument_type,
    call_kernel,
    emit_call,
    items_view,
)
from samebits.ir.grammar import Value
from samebits.lang.families import Family
from samebits.lang.overloads import Overloads
from samebits.lang.reductions import Reduction
from samebits.types import (
    FLOAT16,
    FLOAT32,
    FLOAT64,
    ArrayType,
    FixedPointType,
    MatrixType,
    QuaternionType,
    ScalarType,
    promote,
    vector_of,
)


def float_type(found: list[ScalarType]) -> ScalarType:
    """The type at which a function of floats is computed: float32 or float64."""
    common = reduce(lambda a, b: promote(a, b) or FLOAT64, found)
    return FLOAT64 if common.weak else common


def lower(ctx: Context, node: ast.Call, function: Overloads, operands: list[Operand]) -> Operand:
    """`function(...)` in a kernel, at that kernel's precision."""
    name = function.__name__
    intrinsics.arguments(ctx, node, name, function.arity)
    if intrinsics.has_fixed_point(operands):
        return _fixed_point(ctx, node, function, operands)
    floats: list[Literal | Scalar | Vector] = []
    for operand, source, integer in zip(operands, node.args, function.integers, strict=True):
        if not integer:
            floats.append(_float(ctx, node, name, operand, source, operands))
    vectors = [operand.type for operand in operands if isinstance(operand, Vector)]
    beside = [operand.type for operand in floats if isinstance(operand, Vector)]
    if beside:
        element = beside[0].element
    else:
        element = float_type([o.type for o in floats if not isinstance(o, Vector)])
    length = vectors[0].length if vectors else 1
    kernel = function.kernel_for(element, ctx.kernel.precision)
    types = kernel.signature.resolve((element,) * function.arity)
    columns: list[list[Value]] = []
    for n, (operand, t, source) in enumerate(zip(operands, types, node.args, strict=True)):
        assert isinstance(t, ScalarType)
        if isinstance(operand, Vector):
            if operand.type != vector_of(t, length):
                ctx.fail(
                    source,
                    f"{name}() on {vectors[0]} and {describe(operand)}",
                    fix=f"convert it to {vector_of(t, length)}",
                )
            columns.append(list(operand.items))
        elif isinstance(operand, (Literal, Scalar)) and not (beside or function.integers[n]):
            columns.append([to_scalar(ctx, node, operand, t)] * length)
        else:
            what = "a scalar beside a vector" if beside else f"argument {n + 1} of {name}()"
            take = coerce if beside else passed
            value = take(ctx, node, operand, t, what, source)
            assert isinstance(value, Scalar)
            columns.append([value.value] * length)
    callee = ctx.compile_callee(kernel, types, ctx.span(node))
    results = [emit_call(ctx, node, callee, list(row)) for row in zip(*columns, strict=True)]
    if not vectors:
        return results[0]
    if isinstance(results[0], Tuple):
        rows = zip(*(r.items for r in results if isinstance(r, Tuple)), strict=True)
        return Tuple(tuple(_vector(row) for row in rows))
    return _vector(tuple(results))


def _fixed_point(
    ctx: Context, node: ast.Call, function: Overloads, operands: list[Operand]
) -> Operand:
    kernel = function.fixed_point
    found = next(o for o in operands if isinstance(element_type(o), FixedPointType))
    if kernel is None:
        ctx.fail(
            node,
            f"{function.__name__}() has no version for {describe(found)}",
            fix="use sqrt, sin, cos, tan, atan2, exp, log or pow",
        )
    columns, t = intrinsics.broadcast(ctx, node, f"{function.__name__}()", operands)
    element = element_of(t)
    assert isinstance(element, FixedPointType)
    rows = zip(*columns, strict=True)
    items = tuple(fixed_point.call(ctx, node, kernel, row, element) for row in rows)
    return of_values(items, t)


def _float(
    ctx: Context,
    node: ast.Call,
    name: str,
    operand: Operand,
    source: ast.expr,
    operands: list[Operand],
) -> Literal | Scalar | Vector:
    """`operand`, if it is accepted as a float."""
    if isinstance(operand, Vector) and isinstance(operand.type, (MatrixType, QuaternionType)):
        ctx.fail(
            source,
            f"{name}() works on numbers and vectors, but this is {operand.type}",
            fix="use a column: m.c0"
            if isinstance(operand.type, MatrixType)
            else f"convert it: {vector_of(operand.type.element, 4)}(q)",
        )
    element = element_type(operand)
    number = isinstance(element, ScalarType) and (element.weak or element.is_float)
    if number and isinstance(operand, (Literal, Scalar, Vector)):
        return operand
    if dimensions(operand):
        intrinsics.refuse_arrays(
            ctx, node, operands, f"{name}() takes a float or a vector of floats"
        )
    converted = f"{_float_meant(ctx, operand, operands)}({ctx.text(source)})"
    if isinstance(operand, Scalar):
        called = ctx.text(node.func)
        fix = f"write {called}({converted})" if len(node.args) == 1 else f"write {converted}"
    elif isinstance(operand, Vector) and element == FLOAT16:
        fix = f"convert it: float{operand.type.length}({ctx.text(source)})"
    else:
        fix = "give a float"
    ctx.fail(
        node if len(node.args) == 1 else source,
        f"{name}() takes a float or a vector of floats, but this is {describe(operand)}",
        fix=fix,
    )


def _float_meant(ctx: Context, operand: Operand, operands: list[Operand]) -> ScalarType:
    """The float type to convert an integer to: of the other arguments, or of the kernel's result.
    Else float64, which holds the integers that float32 does not."""
    beside = [t for t in map(element_type, operands) if isinstance(t, ScalarType) and t.is_float]
    if beside:
        return float_type(beside)
    result = ctx.result
    if isinstance(result, ScalarType) and result.is_float:
        return FLOAT64 if result.weak else result
    exact = isinstance(operand, Scalar) and operand.type.bits <= 16
    return FLOAT32 if exact else FLOAT64


def _vector(items: tuple[Operand, ...]) -> Vector:
    scalars = [item for item in items if isinstance(item, Scalar)]
    return Vector(tuple(s.value for s in scalars), vector_of(scalars[0].type, len(scalars)))


def lower_reduction(
    ctx: Context, node: ast.Call, function: Reduction, operands: list[Operand]
) -> Operand:
    """A call of `function`: of arrays or what has items, or of its form for numbers and vectors."""
    if len(operands) == len(node.args):
        pairs = zip(node.args, operands, strict=True)
        operands = [items_view(ctx, node, at, operand) or operand for at, operand in pairs]
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
            fix=_loop(ctx, node, function.__name__, operands[0]),
        )
    return call_kernel(ctx, node, kernel, list(zip(node.args, operands, strict=True)))


_LOOPS = {
    "all": "loop over its elements: `for x in {a}:`, and in it `if x == 0: return False`",
    "any": "loop over its elements: `for x in {a}:`, and in it `if x != 0: return True`",
}


def _loop(ctx: Context, node: ast.Call, name: str, operand: Operand) -> str:
    """What to write where a function of arrays has no form for one."""
    fix = _LOOPS.get(name, "loop over the array")
    if dimensions(operand) > 1:
        fix = "loop over the rows: `for row in {a}:`, and in it `{f}(row)`"
    elif not dimensions(operand):
        fix = "give an array"
    return ctx.filled(fix, a=node.args[0], f=node.func)


def lower_family(
    ctx: Context, node: ast.Call, function: Family, operands: list[Operand]
) -> Operand:
    """A call of the kernel that fits the operands."""
    types = [o.type if isinstance(o, Literal) else argument_type(o) for o in operands]
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
