"""Calls: kernels, methods, types, struct constructors, `zeros`, `len` and intrinsics."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar, cast

import numpy as np

from samebits.errors import ArgumentError
from samebits.frontend.core import advice
from samebits.frontend.core.characters import ORD_TAKES, code_point
from samebits.frontend.core.context import Context
from samebits.frontend.core.math_name import math_in
from samebits.frontend.core.operands import (
    Literal,
    MemoryOperand,
    Operand,
    Scalar,
    Static,
    Tuple,
    Vector,
    View,
    describe,
    dimensions,
)
from samebits.frontend.operations import (
    constants,
    fixed_point,
    intrinsics,
    memory,
    method_fixes,
    operators,
    overloads,
    printing,
    run_time_arrays,
    struct_items,
)
from samebits.frontend.operations.conversions import (
    build_vector,
    convert_explicit,
    literal,
    materialize,
    to_int,
    to_scalar,
)
from samebits.frontend.operations.kernel_calls import Lower, bind, call_kernel
from samebits.frontend.operations.matrices import build_matrix
from samebits.lang import intrinsics as functions
from samebits.lang.annotations import class_of_type
from samebits.lang.calls.tracing import trace
from samebits.lang.executions import executions
from samebits.lang.families import Family
from samebits.lang.kernel import Kernel, method_kernel
from samebits.lang.memory.arrays import zeros
from samebits.lang.memory.struct_members import made_empty
from samebits.lang.other_names import samebits_name
from samebits.lang.overloads import Overloads
from samebits.lang.parallel import prange, unsafe_parallel
from samebits.lang.reductions import Reduction
from samebits.lang.values.fixed.fixed_point import FromFloat
from samebits.lang.values.literals import f32, nearest
from samebits.types import (
    BOOL,
    FLOAT,
    FLOAT16,
    FLOAT32,
    INT,
    MOST_DIMENSIONS,
    FixedArrayType,
    FixedPointType,
    MatrixType,
    MemoryType,
    ScalarType,
    StructType,
    Type,
    VectorType,
)

LOCAL_BYTES = 1 << 18
"""The most memory that one local array may take: it lies on the stack."""


def call(ctx: Context, node: ast.Call, callee: Operand, lower: Lower) -> Operand:
    """A call of what is not a struct's method."""
    if not isinstance(callee, Static):
        ctx.fail(node, f"{describe(callee)} can't be called", fix="call a kernel or a type")
    called = callee.object
    t = _type_meant(ctx, called)
    if t is None and isinstance(called, TypeVar):
        ctx.fail(node, f"{called} is no parameter type of this kernel", fix="annotate with it")
    if called is builtins.print:
        return printing.lower_print(ctx, node, lower)
    if called is trace:
        return printing.lower_trace(ctx, node, lower)
    if called is zeros:
        return _zeros(ctx, node, lower)
    if isinstance(called, Kernel):
        return call_kernel(ctx, node, called, bind(ctx, node, called, None, lower))
    if isinstance(t, StructType):
        return _construct(ctx, node, t, lower)
    count, lowering = _row(called, t)
    if lowering is _refuse and called is not builtins.ord and called is not f32:
        _refuse(ctx, node, called, lower=lower)
    if node.keywords:
        ctx.fail(
            node,
            "this call takes its arguments by position",
            fix=_fix_of_keywords(ctx, node, called),
        )
    match node.args:
        case [ast.Constant(value=str(text)) as argument] if isinstance(t, FixedPointType):
            return fixed_point.text(ctx, argument, text, t)
        case [ast.Constant(value=str(text)) as argument] if (
            isinstance(t, ScalarType) or called is int or called is float
        ):
            _refuse_text(ctx, argument, text)
        case _ if called is builtins.ord:
            return _ord(ctx, node)
        case _ if called is f32:
            return _float32_text(ctx, node)
        case _:
            operands = [lower(ctx, argument) for argument in node.args]
    if count is not None:
        intrinsics.arguments(ctx, node, getattr(called, "__name__", "T"), count)
    return lowering(ctx, node, t or called, operands)


