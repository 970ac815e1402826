"""The built-in functions of the language: how each becomes operations, in one fixed order."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from samebits.errors import Span
from samebits.frontend.core.context import Context, values_of
from samebits.frontend.core.operands import (
    Literal,
    Nothing,
    Operand,
    Scalar,
    Static,
    Vector,
    describe,
)
from samebits.frontend.operations import fixed_point, halves
from samebits.frontend.operations import matrices as linear
from samebits.frontend.operations.conversions import index_value, literal, to_scalar
from samebits.frontend.operations.operators import vector_operands
from samebits.ir.grammar import Value
from samebits.types import (
    BOOL,
    FLOAT,
    FLOAT16,
    INT,
    VECTORS,
    FixedPointType,
    MatrixType,
    ScalarType,
    Type,
    VectorType,
)

Items = list[Value]


@dataclass(frozen=True, slots=True)
class Elementwise:
    """A function that works on scalars and, component by component, on vectors.

    `emit` makes the operations for one component.
    """

    arity: int
    floats: bool
    integers: bool
    emit: Callable[[Context, ast.Call, tuple[Value, ...], ScalarType], Value]


def _one(opcode: str) -> Callable[[Context, ast.Call, tuple[Value, ...], ScalarType], Value]:
    def emit(ctx: Context, node: ast.Call, args: tuple[Value, ...], t: ScalarType) -> Value:
        return ctx.builder.value(opcode, args, t, ctx.span(node))

    return emit


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


ELEMENTWISE: dict[str, Elementwise] = {
    "sqrt": Elementwise(1, True, False, _one("sqrt")),
    "abs": Elementwise(1, True, True, _one("abs")),
    "floor": Elementwise(1, True, False, _one("floor")),
    "ceil": Elementwise(1, True, False, _one("ceil")),
    "trunc": Elementwise(1, True, False, _one("trunc")),
    "round": Elementwise(1, True, False, _one("round")),
    "sign": Elementwise(1, True, True, _sign),
    "min": Elementwise(2, True, True, _one("min")),
    "max": Elementwise(2, True, True, _one("max")),
    "copysign": Elementwise(2, True, False, _one("copysign")),
    "clamp": Elementwise(3, True, True, _clamp),
    "fma": Elementwise(3, True, False, _one("fma")),
    "muladd": Elementwise(3, True, False, _one("muladd")),
    "product_error": Elementwise(2, True, False, _one("product_error")),
    "popcount": Elementwise(1, False, True, _one("popcount")),
    "clz": Elementwise(1, False, True, _one("clz")),
    "ctz": Elementwise(1, False, True, _one("ctz")),
}
LIBRARY_ONLY = {"muladd", "product_error"}
"""What has the same bits everywhere only in code that is proven to round them away."""
WIDTH_MATTERS = {"popcount", "clz", "ctz"}


def arguments(ctx: Context, node: ast.Call, name: str, count: int) -> list[ast.expr]:
    """The argument expressions of a call that takes exactly `count` positional ones."""
    if node.keywords or len(node.args) != count:
        ctx.fail(
            node,
            f"{name}() takes {count} argument{'s' * (count != 1)} by position",
            note=f"{len(node.args) + len(node.keywords)} given",
            fix=f"write {name}({', '.join('abc'[:count])})",
        )
    return node.args


def _kind_error(
    ctx: Context, node: ast.Call, name: str, operand: Operand, row: Elementwise
) -> None:
    wanted = (
        "a float" if not row.integers else "a fixed-width integer" if not row.floats else "a number"
    )
    text = ctx.text(node.args[0])
    ctx.fail(
        node,
        f"{name}() takes {wanted} or a vector of them, but this is {describe(operand)}",
        fix=f"write {name}(float32({text}))" if row.floats and not row.integers
        else f"write {name}(uint32({text}))" if not row.floats else "convert it",
    )  # fmt: skip


def elementwise(ctx: Context, node: ast.Call, name: str, operands: list[Operand]) -> Operand:
    """Lower a function of the table above."""
    row = ELEMENTWISE[name]
    arguments(ctx, node, name, row.arity)
    if any(isinstance(_element(operand), FixedPointType) for operand in operands):
        return _fixed_point(ctx, node, name, operands)
    for source, operand in zip(node.args, operands, strict=True):
        halves.refuse(ctx, f"{name}()", source, operand)
        element = operand.type.element if isinstance(operand, Vector) else operand.type
        allowed = isinstance(operand, (Literal, Scalar, Vector)) and isinstance(element, ScalarType)
        if allowed and isinstance(element, ScalarType):
            # A whole literal can stand for a float beside one.
            as_float = isinstance(operand, Literal) and row.floats and len(operands) > 1
            allowed = (
                (element.is_float and row.floats) or (element.is_int and row.integers) or as_float
            ) and not (name in WIDTH_MATTERS and element.weak)
        if not allowed:
            _kind_error(ctx, node, name, operand, row)
    columns, t = broadcast(ctx, node, f"{name}()", operands)
    element = t.element if isinstance(t, VectorType) else t
    if element.is_int and not row.integers:
        _kind_error(ctx, node, name, operands[0], row)
    items = tuple(row.emit(ctx, node, column, element) for column in zip(*columns, strict=True))
    return Vector(items, t) if isinstance(t, VectorType) else Scalar(items[0], t)


def _element(operand: Operand) -> Type:
    return operand.type.element if isinstance(operand, Vector) else operand.type


def _fixed_point(ctx: Context, node: ast.Call, name: str, operands: list[Operand]) -> Operand:
    for operand in operands:
        if not isinstance(operand, (Literal, Scalar, Vector)):
            ctx.fail(node, f"{name}() of {describe(operand)}", fix="use a number or vector")
    columns, t = broadcast(ctx, node, f"{name}()", operands)
    element = _element(Scalar(columns[0][0], t)) if isinstance(t, ScalarType) else t.element
    assert isinstance(element, FixedPointType)
    rows = zip(*columns, strict=True)
    items = tuple(fixed_point.function(ctx, node, name, row, element) for row in rows)
    return Vector(items, t) if isinstance(t, VectorType) else Scalar(items[0], t)


def broadcast(
    ctx: Context, node: ast.Call, what: str, operands: list[Operand]
) -> tuple[list[Items], ScalarType | VectorType]:
    """Operands brought to one type: weak ones to the strong one's, scalars to the vector's."""
    vector = next((o for o in operands if isinstance(o, Vector)), None)
    if vector is not None:
        columns = [vector_operands(ctx, node, what, vector, o)[1] for o in operands]
        return columns, vector.type
    scalars = [o for o in operands if isinstance(o, (Literal, Scalar))]
    strong = {o.type for o in scalars if not o.type.weak}
    if len(strong) > 1:
        names = " and ".join(sorted(map(str, strong)))
        fixed = next((o for o in scalars if isinstance(o.type, FixedPointType)), None)
        if fixed is not None:
            other = next(o for o in scalars if not o.type.weak and o.type != fixed.type)
            fixed_point.mixed(ctx, node, what, fixed, other)
        ctx.fail(node, f"{what} on {names}", fix=f"convert one, such as {min(map(str, strong))}(x)")
    if strong:
        t = strong.pop()
        weak = next((o for o in scalars if o.type.weak), None)
        if t == FLOAT16 and weak is not None:
            number = ctx.text(node.args[operands.index(weak) - len(operands)])
            ctx.fail(node, f"{what} on {t} and {describe(weak)}", fix=f"write {t}({number})")
        wrong = next((o for o in scalars if o.type is FLOAT and t.is_int), None)
        mixed = wrong is not None or t is BOOL
        if mixed and not all(o.type is BOOL for o in scalars):
            ctx.fail(node, f"{what} on {t} and {describe(wrong or scalars[0])}", fix="convert one")
    else:
        t = FLOAT if any(o.type is FLOAT for o in scalars) else INT
    return [[to_scalar(ctx, node, o, t)] for o in scalars], t


def select(ctx: Context, node: ast.Call, operands: list[Operand]) -> Operand:
    """`select(cond, a, b)`: a where cond, else b; both are evaluated."""
    arguments(ctx, node, "select", 3)
    test, *sides = operands
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
    element = t.element if isinstance(t, VectorType) else t
    length = t.length if isinstance(t, VectorType) else 1
    assert isinstance(test, (Scalar, Vector))
    tests = list(values_of(test))
    matrix = isinstance(t, MatrixType) or isinstance(test.type, MatrixType)
    if isinstance(test, Vector) and matrix and test.type != _bools_beside(t):
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
        tests = tests * length
    span = ctx.span(node)
    items = tuple(
        ctx.builder.value("select", (c, a, b), element, span)
        for c, a, b in zip(tests, *columns, strict=True)
    )
    return Vector(items, t) if isinstance(t, VectorType) else Scalar(items[0], t)


def _bools_beside(t: ScalarType | VectorType) -> Type:
    """The type of a bool for each component of `t`."""
    return t.of(BOOL) if isinstance(t, VectorType) else BOOL


def _vectors(ctx: Context, node: ast.Call, name: str, operands: list[Operand]) -> list[Vector]:
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
        ctx.fail(node, f"{name}() takes vectors, but this is {describe(bad)}", fix="use a vector")
    if any(v.type != found[0].type for v in found):
        ctx.fail(
            node,
            f"{name}() of {found[0].type} and {found[1].type}",
            fix=f"convert one: {found[0].type}(...)",
        )
    return found


def _dot(ctx: Context, node: ast.Call, a: Vector, b: Vector) -> Value:
    t = a.type.element
    products = [_arithmetic(ctx, node, "*", x, y, t) for x, y in zip(a.items, b.items, strict=True)]
    total = products[0]
    for product in products[1:]:
        total = _arithmetic(ctx, node, "+", total, product, t)
    return total


def _arithmetic(
    ctx: Context, node: ast.Call, sign: str, a: Value, b: Value, t: ScalarType
) -> Value:
    """`a sign b` of + - *."""
    if isinstance(t, FixedPointType):
        return fixed_point.binary(ctx, node, sign, a, b, t)
    opcode = {"+": "add", "-": "sub", "*": "mul"}[sign]
    return ctx.builder.value(opcode, (a, b), t, ctx.span(node))


def dot(ctx: Context, node: ast.Call, operands: list[Operand]) -> Operand:
    """((ax*bx + ay*by) + az*bz) + aw*bw."""
    arguments(ctx, node, "dot", 2)
    a, b = _vectors(ctx, node, "dot", operands)
    if a.type.element is BOOL:
        ctx.fail(node, "dot() of bool vectors", fix="write sb.any(a & b)")
    return Scalar(_dot(ctx, node, a, b), a.type.element)


def cross(ctx: Context, node: ast.Call, operands: list[Operand]) -> Operand:
    """(ay*bz - az*by, az*bx - ax*bz, ax*by - ay*bx)."""
    arguments(ctx, node, "cross", 2)
    a, b = _vectors(ctx, node, "cross", operands)
    t = a.type.element
    if a.type.length != 3 or t is BOOL:
        ctx.fail(node, f"cross() of {a.type}: it takes two vectors of 3 numbers", fix="use float3")

    def term(i: int, j: int) -> Value:
        left = _arithmetic(ctx, node, "*", a.items[i], b.items[j], t)
        right = _arithmetic(ctx, node, "*", a.items[j], b.items[i], t)
        return _arithmetic(ctx, node, "-", left, right, t)

    return Vector((term(1, 2), term(2, 0), term(0, 1)), a.type)


def _float_vector(ctx: Context, node: ast.Call, name: str, operands: list[Operand]) -> Vector:
    arguments(ctx, node, name, 1)
    (a,) = _vectors(ctx, node, name, operands)
    if not (a.type.element.is_float or isinstance(a.type.element, FixedPointType)):
        ctx.fail(
            node, f"{name}() of {a.type}: it takes floats", fix=f"convert: float{a.type.length}(v)"
        )
    return a


def length(ctx: Context, node: ast.Call, operands: list[Operand]) -> Operand:
    """sqrt(dot(a, a))."""
    a = _float_vector(ctx, node, "length", operands)
    t, square = a.type.element, _dot(ctx, node, a, a)
    if isinstance(t, FixedPointType):
        return Scalar(fixed_point.function(ctx, node, "sqrt", (square,), t), t)
    return Scalar(ctx.builder.value("sqrt", (square,), t, ctx.span(node)), t)


def normalize(ctx: Context, node: ast.Call, operands: list[Operand]) -> Operand:
    """a / length(a), component by component."""
    a = _float_vector(ctx, node, "normalize", operands)
    size = length(ctx, node, operands)
    assert isinstance(size, Scalar)
    t, span = a.type.element, ctx.span(node)
    if isinstance(t, FixedPointType):
        divided = (fixed_point.binary(ctx, node, "/", v, size.value, t) for v in a.items)
        return Vector(tuple(divided), a.type)
    items = tuple(ctx.builder.value("div", (v, size.value), t, span) for v in a.items)
    return Vector(items, a.type)


def _reduce(opcode: str, name: str) -> Callable[[Context, ast.Call, list[Operand]], Operand]:
    def emit(ctx: Context, node: ast.Call, operands: list[Operand]) -> Operand:
        arguments(ctx, node, name, 1)
        (a,) = operands
        if not isinstance(a, Vector):
            (a,) = _vectors(ctx, node, name, operands)
        if a.type.element is not BOOL:
            ctx.fail(node, f"{name}() of {a.type}", fix=f"write {name}(v != 0)")
        total = a.items[0]
        for item in a.items[1:]:
            total = ctx.builder.value(opcode, (total, item), BOOL, ctx.span(node))
        return Scalar(total, BOOL)

    return emit


def _rotate(opcode: str) -> Callable[[Context, ast.Call, list[Operand]], Operand]:
    def emit(ctx: Context, node: ast.Call, operands: list[Operand]) -> Operand:
        arguments(ctx, node, opcode, 2)
        x, count = operands
        if not isinstance(x, (Scalar, Vector)):
            ctx.fail(
                node,
                f"{opcode}() takes a fixed-width integer, not {describe(x)}",
                fix="write uint32(x)",
            )
        t = x.type if isinstance(x, Scalar) else x.type.element
        if not t.is_int or t.weak:
            ctx.fail(
                node,
                f"{opcode}() takes a fixed-width integer, not {describe(x)}",
                fix="write uint32(x)",
            )
        span = ctx.span(node)
        if isinstance(count, Vector) and count.type == x.type:
            counts = count.items
        elif isinstance(count, Literal) and isinstance(count.value, int):
            k = literal(ctx, node, Literal(count.value % t.bits), t)
            counts = (k,) * len(values_of(x))
        else:
            wide = index_value(ctx, node.args[1], count)
            k = ctx.builder.value("convert", (wide,), t, span)
            counts = (k,) * len(values_of(x))
        items = tuple(
            ctx.builder.value(opcode, pair, t, span)
            for pair in zip(values_of(x), counts, strict=True)
        )
        return Scalar(items[0], t) if isinstance(x, Scalar) else Vector(items, x.type)

    return emit


def _bits(ctx: Context, value: Value, source: ScalarType, t: ScalarType, span: Span) -> Value:
    value = ctx.builder.value("bitcast", (value,), t, span)
    return halves.canonical(ctx, value, span) if t == FLOAT16 else value


def bitcast(ctx: Context, node: ast.Call, operands: list[Operand]) -> Operand:
    """`bitcast(T, x)`: the same bits as another scalar type (vectors: component by component)."""
    arguments(ctx, node, "bitcast", 2)
    target, x = operands
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
    source = x.type if isinstance(x, Scalar) else x.type.element
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


def _mul(ctx: Context, node: ast.Call, operands: list[Operand]) -> Operand:
    arguments(ctx, node, "mul", 2)
    return linear.mul(ctx, node, *operands)


def _transpose(ctx: Context, node: ast.Call, operands: list[Operand]) -> Operand:
    arguments(ctx, node, "transpose", 1)
    return linear.transpose(ctx, node, operands[0])


def _truth(ctx: Context, node: ast.Call, name: str, operands: list[Operand]) -> Value:
    arguments(ctx, node, name, 1)
    (test,) = operands
    if not isinstance(test, Scalar) or test.type is not BOOL:
        ctx.fail(
            node,
            f"{name}() takes a bool, but this is {describe(test)}",
            fix=f"compare explicitly: {name}(x != 0)",
        )
    return test.value


def _hint(name: str) -> Callable[[Context, ast.Call, list[Operand]], Operand]:
    def emit(ctx: Context, node: ast.Call, operands: list[Operand]) -> Operand:
        test = _truth(ctx, node, name, operands)
        return Scalar(ctx.builder.value(name, (test,), BOOL, ctx.span(node)), BOOL)

    return emit


def _assume(ctx: Context, node: ast.Call, operands: list[Operand]) -> Operand:
    ctx.builder.effect("assume", (_truth(ctx, node, "assume", operands),), ctx.span(node))
    return Nothing()


def _expect_vectorized(ctx: Context, node: ast.Call, operands: list[Operand]) -> Operand:
    arguments(ctx, node, "expect_vectorized", 0)
    if not ctx.wanted:
        ctx.fail(
            node,
            "expect_vectorized() is not in a loop",
            note="it speaks of the innermost loop that it stands in",
            fix="make it the first statement of the loop's body",
        )
    ctx.wanted[-1] = True
    return Nothing()


SPECIAL: dict[str, Callable[[Context, ast.Call, list[Operand]], Operand]] = {
    "likely": _hint("likely"),
    "unlikely": _hint("unlikely"),
    "assume": _assume,
    "select": select,
    "dot": dot,
    "cross": cross,
    "length": length,
    "normalize": normalize,
    "any": _reduce("or", "any"),
    "all": _reduce("and", "all"),
    "rotl": _rotate("rotl"),
    "rotr": _rotate("rotr"),
    "bitcast": bitcast,
    "expect_vectorized": _expect_vectorized,
    "mul": _mul,
    "transpose": _transpose,
}


def lower(ctx: Context, node: ast.Call, name: str, operands: list[Operand]) -> Operand:
    """Lower the intrinsic `name`."""
    if name in LIBRARY_ONLY and not ctx.in_library:
        ctx.fail(
            node,
            f"{name}() is for samebits' own math functions",
            note="its last bits differ between machines with fused multiply-add and without",
            fix="write fma(a, b, c), or a * b + c",
        )
    if name in ELEMENTWISE:
        return elementwise(ctx, node, name, operands)
    return SPECIAL[name](ctx, node, operands)
