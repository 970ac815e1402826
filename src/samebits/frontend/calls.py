"""Calls: kernels, methods, types, struct constructors, `zeros`, `len` and intrinsics."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from typing import TypeVar

from samebits.errors import ArgumentError, CompileError
from samebits.frontend.core.context import Callee, Context, values_of
from samebits.frontend.core.operands import (
    Literal,
    Nothing,
    Operand,
    Place,
    Scalar,
    Static,
    Tuple,
    Vector,
    View,
    describe,
)
from samebits.frontend.core.refusals import samebits_name
from samebits.frontend.operations import (
    fixed_point,
    intrinsics,
    library_calls,
    operators,
    overloads,
)
from samebits.frontend.operations import matrices as linear
from samebits.frontend.operations import memory as places
from samebits.frontend.operations.conversions import build_vector, coerce, convert_explicit
from samebits.ir.grammar import Value, ValueType
from samebits.lang.families import Family
from samebits.lang.kernel import Kernel, method_kernel
from samebits.lang.memory.arrays import zeros
from samebits.lang.overloads import Overloads
from samebits.lang.parallel import prange, unsafe_parallel
from samebits.lang.reductions import Reduction
from samebits.lang.values.fixed.fixed_point import FromFloat
from samebits.lang.values.literals import f32, nearest
from samebits.types import (
    BOOL,
    FLOAT32,
    INT,
    UINT64,
    ArrayType,
    FixedArrayType,
    FixedPointType,
    MatrixType,
    MemoryType,
    NoneType,
    ScalarType,
    StructType,
    TupleType,
    Type,
    VectorType,
)

Lower = Callable[[Context, ast.expr], Operand]

LOCAL_BYTES = 1 << 18
"""The most memory that one local array may take: it lies on the stack."""


def call(ctx: Context, node: ast.Call, callee: Operand, lower: Lower) -> Operand:
    """A call of what is not a struct's method."""
    if not isinstance(callee, Static):
        ctx.fail(node, f"{describe(callee)} can't be called", fix="call a kernel or a type")
    return _static(ctx, node, callee.object, lower)


def _static(ctx: Context, node: ast.Call, called: object, lower: Lower) -> Operand:
    if isinstance(called, TypeVar):
        t = ctx.typevars.get(called)
        if t is None:
            ctx.fail(node, f"{called} is no parameter type of this kernel", fix="annotate with it")
    elif isinstance(called, type):
        t = getattr(called, "__sb_type__", None)
    else:
        t = None
    if called is zeros:
        return _zeros(ctx, node, lower)
    if isinstance(called, Kernel):
        operands = _bind(ctx, node, called, None, lower)
        return call_kernel(ctx, node, called, operands)
    if isinstance(t, StructType):
        return _construct(ctx, node, t, lower)
    if node.keywords:
        ctx.fail(node, "this call takes its arguments by position", fix="drop the parameter names")
    if isinstance(t, FixedPointType) and len(node.args) == 1:
        (argument,) = node.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
            return fixed_point.text(ctx, argument, argument.value, t)
    if called is f32:
        return _float32_text(ctx, node)
    operands = [lower(ctx, argument) for argument in node.args]
    if isinstance(called, FromFloat):
        intrinsics.arguments(ctx, node, called.__name__, 1)
        return fixed_point.from_float(ctx, node, operands[0], called.type)
    if isinstance(t, VectorType):
        if not operands:
            ctx.fail(node, f"{t}() needs components", fix=f"write {t}(0)")
        if isinstance(t, MatrixType):
            return linear.build_matrix(ctx, node, operands, t)
        return build_vector(ctx, node, operands, t)
    if called is int:
        intrinsics.arguments(ctx, node, "int", 1)
        return _to_int(ctx, node, operands[0])
    if called is bool:
        t = BOOL
    if isinstance(t, ScalarType):
        intrinsics.arguments(ctx, node, getattr(called, "__name__", "T"), 1)
        return convert_explicit(ctx, node, operands[0], t)
    if called is builtins.len:
        return _len(ctx, node, operands)
    if called is builtins.divmod:
        intrinsics.arguments(ctx, node, "divmod", 2)
        rows = (operators.BINARY[ast.FloorDiv], operators.BINARY[ast.Mod])
        return Tuple(tuple(operators.binary(ctx, node, row, *operands) for row in rows))
    if called is builtins.range:
        ctx.fail(node, "range() is only for the head of a `for` loop", fix="loop over it")
    if called is prange:
        ctx.fail(node, "prange() is only for the head of a `for` loop", fix="loop over it")
    if called is unsafe_parallel:
        return _exempt(ctx, node, operands)
    name = "abs" if called is builtins.abs else getattr(called, "__samebits_intrinsic__", None)
    if isinstance(name, str):
        return intrinsics.lower(ctx, node, name, operands)
    if isinstance(called, Overloads):
        return overloads.lower(ctx, node, called, operands, emit_call)
    if isinstance(called, Family):
        return library_calls.lower_family(ctx, node, called, operands, _argument_type, call_kernel)
    if isinstance(called, Reduction):
        return library_calls.lower_reduction(
            ctx, node, called, operands, _argument_type, call_kernel
        )
    note = "a kernel calls only what is compiled with it"
    fix = "decorate it with @sb.kernel" if callable(called) else "call a kernel or a type"
    ours = samebits_name(called)
    if ours is not None:
        note = "the C library's functions, and NumPy's, have other bits on other machines"
        fix = f"write samebits.math.{ours}"
    what = "is not a kernel, a type, or a function of samebits"
    ctx.fail(node, f"{describe(Static(called))} {what}", note=note, fix=fix)