_OTHERWISE: dict[object, tuple[str, str]] = {
    builtins.min: ("default", "write `min({a}) if len({a}) > 0 else {b}`"),
    builtins.max: ("default", "write `max({a}) if len({a}) > 0 else {b}`"),
    builtins.sum: ("start", "write `{b} + sum({a})`"),
}
"""For each builtin the parameter that may be named beside one argument, and the call without it."""


def _fix_of_keywords(ctx: Context, node: ast.Call, called: object) -> str:
    """What to write for a call of what takes no parameter by its name."""
    keys = [keyword.value for keyword in node.keywords if keyword.arg == "key"]
    others = [k.value for k in node.keywords if k.arg == _OTHERWISE.get(called, ("", ""))[0]]
    if len(node.args) == len(node.keywords) == len(others) == 1:
        return ctx.filled(_OTHERWISE[called][1], node, a=node.args[0], b=others[0])
    if called not in (builtins.min, builtins.max) or not keys:
        return "drop the parameter names"
    sign, name = ("<", "least") if called is builtins.min else (">", "greatest")
    if len(node.args) == 2:
        a, b = node.args
        text = f"compare the keys: `{{a}} if not {{f}}({{b}}) {sign} {{f}}({{a}}) else {{b}}`"
        return ctx.filled(text, node, a=a, b=b, f=keys[0])
    text = f"keep the {name} in a loop: `if {{f}}(x) {sign} {{f}}(best): best = x`"
    return ctx.filled(text, f=keys[0])


def _type_meant(ctx: Context, value: object) -> Type | None:
    """The type that a class or a type variable denotes; None for anything else."""
    if isinstance(value, TypeVar):
        return ctx.typevars.get(value)
    if not isinstance(value, type):
        return None
    return BOOL if value is bool else getattr(value, "__sb_type__", None)


def _intrinsic(ctx: Context, node: ast.Call, called: Any, operands: list[Operand]) -> Operand:
    name = getattr(called, "__samebits_intrinsic__", None) or called.__name__
    return intrinsics.lower(ctx, node, name, operands)


def _extreme(ctx: Context, node: ast.Call, called: Any, operands: list[Operand]) -> Operand:
    """Python's `min` or `max` of an array, or of two numbers or more: the library's."""
    name = called.__name__
    if _is_array(operands):
        return overloads.lower_reduction(ctx, node, executions.reduction(name), operands)
    if len(operands) < 2:
        found = describe(operands[0]) if operands else "nothing"
        ctx.fail(
            node,
            f"{name}() takes two numbers or more, or an array, but this is {found}",
            fix=_of_one(ctx, node, name, operands),
        )
    found, written = operands[0], node.args[0]
    for operand, argument in zip(operands[1:], node.args[1:], strict=True):
        pair = ast.Call(node.func, [written, argument], node.keywords)
        written = ast.copy_location(pair, node)
        found = intrinsics.lower(ctx, pair, name, [found, operand])
        ctx.types[pair] = found.type
    return found


def _of_one(ctx: Context, node: ast.Call, name: str, operands: list[Operand]) -> str:
    """What to write for the `min` or `max` of one thing that is no array."""
    match operands:
        case [Tuple(items)] if isinstance(node.args[0], ast.Tuple) and len(items) > 1:
            return f"write {name}({', '.join(map(ctx.text, node.args[0].elts))})"
        case [Vector()]:
            return f"write math.c{name}({ctx.text(node.args[0])})"
        case _:
            return f"write {name}(a, b)"


def _is_array(operands: list[Operand]) -> bool:
    """Whether a call is given an array alone, or a struct that may have items."""
    return len(operands) == 1 and isinstance(operands[0], View | MemoryOperand)


def _truths(ctx: Context, node: ast.Call, called: Any, operands: list[Operand]) -> Operand:
    """Python's `any` or `all` of an array, or of a vector: the library's."""
    if _is_array(operands):
        reduction = executions.reduction(called.__name__)
        return overloads.lower_reduction(ctx, node, reduction, operands)
    return _intrinsic(ctx, node, called, operands)


