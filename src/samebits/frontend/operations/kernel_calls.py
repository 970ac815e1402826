"""Calls of kernels: arguments by parameter, their IR values, the call, and its results."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, NoReturn

from samebits.errors import ArgumentError, CompileError
from samebits.frontend import recursion
from samebits.frontend.core.context import Callee, Context, scalars_of, values_of
from samebits.frontend.core.operands import (
    Literal,
    MemoryOperand,
    Nothing,
    Operand,
    Scalar,
    Static,
    Tuple,
    Vector,
    View,
    describe,
)
from samebits.frontend.operations import memory, views
from samebits.frontend.operations.constants import captured
from samebits.frontend.operations.conversions import coerce, passed
from samebits.ir.grammar import Value
from samebits.lang.annotations import KernelAnnotation
from samebits.lang.calls.adapted import AdaptedKernel
from samebits.lang.calls.kernel_parameters import without_kernels, written_kernel
from samebits.lang.kernel import Kernel, method_kernel
from samebits.lang.memory import slices
from samebits.types import (
    INT,
    ArrayType,
    FixedArrayType,
    NoneType,
    ScalarType,
    StructType,
    TupleType,
    Type,
    VectorType,
)

Lower = Callable[[Context, ast.expr], Operand]
"""Lowers an expression."""


def bind(
    ctx: Context, node: ast.Call, kernel: Kernel, self_place: MemoryOperand | None, lower: Lower
) -> list[tuple[ast.expr, Operand]]:
    """The operand of each parameter, in parameter order, evaluated in the order of the source."""
    named = [(keyword.arg, keyword.value) for keyword in node.keywords]
    try:
        given = kernel.signature.match(node.args, named, after=int(self_place is not None))
    except ArgumentError as error:
        ctx.fail(node, error.message, fix=error.fix)
    operands: dict[str, tuple[ast.expr, Operand]] = {}
    for name, argument in given.items():
        wanted = kernel.signature.kernels.get(name)
        if wanted is not None and isinstance(argument, ast.Lambda):
            _refuse_lambda(ctx, kernel, name, wanted, argument)
        operands[name] = (argument, lower(ctx, argument))
    if self_place is not None:
        operands[kernel.parameters[0].name] = (node.func, self_place)
    for p in kernel.parameters:
        if p.name not in operands:
            operands[p.name] = (node, captured(ctx, node, p.default))
    return [operands[p.name] for p in kernel.parameters]


def _refuse_lambda(
    ctx: Context, kernel: Kernel, name: str, wanted: KernelAnnotation, given: ast.Lambda
) -> NoReturn:
    parameters = [a.arg for a in given.args.args]
    ctx.fail(
        given,
        f"{kernel.__name__}(): parameter '{name}' takes a kernel {wanted.text}, not a lambda",
        fix=written_kernel("<lambda>", parameters, wanted, ctx.text(given.body)),
    )


def call_kernel(
    ctx: Context, node: ast.AST, kernel: Kernel, operands: Sequence[tuple[ast.AST, Operand]]
) -> Operand:
    """Call `kernel` with one operand a parameter."""
    if kernel.signature.kernels:
        kernel, operands = _without_kernels(ctx, node, kernel, operands)
    found = tuple(argument_type(operand) for _, operand in operands)
    try:
        types = kernel.signature.resolve(found)
    except CompileError as error:
        ctx.fail(node, error.message, note=error.note, fix=error.fix)
    try:
        kernel.check_given(types)
    except ArgumentError as error:
        ctx.fail(node, error.message, note=error.note, fix=error.fix)
    callee = _compiled(ctx, node, kernel, types)
    values: list[Value] = []
    for (argument, operand), (name, t) in zip(operands, callee.parameters, strict=True):
        values += _pass(ctx, node, argument, operand, name, t, callee)
    if callee.depth:
        values.append(recursion.deeper(ctx, node, kernel.__name__, callee))
    return emit_call(ctx, node, callee, values)


def _compiled(ctx: Context, node: ast.AST, kernel: Kernel, types: tuple[Type, ...]) -> Callee:
    """The function that is called. What a kernel that stands for a function is refused for is said
    of that function."""
    try:
        return ctx.compile_callee(kernel, types, ctx.span(node))
    except CompileError as error:
        if not isinstance(kernel, AdaptedKernel):
            raise
        refusal = kernel.refusal(error)
        ctx.fail(node, refusal.message, note=refusal.note, fix=refusal.fix)


def items_view(ctx: Context, node: ast.AST, at: ast.expr, base: Operand) -> View | None:
    """The items of a struct that has the elements of a field, up to its length; None of anything
    else, and where `__position__` finds items. It is written `at`."""
    if not isinstance(base, MemoryOperand) or memory.elements_of(base) is None:
        return None
    assert isinstance(base.type, StructType)
    length = method_kernel(base.type, "__len__")
    if length is None or method_kernel(base.type, "__position__") is not None:
        return None
    count = call_kernel(ctx, node, length, [(node, base)])
    assert isinstance(count, Scalar)
    view, span = views.whole(ctx, at, memory.elements_field(ctx, node, base)), ctx.span(node)
    size = memory.length(ctx, node, view, 0)
    # A length that lies in memory may be anything.
    ctx.builder.effect("bound", (count.value, size), span, slices.outside(slices.LENGTH))
    start = ctx.builder.const(0, INT, span)
    value = ctx.builder.value("slice", (view.value, start, count.value), view.type, span)
    return replace(view, value=value)


def _without_kernels(
    ctx: Context, node: ast.AST, kernel: Kernel, operands: Sequence[tuple[ast.AST, Operand]]
) -> tuple[Kernel, list[tuple[ast.AST, Operand]]]:
    """The kernel, given those among the operands, and the others."""
    values: list[Any] = []
    for p, (source, operand) in zip(kernel.parameters, operands, strict=True):
        wanted = kernel.signature.kernels.get(p.name)
        if wanted is None:
            values.append((source, operand))
        elif isinstance(operand, Static):
            values.append(operand.object)
        else:
            ctx.fail(
                source,
                f"{kernel.__name__}(): parameter '{p.name}' takes a kernel {wanted.text}, but this "
                f"is {describe(operand)}",
                fix=f"give `{ctx.text(source.func)}` itself, and call it there"
                if isinstance(source, ast.Call)
                else "give a kernel by its name",
            )
    try:
        given, rest = without_kernels(kernel, values)
    except ArgumentError as error:
        ctx.fail(node, error.message, note=error.note, fix=error.fix)
    return given, list(rest)


def argument_type(operand: Operand) -> Type | None:
    """The type that an operand brings to a generic parameter; None if it has none of its own."""
    match operand:
        case Literal() | Static() | Nothing() | Tuple():
            return None
        case MemoryOperand() if isinstance(operand.type, FixedArrayType):
            return ArrayType(operand.type.element, len(operand.type.shape), operand.readonly)
        case _:
            return operand.type


def _pass(
    ctx: Context,
    call: ast.AST,
    node: ast.AST,
    operand: Operand,
    name: str,
    t: Type,
    callee: Callee,
) -> tuple[Value, ...]:
    """The IR arguments for one parameter; a conversion that traps has the span of the call."""
    what = f"parameter '{name}'"
    match t:
        case ScalarType() | VectorType():
            value = passed(ctx, call, operand, t, what, node)
            assert isinstance(value, (Scalar, Vector))
            return values_of(value)
        case ArrayType():
            if isinstance(operand, MemoryOperand) and isinstance(operand.type, FixedArrayType):
                operand = memory.as_view(ctx, node, operand)
            elif isinstance(node, ast.expr):
                operand = items_view(ctx, call, node, operand) or operand
            if (
                not isinstance(operand, View)
                or operand.type.element != t.element
                or operand.type.ndim != t.ndim
            ):
                ctx.fail(node, f"{what} is {t}, but this is {describe(operand)}", fix=f"give {t}")
            if not t.readonly:
                ctx.mark_written(operand, node)
            return (operand.value,)
        case StructType():
            value = coerce(ctx, call, operand, t, what, node)
            assert isinstance(value, MemoryOperand)
            if name in callee.written:
                ctx.mark_written(value, node)
            return (value.value,)
        case _:
            raise AssertionError(t)


def emit_call(ctx: Context, node: ast.AST, callee: Callee, values: list[Value]) -> Operand:
    """The result of the call; struct results arrive in fresh memory of the caller."""
    span = ctx.span(node)
    items = callee.result.items if isinstance(callee.result, TupleType) else (callee.result,)
    structs = [memory.fresh(ctx, span, t) for t in items if isinstance(t, StructType)]
    arguments = (*(struct.value for struct in structs), *values)
    scalars = scalars_of(callee.result)
    results = iter(ctx.builder.op("call", arguments, scalars, span, callee.symbol))
    operands: list[Operand] = []
    for t in items:
        match t:
            case StructType():
                operands.append(structs.pop(0))
            case VectorType():
                operands.append(Vector(tuple(islice(results, t.length)), t))
            case ScalarType():
                operands.append(Scalar(next(results), t))
            case NoneType():
                return Nothing()
            case _:
                raise AssertionError(t)
    return Tuple(tuple(operands)) if isinstance(callee.result, TupleType) else operands[0]