def _float32_text(ctx: Context, node: ast.Call) -> Scalar:
    argument = node.args[0] if len(node.args) == 1 else None
    if not isinstance(argument, ast.Constant):
        ctx.fail(node, "f32() takes one text in quotes", fix='write f32("0.1"), or float32(x)')
    try:
        value = nearest(argument.value)
    except ArgumentError as error:
        ctx.fail(argument, error.message, fix=error.fix)
    return Scalar(ctx.builder.const(value, FLOAT32, ctx.span(node)), FLOAT32)


def _exempt(ctx: Context, node: ast.Call, operands: list[Operand]) -> Operand:
    intrinsics.arguments(ctx, node, "unsafe_parallel", 1)
    (array,) = operands
    if not isinstance(array, (View, Place)):
        ctx.fail(node, f"unsafe_parallel() of {describe(array)}", fix="give an array")
    ctx.exempt.add((array.value.op, array.value.index))
    return array


def _to_int(ctx: Context, node: ast.Call, operand: Operand) -> Operand:
    fits = isinstance(operand, Scalar) and (operand.type.is_int or operand.type is BOOL)
    if isinstance(operand, Scalar) and fits and operand.type is not UINT64:
        if operand.type is INT:
            return operand
        return Scalar(ctx.builder.value("convert", (operand.value,), INT, ctx.span(node)), INT)
    if isinstance(operand, Literal) and isinstance(operand.value, int):
        return operand
    ctx.fail(
        node,
        f"int() takes an integer that fits int64, but this is {describe(operand)}",
        note="CPython's int() of a NaN or infinity raises; int64() is defined for all floats",
        fix=f"write int64({ctx.text(node.args[0])})",
    )


def _len(ctx: Context, node: ast.Call, operands: list[Operand]) -> Operand:
    intrinsics.arguments(ctx, node, "len", 1)
    (base,) = operands
    if isinstance(base, Vector):
        return Scalar(ctx.builder.int_const(base.type.shape[0], ctx.span(node)), INT)
    if isinstance(base, View) or (
        isinstance(base, Place) and isinstance(base.type, FixedArrayType)
    ):
        return Scalar(places.length(ctx, node, base, 0), INT)
    ctx.fail(node, f"len() of {describe(base)}", fix="give an array")


