"""Lowering of intrinsics: each becomes operations in one fixed order."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import NoReturn

from samebits.errors import CompileError, Span
from samebits.frontend.core import advice
from samebits.frontend.core.context import Context, element_of, element_type, of_values, values_of
from samebits.frontend.core.filled import filled
from samebits.frontend.core.operands import (
    Literal,
    Nothing,
    Operand,
    Scalar,
    Static,
    Vector,
    describe,
    dimensions,
)
from samebits.frontend.core.source import Source
from samebits.frontend.operations import fixed_point, halves, matrices
from samebits.frontend.operations.conversions import index_value, literal, to_scalar
from samebits.frontend.operations.operators import vector_operands
from samebits.ir.grammar import Value
from samebits.ir.once import is_library
from samebits.lang.intrinsics import INTRINSICS
from samebits.lang.values.rules import Intrinsic, Takes
from samebits.types import (
    BOOL,
    FLOAT,
    FLOAT16,
    INT,
    VECTORS,
    FixedPointType,
    MatrixType,
    ScalarType,
    VectorType,
    operands_type,
)

Items = list[Value]


def _clamp(ctx: Context, node: ast.Call, args: tuple[Value, ...], t: ScalarType) -> Value:
    low = ctx.builder.value("max", args[:2], t, ctx.span(node))
    return ctx.builder.value("min", (low, args[2]), t, ctx.span(node))


def _sign(ctx: Context, node: ast.Call, args: tuple[Value, ...], t: ScalarType) -> Value:
    (x,) = args
    span = ctx.span(node)
    zero, one = (literal(ctx, node, Literal(n), t) for n in (0, 1))
    positive = ctx.builder.value("gt", (x, zero), BOOL, span)
    result = ctx.builder.value("select", (positive, one, x), t, span)
    if t.is_float or t.is_signed:
        minus = literal(ctx, node, Literal(-1), t)
        negative = ctx.builder.value("lt", (x, zero), BOOL, span)
        result = ctx.builder.value("select", (negative, minus, result), t, span)
    return result


_Component = Callable[[Context, ast.Call, tuple[Value, ...], ScalarType], Value]
_COMPOSED: dict[str, _Component] = {"clamp": _clamp, "sign": _sign}
"""The element-wise intrinsics that are several operations, from one component of each operand."""


def arguments(ctx: Context, node: ast.Call, name: str, count: int) -> None:
    """Raise CompileError unless a call has exactly `count` arguments, all by position."""
    refuse_arguments(ctx.source, node, name, count)


def refuse_arguments(source: Source, node: ast.Call, name: str, count: int) -> None:
    """Raise CompileError unless a call in `source` has exactly `count` arguments, all by
    position."""
    if node.keywords or len(node.args) != count:
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        called, texts = source.text(node.func), list(map(source.text, given))
        more = None
        if len(given) > count:
            more = advice.for_more_arguments(called.rpartition(".")[2], called, texts)
        letters = [letter for letter in "abcdef" if letter not in texts]
        fix = more or f"write {called}({', '.join([*texts, *letters][:count])})"
        parts = dict(zip("ab", given, strict=False))
        raise CompileError(
            f"{name}() takes {count} argument{'s' * (count != 1)} by position",
            span=source.span(node),
            note=f"{len(given)} given",
            fix=filled(fix, parts, at=node, within=source.node),
        )


_KINDS: dict[Takes | None, tuple[str, str]] = {
    "float": ("a float", "float64"),
    "integer": ("a fixed-width integer", "uint32"),
    "number": ("a number", ""),
}
"""For each kind of operands: how messages name it, and what another number is converted to."""


def refuse_arrays(ctx: Context, node: ast.Call, operands: Sequence[Operand], what: str) -> NoReturn:
    """Refuse arrays where a function takes numbers."""
    ranks = [dimensions(operand) for operand in operands]
    array = operands[next(k for k, rank in enumerate(ranks) if rank)]
    texts = [ctx.text(argument) for argument in node.args]
    fix = advice.for_call_of_arrays(ctx.text(node.func), texts, ranks)
    ctx.fail(node, f"{what}, but this is {describe(array)}", fix=fix)


def _kind_error(
    ctx: Context, node: ast.Call, row: Intrinsic, operands: Sequence[Operand], wrong: int
) -> NoReturn:
    """Refuse an operand, with the call as it is where the other operands say a type."""
    wanted, t = _KINDS[row.takes]
    if dimensions(operands[wrong]):
        what = f"{row.name}() takes {wanted} or a vector of them"
        refuse_arrays(ctx, node, operands, what)
    others = (element_type(o) for k, o in enumerate(operands) if k != wrong)
    for other in others:
        if row.takes == "float" and isinstance(other, ScalarType) and other.is_float:
            t = t if other.weak else str(other)
    texts = [ctx.text(argument) for argument in node.args]
    given, texts[wrong] = texts[wrong], f"{t}({texts[wrong]})"
    fix = f"write {ctx.text(node.func)}({', '.join(texts)})" if t else "convert it"
    integer = element_type(operands[wrong])
    if t == "float32" and isinstance(integer, ScalarType) and integer.bits > 16:
        fix += f", or float64({given}) where it can be past 2**24"
    ctx.fail(
        node,
        f"{row.name}() takes {wanted} or a vector of them, but this is {describe(operands[wrong])}",
        fix=fix,
    )


def _fits(row: Intrinsic, operand: Operand) -> bool:
    """Whether an element-wise intrinsic takes an operand."""
    t = element_type(operand)
    if not isinstance(operand, (Literal, Scalar, Vector)) or not isinstance(t, ScalarType):
        return False
    if row.takes == "integer":
        return t.is_int and not t.weak
    return t.is_float or t.weak or (t.is_int and row.takes == "number")


def _elementwise(
    ctx: Context, node: ast.Call, row: Intrinsic, operands: Sequence[Operand]
) -> Operand:
    """An intrinsic of scalars and, component by component, of vectors."""
    name = row.name
    fixed = has_fixed_point(operands)
    for k, (source, operand) in enumerate(zip(node.args, operands, strict=True)):
        if fixed:
            if not isinstance(operand, (Literal, Scalar, Vector)):
                ctx.fail(node, f"{name}() of {describe(operand)}", fix="use a number or vector")
            continue
        halves.refuse(ctx, f"{name}()", source, operand)
        if not _fits(row, operand):
            _kind_error(ctx, node, row, operands, k)
    columns, t = broadcast(ctx, node, f"{name}()", operands, floats=row.takes == "float")
    element = element_of(t)

    def emit(*args: Value) -> Value:
        if isinstance(element, FixedPointType):
            return fixed_point.function(ctx, node, name, args, element)
        if name in _COMPOSED:
            return _COMPOSED[name](ctx, node, args, element)
        return ctx.builder.value(name, args, element, ctx.span(node))

    return of_values(tuple(map(emit, *columns)), t)


def has_fixed_point(operands: Sequence[Operand]) -> bool:
    """Whether an operand is a fixed-point number or a vector of them."""
    return any(isinstance(element_type(operand), FixedPointType) for operand in operands)


def broadcast(
    ctx: Context, node: ast.Call, what: str, operands: Sequence[Operand], *, floats: bool = False
) -> tuple[list[Items], ScalarType | VectorType]:
    """Operands brought to one type: scalars to the vector's, or to their common one, weak ones
    alone to a Python number's, a float's with `floats`."""
    vector = next((o for o in operands if isinstance(o, Vector)), None)
    if vector is not None:
        columns = [vector_operands(ctx, node, what, vector, o)[1] for o in operands]
        return columns, vector.type
    scalars = [o for o in operands if isinstance(o, (Literal, Scalar))]
    strong = [o.type for o in scalars if not o.type.weak]
    if not strong:
        t = FLOAT if floats or any(o.type is FLOAT for o in scalars) else INT
        return [[to_scalar(ctx, node, o, t)] for o in scalars], t
    t = operands_type(strong)
    sources = node.args[-len(operands) :]
    if t is None:
        _no_common_type(ctx, node, what, scalars)
    weak = next((o for o in scalars if o.type.weak), None)
    if t == FLOAT16 and weak is not None:
        number = ctx.text(sources[operands.index(weak)])
        ctx.fail(node, f"{what} on {t} and {describe(weak)}", fix=f"write {t}({number})")
    wrong = next((o for o in scalars if o.type is FLOAT and t.is_int), None)
    mixed = wrong is not None or t is BOOL
    if mixed and not all(o.type is BOOL for o in scalars):
        fix = "convert one"
        if wrong is not None:
            integer = next(o for o in scalars if o.type == t)
            fix = f"write float64({ctx.text(sources[operands.index(integer)])})"
        ctx.fail(node, f"{what} on {t} and {describe(wrong or scalars[0])}", fix=fix)
    return [[to_scalar(ctx, node, o, t)] for o in scalars], t


def _no_common_type(
    ctx: Context, node: ast.Call, what: str, scalars: Sequence[Literal | Scalar]
) -> NoReturn:
    strong = {o.type: o for o in scalars if not o.type.weak}
    fixed = next((o for t, o in strong.items() if isinstance(t, FixedPointType)), None)
    if fixed is not None:
        other = next(o for t, o in strong.items() if t != fixed.type)
        fixed_point.mixed(ctx, node, what, fixed, other)
    names = sorted(map(str, strong))
    ctx.fail(
        node,
        f"{what} on {' and '.join(names)}, which have no common type",
        fix="convert them to one that has the numbers that come, such as "
        f"{'uint32(flag)' if 'bool' in names else 'int64(x)'}",
    )


def _select(ctx: Context, node: ast.Call, test: Operand, *sides: Operand) -> Operand:
    """`select(cond, a, b)`: a where cond, else b; both are evaluated."""
    bools = isinstance(test, Vector) and test.type.element is BOOL
    if not bools and not (isinstance(test, Scalar) and test.type is BOOL):
        ctx.fail(
            node,
            f"select() takes a bool or bool vector first, but this is {describe(test)}",
            fix="write select(condition, a, b): a where the condition holds",
        )
    for side in sides:
        if not isinstance(side, (Literal, Scalar, Vector)):
            ctx.fail(node, f"select() on {describe(side)}", fix="use if/else")
    columns, t = broadcast(ctx, node, "select()", sides)
    length = t.length if isinstance(t, VectorType) else 1
    assert isinstance(test, (Scalar, Vector))
    tests = values_of(test)
    matrix = isinstance(t, MatrixType) or isinstance(test.type, MatrixType)
    fitting = t.of(BOOL) if isinstance(t, VectorType) else BOOL
    if isinstance(test, Vector) and matrix and test.type != fitting:
        ctx.fail(
            node,
            f"select() by {test.type} of {t}: the shapes differ",
            fix="give a bool, or a bool matrix of that shape",
        )
    if isinstance(test, Vector) and test.type.length != length:
        ctx.fail(
            node,
            f"select() by {test.type} of {t}: the lengths differ",
            fix="make all three as long, or reduce the condition with sb.any or sb.all",
        )
    if len(tests) != length:
        tests *= length
    rows = zip(tests, *columns, strict=True)
    items = [ctx.builder.value("select", row, element_of(t), ctx.span(node)) for row in rows]
    return of_values(tuple(items), t)


def _vectors(ctx: Context, node: ast.Call, name: str, *operands: Operand) -> list[Vector]:
    found = [o for o in operands if isinstance(o, Vector)]
    for source, operand in zip(node.args, operands, strict=True):
        halves.refuse(ctx, f"{name}()", source, operand)
    bad = next((o for o in operands if not isinstance(o, Vector)), None)
    matrix = next((o for o in found if isinstance(o.type, MatrixType)), None)
    if matrix is not None:
        ctx.fail(
            node,
            f"{name}() takes vectors, but this is {describe(matrix)}",
            fix="use a column: m.c0",
        )
    if bad is not None:
        fix = "make a vector of the numbers, such as float3(x, y, z)"
        if dimensions(bad):
            fix = "loop over its elements"
        ctx.fail(node, f"{name}() takes vectors, but this is {describe(bad)}", fix=fix)
    if any(v.type != found[0].type for v in found):
        ctx.fail(
            node,
            f"{name}() of {found[0].type} and {found[1].type}",
            fix=f"convert one: {found[0].type}(...)",
        )
    return found


def _dot(ctx: Context, node: ast.Call, a: Vector, b: Vector) -> Value:
    """((ax*bx + ay*by) + az*bz) + aw*bw."""
    on = matrices.arithmetic(ctx, node, a.type.element)
    products = [on.mul(x, y) for x, y in zip(a.items, b.items, strict=True)]
    return reduce(on.add, products)


def _dot_call(ctx: Context, node: ast.Call, *operands: Operand) -> Operand:
    a, b = _vectors(ctx, node, "dot", *operands)
    if a.type.element is BOOL:
        ctx.fail(node, "dot() of bool vectors", fix="write sb.any(a & b)")
    return Scalar(_dot(ctx, node, a, b), a.type.element)


def _cross(ctx: Context, node: ast.Call, *operands: Operand) -> Operand:
    a, b = _vectors(ctx, node, "cross", *operands)
    if a.type.length != 3 or a.type.element is BOOL:
        ctx.fail(node, f"cross() of {a.type}: it takes two vectors of 3 numbers", fix="use float3")
    on = matrices.arithmetic(ctx, node, a.type.element)
    return Vector(on.cross(a.items, b.items), a.type)


def _size(ctx: Context, node: ast.Call, name: str, operand: Operand) -> tuple[Vector, Value]:
    """A vector of floats and sqrt(dot(a, a)) of it."""
    (a,) = _vectors(ctx, node, name, operand)
    t = a.type.element
    if not (t.is_float or isinstance(t, FixedPointType)):
        ctx.fail(
            node, f"{name}() of {a.type}: it takes floats", fix=f"convert: float{a.type.length}(v)"
        )
    square = _dot(ctx, node, a, a)
    if isinstance(t, FixedPointType):
        return a, fixed_point.function(ctx, node, "sqrt", (square,), t)
    return a, ctx.builder.value("sqrt", (square,), t, ctx.span(node))


def _length(ctx: Context, node: ast.Call, operand: Operand) -> Operand:
    a, size = _size(ctx, node, "length", operand)
    return Scalar(size, a.type.element)


def _normalize(ctx: Context, node: ast.Call, operand: Operand) -> Operand:
    """a / length(a), component by component."""
    a, size = _size(ctx, node, "normalize", operand)
    t, span = a.type.element, ctx.span(node)
    if isinstance(t, FixedPointType):
        divided = (fixed_point.binary(ctx, node, "/", v, size, t) for v in a.items)
        return Vector(tuple(divided), a.type)
    items = tuple(ctx.builder.value("div", (v, size), t, span) for v in a.items)
    return Vector(items, a.type)


def _reduced(opcode: str, name: str, ctx: Context, node: ast.Call, a: Operand) -> Operand:
    if isinstance(a, Literal | Scalar):
        ctx.fail(
            node,
            f"{name}() takes vectors, but this is {describe(a)}",
            fix=ctx.filled(
                "write `{x}`" if a.type is BOOL else "write `{x} != 0`", node, x=node.args[0]
            ),
        )
    if not isinstance(a, Vector):
        (a,) = _vectors(ctx, node, name, a)
    if a.type.element is not BOOL:
        ctx.fail(
            node,
            f"{name}() of {a.type}",
            fix=ctx.filled("write `{f}({x} != 0)`", f=node.func, x=node.args[0]),
        )
    span = ctx.span(node)
    total = reduce(lambda x, y: ctx.builder.value(opcode, (x, y), BOOL, span), a.items)
    return Scalar(total, BOOL)


def _rotate(opcode: str, ctx: Context, node: ast.Call, x: Operand, count: Operand) -> Operand:
    if not isinstance(x, (Scalar, Vector)) or not _fits(INTRINSICS[opcode], x):
        ctx.fail(
            node,
            f"{opcode}() takes a fixed-width integer, not {describe(x)}",
            fix="write uint32(x)",
        )
    t = element_of(x.type)
    span = ctx.span(node)
    if isinstance(count, Vector) and count.type == x.type:
        counts = count.items
    else:
        if isinstance(count, Literal) and isinstance(count.value, int):
            k = literal(ctx, node, Literal(count.value % t.bits), t)
        else:
            wide = index_value(ctx, node.args[1], count)
            k = ctx.builder.value("convert", (wide,), t, span)
        counts = (k,) * len(values_of(x))
    pairs = zip(values_of(x), counts, strict=True)
    return of_values(tuple(ctx.builder.value(opcode, pair, t, span) for pair in pairs), x.type)


def _bits(ctx: Context, value: Value, source: ScalarType, t: ScalarType, span: Span) -> Value:
    value = ctx.builder.value("bitcast", (value,), t, span)
    return halves.canonical(ctx, value, span) if t == FLOAT16 else value


def _bitcast(ctx: Context, node: ast.Call, target: Operand, x: Operand) -> Operand:
    """`bitcast(T, x)`: the same bits as another scalar type (vectors: component by component)."""
    t = getattr(target.object, "__sb_type__", None) if isinstance(target, Static) else None
    if not isinstance(t, ScalarType) or t is BOOL:
        ctx.fail(node, "bitcast() takes a number type first", fix="write bitcast(uint32, x)")
    if not isinstance(x, (Scalar, Vector)):
        ctx.fail(
            node,
            f"bitcast() of {describe(x)}: its width is not known",
            fix=f"write bitcast({t}, float{t.bits}({ctx.text(node.args[1])}))",
        )
    if isinstance(x.type, MatrixType):
        ctx.fail(node, f"bitcast() of {x.type}", fix="bitcast its columns: m.c0")
    source = element_of(x.type)
    if source.bits != t.bits or source.weak or source is BOOL:
        ctx.fail(
            node,
            f"bitcast() from {source} to {t}: the widths differ"
            if not source.weak and source is not BOOL
            else f"bitcast() of {describe(x)}: convert it to a fixed-width type first",
            fix=f"use a type of {source.bits} bits, or convert first",
        )
    span = ctx.span(node)
    items = tuple(v if source == t else _bits(ctx, v, source, t, span) for v in values_of(x))
    if isinstance(x, Scalar):
        return Scalar(items[0], t)
    vector = next(
        (v for v in VECTORS.values() if v.element == t and v.length == x.type.length), None
    )
    if vector is None:
        ctx.fail(node, f"there is no vector of {t}", fix="bitcast the components")
    return Vector(items, vector)


def _truth(ctx: Context, node: ast.Call, name: str, test: Operand) -> Value:
    if not isinstance(test, Scalar) or test.type is not BOOL:
        ctx.fail(
            node,
            f"{name}() takes a bool, but this is {describe(test)}",
            fix=f"compare explicitly: {name}(x != 0)",
        )
    return test.value


def _hint(name: str, ctx: Context, node: ast.Call, test: Operand) -> Operand:
    value = _truth(ctx, node, name, test)
    return Scalar(ctx.builder.value(name, (value,), BOOL, ctx.span(node)), BOOL)


def _assume(ctx: Context, node: ast.Call, test: Operand) -> Operand:
    ctx.builder.effect("assume", (_truth(ctx, node, "assume", test),), ctx.span(node))
    return Nothing()


def _expect_vectorized(ctx: Context, node: ast.Call) -> Operand:
    if not ctx.wanted:
        ctx.fail(
            node,
            "expect_vectorized() is not in a loop",
            note="it speaks of the innermost loop that it stands in",
            fix="make it the first statement of the loop's body",
        )
    ctx.wanted[-1] = True
    return Nothing()


SPECIAL: dict[str, Callable[..., Operand]] = {
    "likely": partial(_hint, "likely"),
    "unlikely": partial(_hint, "unlikely"),
    "assume": _assume,
    "select": _select,
    "dot": _dot_call,
    "cross": _cross,
    "length": _length,
    "normalize": _normalize,
    "any": partial(_reduced, "or", "any"),
    "all": partial(_reduced, "and", "all"),
    "rotl": partial(_rotate, "rotl"),
    "rotr": partial(_rotate, "rotr"),
    "bitcast": _bitcast,
    "expect_vectorized": _expect_vectorized,
    "mul": matrices.mul,
    "transpose": matrices.transpose,
}
"""The lowering of each other intrinsic: from the context, the call and the operands."""


def lower(ctx: Context, node: ast.Call, name: str, operands: Sequence[Operand]) -> Operand:
    """Lower the intrinsic `name`."""
    row = INTRINSICS[name]
    if row.library_only and not is_library(ctx.kernel.function.__module__ or ""):
        ctx.fail(
            node,
            f"{name}() is for samebits' own math functions",
            note="its last bits differ between machines with fused multiply-add and without",
            fix="write fma(a, b, c), or a * b + c",
        )
    arguments(ctx, node, name, row.arity)
    special = SPECIAL.get(name)
    return special(ctx, node, *operands) if special else _elementwise(ctx, node, row, operands)
