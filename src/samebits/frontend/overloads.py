"""Calls of math functions in kernels: which kernel is meant, and vectors by component.

Owns the rule for compiled and managed code. The float arguments promote as in arithmetic, weak
ones alone to float64; beside a vector a scalar has its element's type. An argument that is an
integer converts as any kernel's does.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial, reduce
from itertools import repeat
from typing import Any, cast

from samebits.errors import ArgumentError
from samebits.frontend import fixed_point, intrinsics
from samebits.frontend.context import Callee, Context
from samebits.frontend.convert import coerce, to_scalar
from samebits.frontend.values import Literal, Operand, Scalar, Tuple, Vector, describe
from samebits.ir.grammar import Value
from samebits.lang.conversions import kind_of
from samebits.lang.elementwise import unified
from samebits.lang.fixed_rules import fit
from samebits.lang.kernel import Overloads, is_fixed
from samebits.lang.running import managed_run
from samebits.lang.scalars import CONVERTERS, int64, type_of_scalar
from samebits.lang.storage import implicit
from samebits.lang.vectors import VECTOR_CLASSES, as_element, vector
from samebits.lang.vectors import Vector as ManagedVector
from samebits.modes import Precision
from samebits.types import (
    FLOAT16,
    FLOAT64,
    INT64,
    FixedPointType,
    MatrixType,
    QuaternionType,
    ScalarType,
    VectorType,
    promote,
    vector_of,
)

Emit = Callable[[Context, ast.AST, Callee, list[Value]], Operand]
"""Emits a call of a compiled kernel."""


def float_type(found: list[ScalarType]) -> ScalarType:
    """The type at which a function of floats is computed: float32 or float64."""
    common = reduce(lambda a, b: promote(a, b) or FLOAT64, found)
    return FLOAT64 if common.weak else common


def lower(
    ctx: Context, node: ast.Call, function: Overloads, operands: list[Operand], emit: Emit
) -> Operand:
    """`function(...)` in a kernel, at that kernel's precision."""
    name = function.__name__
    intrinsics.arguments(ctx, node, name, function.arity)
    if any(isinstance(element_of(operand), FixedPointType) for operand in operands):
        return _fixed_point(ctx, node, function, operands)
    floats: list[Literal | Scalar | Vector] = []
    for operand, source, integer in zip(operands, node.args, function.integers, strict=True):
        if not integer:
            floats.append(_float(ctx, node, name, operand, source))
    vectors = [operand.type for operand in operands if isinstance(operand, Vector)]
    beside = [operand.type for operand in floats if isinstance(operand, Vector)]
    if beside:
        element = beside[0].element
    else:
        element = float_type([o.type for o in floats if not isinstance(o, Vector)])
    length = vectors[0].length if vectors else 1
    kernel = function.kernel_for(element, ctx.precision)
    types = kernel.resolve((element,) * function.arity)
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
            value = coerce(ctx, node, operand, t, what, source)
            assert isinstance(value, Scalar)
            columns.append([value.value] * length)
    callee = ctx.compile_callee(kernel, types, ctx.span(node))
    results = [emit(ctx, node, callee, list(row)) for row in zip(*columns, strict=True)]
    if not vectors:
        return results[0]
    if isinstance(results[0], Tuple):
        rows = zip(*(r.items for r in results if isinstance(r, Tuple)), strict=True)
        return Tuple(tuple(_vector(row) for row in rows))
    return _vector(tuple(results))


def element_of(operand: Operand) -> object:
    """The type of a scalar, or of a vector's components."""
    return operand.type.element if isinstance(operand, Vector) else operand.type


def _fixed_point(
    ctx: Context, node: ast.Call, function: Overloads, operands: list[Operand]
) -> Operand:
    kernel = function.fixed_point
    found = next(o for o in operands if isinstance(element_of(o), FixedPointType))
    if kernel is None:
        ctx.fail(
            node,
            f"{function.__name__}() has no version for {describe(found)}",
            fix="use sqrt, sin, cos, tan, atan2, exp, log or pow",
        )
    columns, t = intrinsics.broadcast(ctx, node, f"{function.__name__}()", operands)
    element = t.element if isinstance(t, VectorType) else t
    assert isinstance(element, FixedPointType)
    rows = zip(*columns, strict=True)
    items = tuple(fixed_point.call(ctx, node, kernel, row, element) for row in rows)
    return Vector(items, t) if isinstance(t, VectorType) else Scalar(items[0], t)


def _float(
    ctx: Context, node: ast.Call, name: str, operand: Operand, source: ast.expr
) -> Literal | Scalar | Vector:
    """`operand`, if it can stand for a float."""
    if isinstance(operand, Vector) and isinstance(operand.type, (MatrixType, QuaternionType)):
        ctx.fail(
            source,
            f"{name}() works on numbers and vectors, but this is {operand.type}",
            fix="use a column: m.c0"
            if isinstance(operand.type, MatrixType)
            else f"convert it: {vector_of(operand.type.element, 4)}(q)",
        )
    element = operand.type.element if isinstance(operand, Vector) else operand.type
    known = isinstance(operand, (Scalar, Vector)) and isinstance(element, ScalarType)
    if isinstance(operand, Literal) or (known and cast("ScalarType", element).is_float):
        return cast("Literal | Scalar | Vector", operand)
    converted = f"float32({ctx.text(source)})"
    if isinstance(operand, Scalar):
        fix = f"write {name}({converted})" if len(node.args) == 1 else f"write {converted}"
    elif isinstance(operand, Vector) and element == FLOAT16:
        fix = f"convert it: float{operand.type.length}({ctx.text(source)})"
    else:
        fix = "give a float"
    ctx.fail(
        node if len(node.args) == 1 else source,
        f"{name}() takes a float or a vector of floats, but this is {describe(operand)}",
        fix=fix,
    )