def _zeros(ctx: Context, node: ast.Call, lower: Lower) -> Operand:
    if node.keywords or len(node.args) != 2:
        ctx.fail(node, "zeros() takes a shape and a type", fix="write sb.zeros(16, float32)")
    shape_operand = lower(ctx, node.args[0])
    sizes = shape_operand.items if isinstance(shape_operand, Tuple) else (shape_operand,)
    shape: list[int] = []
    for size in sizes:
        if not isinstance(size, Literal) or not isinstance(size.value, int) or size.value < 1:
            ctx.fail(
                node,
                "the shape of a local array is constant and positive",
                note=f"this is {describe(size)}",
                fix="use a literal or a module constant, or pass the array as a parameter",
            )
        shape.append(size.value)
    element = _type_argument(ctx, node.args[1], lower)
    if len(shape) > 2:
        ctx.fail(node, "a local array has one or two dimensions", fix="flatten it")
    t = FixedArrayType(element, tuple(shape))
    if t.size > LOCAL_BYTES:
        ctx.fail(
            node,
            f"a local array of {t.size:,} bytes does not fit the stack",
            note=f"the most is {LOCAL_BYTES:,}",
            fix="pass it as a parameter",
        )
    span = ctx.span(node)
    ref = ctx.builder.local(t, span)
    ctx.builder.effect("zero", (ref,), span)
    return Place(ref, t, frozenset(), False, temporary=True)


def _type_argument(ctx: Context, node: ast.expr, lower: Lower) -> MemoryType:
    operand = lower(ctx, node)
    found = operand.object if isinstance(operand, Static) else None
    if found is bool:
        return BOOL
    t = (
        ctx.typevars.get(found)
        if isinstance(found, TypeVar)
        else getattr(found, "__sb_type__", None)
    )
    if not isinstance(t, (ScalarType, VectorType, StructType)):
        ctx.fail(
            node, f"{describe(operand)} is no element type", fix="write float32, float3 or a struct"
        )
    return t


def _construct(ctx: Context, node: ast.Call, t: StructType, lower: Lower) -> Place:
    given: dict[str, tuple[ast.expr, Operand]] = {}
    names = list(t.field_types)
    if len(node.args) > len(names):
        ctx.fail(node, f"{t} has {len(names)} fields, but {len(node.args)} values are given",
                 fix=f"its fields are {', '.join(names)}")  # fmt: skip
    pairs = [*zip(names, node.args, strict=False)]
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg not in t.field_types:
            ctx.fail(node, f"{t} has no field '{keyword.arg}'", fix=f"use {', '.join(names)}")
        pairs.append((keyword.arg, keyword.value))
    for name, argument in pairs:
        if name in given:
            ctx.fail(node, f"field '{name}' is given twice", fix="give it once")
        given[name] = (argument, lower(ctx, argument))
    span = ctx.span(node)
    ref = ctx.builder.local(t, span)
    ctx.builder.effect("zero", (ref,), span)
    for name, (argument, operand) in given.items():
        field_type = t.field_types[name]
        place = ctx.builder.value("field", (ref,), places.RefType(field_type), span, name)
        places.store(ctx, node, place, field_type, operand, f"field '{name}' of {t}", argument)
    return Place(ref, t, frozenset(), False, temporary=True)


def method(ctx: Context, node: ast.Call, name: str, base: Place, lower: Lower) -> Operand:
    """`base.name(...)` on a struct."""
    assert isinstance(base.type, StructType)
    if name == "copy" and not node.args and not node.keywords:
        return places.fresh_copy(ctx, node, base)
    kernel = method_kernel(base.type, name)
    if kernel is None:
        ctx.fail(
            node,
            f"{base.type} has no method '{name}'",
            fix=f"define it in the struct, or write a kernel that takes a {base.type}",
        )
    return call_kernel(ctx, node, kernel, _bind(ctx, node, kernel, base, lower))