def _round(ctx: Context, node: ast.Call, called: Any, operands: list[Operand]) -> Operand:
    """Python's `round`: of an integer itself, of floats `sb.round`."""
    if len(operands) == 1 and isinstance(operands[0], Literal | Scalar) and operands[0].type.is_int:
        return materialize(ctx, node, operands[0])
    fix = advice.for_more_arguments("round", ctx.text(node.func), list(map(ctx.text, node.args)))
    if fix is not None:
        ctx.fail(
            node,
            "round() takes a number alone",
            note="digits of a decimal are not those of a float; scaling rounds again",
            fix=ctx.filled(fix, node, a=node.args[0]),
        )
    return _intrinsic(ctx, node, called, operands)


def _sum(ctx: Context, node: ast.Call, called: Any, operands: list[Operand]) -> Operand:
    """Python's `sum` of an array: the library's, whose order is stated."""
    if len(operands) == 2:
        ctx.fail(
            node,
            "sum() takes one array, and no start",
            fix=ctx.filled("write `{b} + sum({a})`", node, a=node.args[0], b=node.args[1]),
        )
    return overloads.lower_reduction(ctx, node, executions.reduction("sum"), operands)


def _refuse(
    ctx: Context,
    node: ast.Call,
    called: Any,
    _: list[Operand] | None = None,
    lower: Lower | None = None,
) -> NoReturn:
    written, arguments = ctx.text(node.func), [ctx.text(argument) for argument in node.args]
    keywords = {keyword.arg: ctx.text(keyword.value) for keyword in node.keywords}
    ours = samebits_name(called)
    if ours is None:
        types = (
            [lower(ctx, argument).type for argument in node.args]
            if _makes(called) and lower
            else []
        )
        note, fix = advice.for_call(called, written, arguments, keywords, types)
    else:
        note = advice.note_of_function(ours)
        math = math_in(ctx.kernel.function.__globals__)
        fix = advice.for_function(ours, called, arguments, keywords, math)
        ranks = [dimensions(lower(ctx, argument)) for argument in node.args] if lower else []
        if isinstance(called, np.ufunc) and any(ranks) and not keywords:
            fix = advice.for_call_of_arrays(f"{math}.{ours}", arguments, ranks)
    what = "is not a kernel, a type, or a function of samebits"
    parts = dict(zip("ab", node.args, strict=False)) | advice.bounds(node.args)
    ctx.fail(node, f"'{written}' {what}", note=note, fix=ctx.filled(fix, node, **parts))


def _makes(called: object) -> bool:
    """Whether NumPy makes an array like its argument, or of numbers in it."""
    name = str(getattr(called, "__name__", ""))
    return name == "arange" or name.endswith("_like")


def _refuse_text(ctx: Context, node: ast.Constant, text: str) -> NoReturn:
    """Refuse a number given as text."""
    name = text.strip("+- ").lower()
    fix = f"write math.{name[:3]}" if name[:3] in ("inf", "nan") else f"write {text} as a number"
    ctx.fail(node, "strings are not in the kernel language", fix=fix)


def _ord(ctx: Context, node: ast.Call) -> Literal:
    point = code_point(node.args[0]) if len(node.args) == 1 else None
    if point is None:
        ctx.fail(
            node,
            ORD_TAKES,
            note="strings are not in the kernel language",
            fix='write ord("a"); pass a text as an array of its code points',
        )
    return Literal(point, ctx.span(node))


def _float32_text(ctx: Context, node: ast.Call) -> Scalar:
    argument = node.args[0] if len(node.args) == 1 else None
    if not isinstance(argument, ast.Constant):
        ctx.fail(node, "f32() takes one text in quotes", fix='write f32("0.1"), or float32(x)')
    try:
        value = nearest(argument.value)
    except ArgumentError as error:
        ctx.fail(argument, error.message, fix=error.fix)
    return Scalar(ctx.builder.const(value, FLOAT32, ctx.span(node)), FLOAT32)