def _vector(items: tuple[Operand, ...]) -> Vector:
    scalars = [item for item in items if isinstance(item, Scalar)]
    return Vector(tuple(s.value for s in scalars), vector_of(scalars[0].type, len(scalars)))


# The managed run ------------------------------------------------------------------------


def managed(function: Overloads, precision: Precision, *args: Any, **named: Any) -> Any:
    """`function(...)` inside a managed run."""
    if named:
        raise ArgumentError("this call takes its arguments by position", fix="drop the names")
    key = (precision, *map(type, args))
    plan = function.plans.get(key)
    if plan is None and any(map(is_fixed, args)):
        plan = function.plans[key] = partial(_managed_fixed_point, function)
    if plan is None:
        plan = function.plans[key] = _plan(function, precision, args)
    return plan(*args)


def _managed_fixed_point(function: Overloads, *args: Any) -> Any:
    from samebits.frontend.managed import instance

    name, kernel = function.__name__, function.fixed_point
    if kernel is None or len(args) != function.arity:
        raise ArgumentError(
            f"{name}() has no version for fixed-point numbers",
            fix="use sqrt, sin, cos, tan, atan2, exp, log or pow",
        )
    args = unified(name, *args)
    if isinstance(args[0], ManagedVector):
        rows = zip(*args, strict=True)
        return vector(type(args[0]), tuple(_managed_fixed_point(function, *row) for row in rows))
    cls: Any = kind_of(args[0])
    t: FixedPointType = cls.__sb_type__
    with managed_run():
        numbers = [int64(x.raw) for x in args]
        types = (INT64,) * (len(args) + 1)
        found: Any = instance(kernel, types).run(*numbers, int64(t.fraction))
    steps, excess = cast("tuple[Any, Any]", found if isinstance(found, tuple) else (found, 0))
    return cls.from_raw(fit(int(steps) + (int(excess) << 64), t))


def _plan(function: Overloads, precision: Precision, args: tuple[Any, ...]) -> Callable[..., Any]:
    """What a call with arguments of these classes does."""
    if len(args) != function.arity:
        raise ArgumentError(
            f"{function.__name__}() takes {function.arity} arguments, but {len(args)} are given"
        )
    vectors = [type(a) for a in args if isinstance(a, ManagedVector)]
    for cls in vectors:
        if isinstance(cls.__sb_type__, (MatrixType, QuaternionType)):
            raise ArgumentError(
                f"{function.__name__}() works on numbers and vectors, got {cls.__sb_type__}"
            )
    if vectors:
        return lambda *parts: _by_component(function, precision, vectors[0].__sb_type__, parts)
    types = [type_of_scalar(a) for a in args]
    floats = [t for t, integer in zip(types, function.integers, strict=True) if not integer]
    if any(not (t.is_float or t.weak) for t in floats):
        raise ArgumentError(
            f"{function.__name__}() takes a float, got {' and '.join(map(str, floats))}",
            fix="convert it first, for example float32(x)",
        )
    return _scalar_plan(function, precision, float_type(floats), args)


def _scalar_plan(
    function: Overloads, precision: Precision, element: ScalarType, args: tuple[Any, ...]
) -> Callable[..., Any]:
    from samebits.frontend.managed import instance

    kernel = function.kernel_for(element, precision)
    types = kernel.resolve((element,) * function.arity)
    target = instance(kernel, types).run
    takes: list[Callable[[Any], Any]] = []
    for n, (a, t, integer) in enumerate(zip(args, types, function.integers, strict=True)):
        assert isinstance(t, ScalarType)
        place = f"argument {n + 1} of {function.__name__}()"
        takes.append(
            (lambda v, t=t, place=place: implicit(v, t, place))
            if integer
            else CONVERTERS[t][kind_of(a)]
        )
    if len(takes) == 1:
        return _of_one(target, takes[0])
    return lambda *values: target(*(take(v) for take, v in zip(takes, values, strict=True)))


def _of_one(target: Callable[..., Any], take: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: target(take(x))


def _by_component(
    function: Overloads, precision: Precision, first: VectorType, parts: tuple[Any, ...]
) -> Any:
    """One call a component; scalars repeat."""
    name, n = function.__name__, first.length
    cls: Any = None
    columns: list[Any] = []
    for part, integer in zip(parts, function.integers, strict=True):
        if not integer and isinstance(part, ManagedVector):
            cls = cls or type(part)
    for part, integer in zip(parts, function.integers, strict=True):
        if isinstance(part, ManagedVector):
            if part.__sb_type__.length != n or not (integer or type(part) is cls):
                raise ArgumentError(f"{name}() of {first} and {part.__sb_type__}")
            columns.append(part)
        elif integer or cls is None:
            columns.append(repeat(part, n))
        else:
            columns.append(repeat(as_element(part, cls, name), n))
    rows = [managed(function, precision, *row) for row in zip(*columns, strict=True)]
    if isinstance(rows[0], tuple):
        return tuple(map(_managed_vector, zip(*rows, strict=True)))
    return _managed_vector(tuple(rows))


def _managed_vector(items: tuple[Any, ...]) -> Any:
    t = vector_of(type_of_scalar(items[0]), len(items))
    return vector(VECTOR_CLASSES[t], items)