def _bind(
    ctx: Context, node: ast.Call, kernel: Kernel, self_place: Place | None, lower: Lower
) -> list[tuple[ast.expr, Operand]]:
    """One operand a parameter, in parameter order, evaluated in the order of the source."""
    names = [p.name for p in kernel.parameters]
    given: dict[str, tuple[ast.expr, Operand]] = {}
    free = names
    if self_place is not None:
        given[names[0]] = (node.func, self_place)
        free = names[1:]
    if len(node.args) > len(free):
        ctx.fail(
            node,
            f"{kernel.__name__}() takes {len(free)} argument{'s' * (len(free) != 1)}, "
            f"but {len(node.args)} are given",
            fix=f"its parameters are ({', '.join(free)})",
        )
    for name, argument in zip(free, node.args, strict=False):
        given[name] = (argument, lower(ctx, argument))
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg not in free:
            ctx.fail(
                node,
                f"{kernel.__name__}() has no parameter '{keyword.arg}'",
                fix=f"its parameters are ({', '.join(free)})",
            )
        if keyword.arg in given:
            ctx.fail(node, f"parameter '{keyword.arg}' is given twice", fix="give it once")
        given[keyword.arg] = (keyword.value, lower(ctx, keyword.value))
    for parameter in kernel.parameters:
        if parameter.name in given:
            continue
        if not parameter.has_default:
            ctx.fail(
                node,
                f"{kernel.__name__}() misses its argument '{parameter.name}'",
                fix=f"its parameters are ({', '.join(free)})",
            )
        given[parameter.name] = (node, ctx.captured(ctx, node, parameter.default))
    return [given[name] for name in names]


def call_kernel(
    ctx: Context, node: ast.Call, kernel: Kernel, operands: list[tuple[ast.expr, Operand]]
) -> Operand:
    """Call `kernel` with one operand a parameter."""
    found = tuple(_argument_type(operand) for _, operand in operands)
    try:
        types = kernel.signature.resolve(found)
    except CompileError as error:
        ctx.fail(node, error.message, note=error.note, fix=error.fix)
    callee = ctx.compile_callee(kernel, types, ctx.span(node))
    values: list[Value] = []
    for (argument, operand), (name, t) in zip(operands, callee.parameters, strict=True):
        values += _pass(ctx, node, argument, operand, name, t, callee)
    return emit_call(ctx, node, callee, values)


def _argument_type(operand: Operand) -> Type | None:
    """The type that an operand brings to a generic parameter; None if it has none of its own."""
    match operand:
        case Literal() | Static() | Nothing() | Tuple():
            return None
        case Place() if isinstance(operand.type, FixedArrayType):
            return ArrayType(operand.type.element, len(operand.type.shape), operand.readonly)
        case _:
            return operand.type


def _pass(
    ctx: Context,
    call: ast.Call,
    node: ast.expr,
    operand: Operand,
    name: str,
    t: Type,
    callee: Callee,
) -> tuple[Value, ...]:
    """The IR arguments for one parameter; a conversion that traps has the span of the call."""
    what = f"parameter '{name}'"
    match t:
        case ScalarType() | VectorType():
            value = coerce(ctx, call, operand, t, what, node)
            assert isinstance(value, (Scalar, Vector))
            return values_of(value)
        case ArrayType():
            if isinstance(operand, Place) and isinstance(operand.type, FixedArrayType):
                operand = places.as_view(ctx, node, operand)
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
            assert isinstance(value, Place)
            if name in callee.written:
                ctx.mark_written(value, node)
            return (value.value,)
        case _:
            raise AssertionError(t)


def emit_call(ctx: Context, node: ast.AST, callee: Callee, values: list[Value]) -> Operand:
    """The call itself; struct results arrive in fresh memory of the caller."""
    span = ctx.span(node)
    items = callee.result.items if isinstance(callee.result, TupleType) else (callee.result,)
    outs: list[Value] = []
    scalars: list[ValueType] = []
    for t in items:
        match t:
            case StructType():
                ref = ctx.builder.local(t, span)
                ctx.builder.effect("zero", (ref,), span)
                outs.append(ref)
            case VectorType():
                scalars += [t.element] * t.length
            case ScalarType():
                scalars.append(t)
            case _:
                pass
    arguments = (*outs, *values)
    results = list(ctx.builder.op("call", arguments, tuple(scalars), span, callee.symbol))
    operands: list[Operand] = []
    for t in items:
        match t:
            case StructType():
                operands.append(Place(outs.pop(0), t, frozenset(), False, temporary=True))
            case VectorType():
                operands.append(Vector(tuple(results[: t.length]), t))
                del results[: t.length]
            case ScalarType():
                operands.append(Scalar(results.pop(0), t))
            case NoneType():
                return Nothing()
            case _:
                raise AssertionError(t)
    return Tuple(tuple(operands)) if isinstance(callee.result, TupleType) else operands[0]