def _vector(ctx: Context, node: ast.Call, t: VectorType, operands: list[Operand]) -> Operand:
    if not operands:
        ctx.fail(node, f"{t}() needs components", fix=f"write {t}(0)")
    if isinstance(t, MatrixType):
        return build_matrix(ctx, node, operands, t)
    return build_vector(ctx, node, operands, t)


def _scalar(ctx: Context, node: ast.Call, t: ScalarType, operands: list[Operand]) -> Operand:
    truth = operators.truth(ctx, node.args[0], operands[0]) if t is BOOL else None
    if truth is not None:
        return Scalar(truth, BOOL)
    return convert_explicit(ctx, node, operands[0], t)


def _from_float(ctx: Context, node: ast.Call, maker: FromFloat, operands: list[Operand]) -> Operand:
    return fixed_point.from_float(ctx, node, operands[0], maker.type)


def _divmod(ctx: Context, node: ast.Call, _: Any, operands: list[Operand]) -> Operand:
    rows = (operators.BINARY[ast.FloorDiv], operators.BINARY[ast.Mod])
    if all(isinstance(operand, Literal) for operand in operands):
        # As values, which nothing folds; an int beside a float becomes one there.
        t = FLOAT if any(operand.type is FLOAT for operand in operands) else INT
        operands = [
            materialize(ctx, argument, operand) if operand.type is t else operand
            for argument, operand in zip(node.args, operands, strict=True)
        ]
    return Tuple(tuple(operators.binary(ctx, node, row, *operands) for row in rows))


def _loop_head(ctx: Context, node: ast.Call, called: Any, _: list[Operand]) -> NoReturn:
    name = called.__name__
    fix = "loop over it"
    if called is builtins.range and _is_turned(ctx, node):
        fix = ctx.filled("write `reversed({r})`", r=node)
    ctx.fail(node, f"{name}() is only for the head of a `for` loop", fix=fix)


def _is_turned(ctx: Context, node: ast.expr) -> bool:
    """Whether `[::-1]` follows an expression."""
    for part in ast.walk(ctx.source.node):
        match part:
            case ast.Subscript(value=value, slice=ast.Slice(lower=None, upper=None, step=step)):
                if value is node and step is not None and ctx.text(step) == "-1":
                    return True
            case _:
                pass
    return False


def _exempt(ctx: Context, node: ast.Call, _: Any, operands: list[Operand]) -> Operand:
    intrinsics.arguments(ctx, node, "unsafe_parallel", 1)
    (array,) = operands
    if not isinstance(array, (View, MemoryOperand)):
        ctx.fail(node, f"unsafe_parallel() of {describe(array)}", fix="give an array")
    ctx.exempt.add((array.value.op, array.value.index))
    return array


def _int(ctx: Context, node: ast.Call, _: Any, operands: list[Operand]) -> Operand:
    """A weak int of a number, cut off towards 0 as CPython does; a trap where int64 has none."""
    (operand,) = operands
    if isinstance(operand, Literal):
        if isinstance(operand.value, int):
            return materialize(ctx, node, operand)
        if -(2.0**63) <= operand.value < 2.0**63:
            return Scalar(ctx.builder.const(int(operand.value), INT, ctx.span(node)), INT)
    if not isinstance(operand, Scalar) or not (
        operand.type.is_int or operand.type.is_float or operand.type is BOOL
    ):
        ctx.fail(
            node,
            f"int() takes a bool, an integer or a float, but this is {describe(operand)}",
            fix=_fix_of_int(operand, ctx.text(node.args[0])),
        )
    return to_int(ctx, node, operand)


def _float(ctx: Context, node: ast.Call, _: Any, operands: list[Operand]) -> Operand:
    """A weak float of a number, rounded once."""
    (operand,) = operands
    if isinstance(operand, Literal):
        return Scalar(literal(ctx, node, operand, FLOAT), FLOAT)
    if not isinstance(operand, Scalar) or not (
        operand.type.is_int or operand.type.is_float or operand.type is BOOL
    ):
        ctx.fail(
            node,
            f"float() takes a bool, an integer or a float, but this is {describe(operand)}",
            fix=f"write float64({ctx.text(node.args[0])})",
        )
    return Scalar(to_scalar(ctx, node, operand, FLOAT), FLOAT)


def _fix_of_int(operand: Operand, x: str) -> str:
    if isinstance(operand, Literal):
        return "write a number that int64 holds"
    if isinstance(operand, Vector):
        return f"write int{operand.type.length}({x})"
    if isinstance(operand, Scalar) and operand.type is FLOAT16:
        return f"write int(float32({x}))"
    return f"write int32({x})"


def _len(ctx: Context, node: ast.Call, _: Any, operands: list[Operand]) -> Operand:
    (base,) = operands
    own = struct_items.length(ctx, node, base)
    if own is not None:
        return own
    if isinstance(base, Vector | Tuple):
        count = base.type.shape[0] if isinstance(base, Vector) else len(base.items)
        return Scalar(ctx.builder.const(count, INT, ctx.span(node)), INT)
    if isinstance(base, View) or (
        isinstance(base, MemoryOperand) and isinstance(base.type, FixedArrayType)
    ):
        return Scalar(memory.length(ctx, node, base, 0), INT)
    is_struct = isinstance(base, MemoryOperand)
    fix = f"define `__len__` in {base.type}" if is_struct else "give an array"
    if isinstance(base, Static) and isinstance(base.object, list):
        fix = f"make it a tuple, which nothing changes: {ctx.text(node.args[0])} = (...)"
    ctx.fail(node, f"len() of {describe(base)}", fix=fix)


_Row = tuple[int | None, Callable[[Context, ast.Call, Any, list[Operand]], Operand]]
"""The number of arguments of a call, if it is fixed, and the function that lowers it: given what is
called, or the type that this stands for, and the operands."""
_OBJECTS: tuple[tuple[object, _Row], ...] = (
    (int, (1, _int)),
    (float, (1, _float)),
    (builtins.len, (1, _len)),
    (builtins.abs, (None, _intrinsic)),
    (builtins.round, (None, _round)),
    (builtins.any, (None, _truths)),
    (builtins.all, (None, _truths)),
    (functions.any, (None, _truths)),
    (functions.all, (None, _truths)),
    (builtins.sum, (None, _sum)),
    (builtins.min, (None, _extreme)),
    (builtins.max, (None, _extreme)),
    (builtins.divmod, (2, _divmod)),
    (builtins.range, (None, _loop_head)),
    (builtins.enumerate, (None, _loop_head)),
    (builtins.zip, (None, _loop_head)),
    (builtins.reversed, (None, _loop_head)),
    (prange, (None, _loop_head)),
    (unsafe_parallel, (None, _exempt)),
)
"""The row of each of these objects."""
_KINDS: tuple[tuple[type, _Row], ...] = (
    (VectorType, (None, _vector)),
    (ScalarType, (1, _scalar)),
    (FromFloat, (1, _from_float)),
    (Overloads, (None, overloads.lower)),
    (Family, (None, overloads.lower_family)),
    (Reduction, (None, overloads.lower_reduction)),
)
"""The row of any other object of a class, or that stands for such a type."""


def _row(called: object, t: object) -> _Row:
    for known, row in _OBJECTS:
        if called is known:
            return row
    for kind, row in _KINDS:
        if isinstance(called if t is None else t, kind):
            return row
    return None, _intrinsic if hasattr(called, "__samebits_intrinsic__") else _refuse


def _type_written(ctx: Context, node: ast.expr | None, lower: Lower) -> str:
    """A type as it is written, if it is one of the language; what it stands for, if NumPy's."""
    if node is None or isinstance(node, ast.Constant):
        return advice.own_type("" if node is None else ctx.text(node))
    found = lower(ctx, node)
    if isinstance(found, Static) and hasattr(found.object, "__sb_type__"):
        return ctx.text(node)
    return advice.own_type(ctx.text(node))


def _zeros(ctx: Context, node: ast.Call, lower: Lower) -> Operand:
    if node.keywords or len(node.args) != 2:
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        size = node.args[0] if node.args else given.get("shape")
        t = node.args[1] if len(node.args) == 2 else given.get("dtype")
        text = f"{'16' if size is None else ctx.text(size)}, {_type_written(ctx, t, lower)}"
        ctx.fail(node, "zeros() takes a shape and a type", fix=f"write sb.zeros({text})")
    shape_operand = lower(ctx, node.args[0])
    sizes = shape_operand.items if isinstance(shape_operand, Tuple) else (shape_operand,)
    shape: list[int] = []
    for size in sizes:
        if isinstance(size, Scalar) and size.type.is_int:
            continue
        if not isinstance(size, Literal) or not isinstance(size.value, int) or size.value < 1:
            ctx.fail(
                node,
                "the lengths of a local array are integers, and constant ones are positive",
                note=f"this is {describe(size)}",
                fix="convert it, as in sb.zeros(int(x), float64)"
                if isinstance(size, Scalar)
                else "write an integer, such as len(a)",
            )
        shape.append(size.value)
    element = _type_argument(ctx, node.args[1], lower)
    if len(sizes) > MOST_DIMENSIONS:
        ctx.fail(node, "a local array has one to four dimensions", fix="flatten it")
    if len(shape) < len(sizes):
        return run_time_arrays.allocate(ctx, node, sizes, element)
    t = FixedArrayType(element, tuple(shape))
    if t.size > LOCAL_BYTES:
        ctx.fail(
            node,
            f"a local array of {t.size:,} bytes does not fit the stack",
            note=f"the most is {LOCAL_BYTES:,}",
            fix="pass it as a parameter",
        )
    return memory.fresh(ctx, ctx.span(node), t)


def _type_argument(ctx: Context, node: ast.expr, lower: Lower) -> MemoryType:
    operand = lower(ctx, node)
    t = _type_meant(ctx, operand.object) if isinstance(operand, Static) else None
    if not isinstance(t, (ScalarType, VectorType, StructType)):
        known = isinstance(operand, Static) and isinstance(operand.object, type)
        text = ctx.text(node)
        ctx.fail(
            node,
            f"'{text}' is no element type",
            fix=f"write {advice.own_type(text)}, of samebits"
            if known
            else "write float32, float3 or a struct",
        )
    return t


def _construct(ctx: Context, node: ast.Call, t: StructType, lower: Lower) -> MemoryOperand:
    given: dict[str, tuple[ast.expr, Operand]] = {}
    names = list(t.field_types)
    if hasattr(class_of_type(t), "__sb_family__") and (node.args or node.keywords):
        message, fix = made_empty(t)
        ctx.fail(node, message, fix=fix)
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
    made = memory.fresh(ctx, span, t)
    for name, (argument, operand) in given.items():
        field_type = t.field_types[name]
        place = ctx.builder.value("field", (made.value,), memory.RefType(field_type), span, name)
        memory.store(ctx, node, place, field_type, operand, f"field '{name}' of {t}", argument)
    defaults: dict[str, Any] = cast("Any", class_of_type(t)).__sb_defaults__
    for name in (name for name in defaults if name not in given):
        field_type = t.field_types[name]
        place = ctx.builder.value("field", (made.value,), memory.RefType(field_type), span, name)
        constants.store_constant(
            ctx, node, place, field_type, defaults[name], f"field '{name}' of {t}"
        )
    return made


def method(ctx: Context, node: ast.Call, name: str, base: MemoryOperand, lower: Lower) -> Operand:
    """`base.name(...)` on a struct."""
    assert isinstance(base.type, StructType)
    if name == "copy" and not node.args and not node.keywords:
        return memory.fresh_copy(ctx, node, base)
    kernel = method_kernel(base.type, name)
    found = vars(class_of_type(base.type)).get(name)
    if isinstance(found, staticmethod) and kernel is not None:
        return call_kernel(ctx, node, kernel, bind(ctx, node, kernel, None, lower))
    if kernel is None or isinstance(found, property):
        ctx.fail(
            node,
            f"{base.type} has no method '{name}'",
            fix=method_fixes.of_struct(ctx, node, base.type, name),
        )
    return call_kernel(ctx, node, kernel, bind(ctx, node, kernel, base, lower))
